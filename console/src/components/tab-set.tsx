import { type KeyboardEvent, type ReactNode, useId } from "react"
import { useSearchParams } from "wouter"

export interface Tab {
  readonly name: string
  readonly label: ReactNode
  readonly content: () => ReactNode
}

/** Tabs whose choice is in the address as `?tab=`; only the chosen one is made. */
export const TabSet = ({
  label,
  tabs
}: {
  readonly label: string
  readonly tabs: ReadonlyArray<Tab>
}): ReactNode => {
  const id = useId()
  const [params, setParams] = useSearchParams()
  const chosen = tabs.find(({ name }) => name === params.get("tab")) ?? tabs[0]
  const choose = (name: string) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        if (name === tabs[0]?.name) next.delete("tab")
        else next.set("tab", name)
        return next
      },
      { replace: true }
    )
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0
    if (step === 0 || chosen === undefined) return
    const next = tabs[(tabs.indexOf(chosen) + step + tabs.length) % tabs.length]
    if (next === undefined) return
    event.preventDefault()
    choose(next.name)
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next.name}"]`)?.focus()
  }
  return (
    <div className="tabs">
      <div role="tablist" aria-label={label} className="tab-list" onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`${id}-${tab.name}`}
            data-tab={tab.name}
            aria-selected={tab === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={tab === chosen ? 0 : -1}
            onClick={() => choose(tab.name)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen?.name}`} className="tab-panel">
        {chosen?.content()}
      </div>
    </div>
  )
}
