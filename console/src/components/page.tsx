import { type ReactNode, useEffect } from "react"
import { strings } from "../strings.js"

/** The frame of a page: its title, what can be done, and its content. */
export const Page = ({
  title,
  actions,
  lead,
  wide = false,
  children
}: {
  readonly title: string
  readonly actions?: ReactNode
  /** One sentence on what the page is for. */
  readonly lead?: ReactNode
  readonly wide?: boolean
  readonly children: ReactNode
}): ReactNode => {
  useEffect(() => {
    document.title = `${title} · ${strings.product}`
  }, [title])
  return (
    <div className={wide ? "page wide" : "page"}>
      <header className="page-head">
        <div>
          <h1 dir="auto">{title}</h1>
          {lead !== undefined && <div className="lead">{lead}</div>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** A labelled field of a form. */
export const Field = ({
  label,
  hint,
  children
}: {
  readonly label: string
  readonly hint?: ReactNode
  readonly children: ReactNode
}): ReactNode => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child.
  <label className="field">
    <span className="field-label">{label}</span>
    {children}
    {hint !== undefined && <span className="field-hint">{hint}</span>}
  </label>
)
