import { type ReactNode, useEffect, useMemo, useRef } from "react"
import type { Span } from "./marks.js"
import { type HtmlOptions, renderHtml } from "./safe-html.js"
import type { RenderedDocument } from "./wire.js"

export interface SourceViewProps extends Pick<HtmlOptions, "frontMatterLabel" | "imageUrl" | "linkUrl"> {
  /** Read with `render: "html"`; without HTML the plain text is shown. */
  readonly document: Pick<RenderedDocument, "id" | "path" | "title" | "content" | "html">
  /** Stretches of the text that are marked; the first is scrolled into view. */
  readonly marks?: ReadonlyArray<Span>
  /** Follows a link within the vault; the address is what `linkUrl` made. */
  readonly onNavigate?: ((url: string) => void) | undefined
  /** Whether the title and path are shown above the text. */
  readonly withTitle?: boolean
}

const noMarks: ReadonlyArray<Span> = []

/** A document with marked words. It has no styles; marks are `<mark>` elements. */
export const SourceView = ({
  document,
  marks = noMarks,
  frontMatterLabel,
  imageUrl,
  linkUrl,
  onNavigate,
  withTitle = true
}: SourceViewProps): ReactNode => {
  const place = useRef<HTMLElement>(null)
  const { content, html, id, path, title } = document
  const body = useMemo(
    () =>
      html === undefined
        ? plain(content, marks)
        : renderHtml(html, { content, marks, frontMatterLabel, imageUrl, linkUrl }),
    [html, content, marks, frontMatterLabel, imageUrl, linkUrl]
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: another body has other marks.
  useEffect(() => {
    place.current?.querySelector("mark")?.scrollIntoView({ block: "center" })
  }, [body])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: links in it are followed by keyboard, too.
    <article
      ref={place}
      className="kanon-source"
      data-testid="source-view"
      data-doc-id={id}
      aria-label={title}
      onClick={(event) => {
        const link = event.target instanceof Element ? event.target.closest("a") : null
        if (link === null || onNavigate === undefined || link.target === "_blank") return
        if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return
        const href = link.getAttribute("href") ?? ""
        if (href.includes("#text-")) return
        event.preventDefault()
        onNavigate(href)
      }}
    >
      {withTitle && (
        <header>
          <h2 dir="auto">{title}</h2>
          <p className="kanon-path" dir="auto">
            {path}
          </p>
        </header>
      )}
      {/* A text in another direction than the page keeps its own. */}
      <div className="kanon-body" dir="auto">
        {body}
      </div>
    </article>
  )
}

/** The text itself with its marks, where no HTML is known. */
const plain = (content: string, marks: ReadonlyArray<Span>): ReactNode => {
  const sorted = [...marks].sort((one, other) => one.start - other.start)
  const parts: Array<ReactNode> = []
  let at = 0
  for (const { end, start } of sorted) {
    if (start < at) continue
    parts.push(content.slice(at, start))
    parts.push(
      <mark key={start} data-testid="source-mark">
        {content.slice(start, end)}
      </mark>
    )
    at = end
  }
  parts.push(content.slice(at))
  return <div className="kanon-plain">{parts}</div>
}
