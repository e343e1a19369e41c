import { type ReactNode, useEffect, useMemo, useRef } from "react"
import { Link } from "wouter"
import type { CitedSource, RenderedDocument } from "../../../react/index.js"
import { type CitationTarget, SourceView, type Span } from "../../../react/index.js"
import { useOperation } from "../api/hooks.js"
import { useSession } from "../api/session.js"
import { Icon } from "../shell/icons.js"
import { strings } from "../strings.js"
import { ErrorNote } from "./error.js"
import { fileUrl, useSourceLinks } from "./source-links.js"
import { Loading } from "./states.js"
import { Standing, Time } from "./text.js"

const texts = strings.source

/** A source beside the page, at its marked words. Escape closes it. */
export const SourcePanel = ({
  target,
  onClose
}: {
  readonly target: CitationTarget
  readonly onClose: () => void
}): ReactNode => {
  const place = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each source that is opened takes the focus.
  useEffect(() => place.current?.focus({ preventScroll: true }), [target])
  return (
    <aside
      ref={place}
      className="source-panel"
      aria-label={texts.title}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose()
      }}
    >
      <div className="source-panel-head">
        <span className="chip">{target.id}</span>
        <strong className="grow clip" dir="auto">
          {target.kind === "source" ? target.source.docTitle : target.call.queryTitle}
        </strong>
        <button type="button" className="button quiet small" onClick={onClose}>
          <Icon name="close" />
          <span className="visually-hidden">{texts.close}</span>
        </button>
      </div>
      {target.kind === "source" ? (
        <Passage source={target.source} quotes={target.quotes} />
      ) : (
        <div className="stack">
          <p className="muted">{texts.data}</p>
          <p>
            <bdi dir="auto">{target.call.connectorName}</bdi> · {texts.dataRows(target.call.rowCount, "")}
            <Time at={target.call.executedAt} form="exact" />
          </p>
          <Link href={`/data?call=${target.call.dataCallId}`}>{texts.openData}</Link>
        </div>
      )}
    </aside>
  )
}

const Passage = ({
  source,
  quotes
}: {
  readonly source: CitedSource
  readonly quotes: ReadonlyArray<Span>
}): ReactNode => {
  const { chunkId, docId, docVersion } = source
  const document = useOperation("getDocument", { id: docId, render: "html" })
  const current = document.data?.version
  // Offsets are those of the version that the answer read.
  const isOld = docVersion !== undefined && current !== undefined && docVersion !== current
  const old = useOperation(
    "listDocumentVersions",
    { id: docId, version: docVersion ?? 1 },
    { enabled: isOld }
  )
  const isPlaced = quotes.length > 0 || (source.start !== undefined && source.end !== undefined)
  const chunk = useOperation("getChunk", { id: chunkId }, { enabled: !isPlaced })
  const marks = useMemo(
    () =>
      quotes.length > 0
        ? quotes
        : (placeOf(source.start, source.end) ?? placeOf(chunk.data?.start, chunk.data?.end) ?? []),
    [quotes, source.start, source.end, chunk.data]
  )
  const links = useSourceLinks()
  const { workspaceId } = useSession()
  if (document.data === undefined || (isOld && old.data === undefined))
    return document.error === null && old.error === null ? (
      <Loading />
    ) : (
      <ErrorNote error={document.error ?? old.error} onRetry={() => void document.refetch()} />
    )
  const { html, ...plain } = document.data
  const shown: RenderedDocument = isOld
    ? { ...plain, content: old.data?.items[0]?.content ?? "" }
    : document.data
  return (
    <div className="source-panel-body">
      <p className="row small">
        {source.verification !== undefined && (
          <Standing verification={source.verification} overdue={source.reviewDue} />
        )}
        <span className="muted mono" dir="auto">
          {shown.path}
        </span>
      </p>
      {isOld && <p className="note info">{texts.changed(document.data.version)}</p>}
      {shown.missing && <p className="note warn">{texts.missing}</p>}
      <SourceView document={shown} marks={marks} withTitle={false} {...links} />
      <p className="row small">
        <Link href={`/documents/${docId}?passage=${chunkId}`}>{texts.open}</Link>
        {shown.mediaType !== "text/markdown" && !shown.missing && (
          <a href={fileUrl(workspaceId, shown.path)} download>
            {texts.download}
          </a>
        )}
        {source.sourceUrl !== undefined && /^https?:/i.test(source.sourceUrl) && (
          <a href={source.sourceUrl} target="_blank" rel="noopener noreferrer">
            {texts.original}
          </a>
        )}
      </p>
    </div>
  )
}

const placeOf = (start: number | undefined, end: number | undefined): ReadonlyArray<Span> | undefined =>
  start === undefined || end === undefined ? undefined : [{ start, end }]
