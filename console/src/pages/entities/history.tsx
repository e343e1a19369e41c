import type { ReactNode } from "react"
import type { EntityWithCuration, Revision } from "../../../../server/client/index.js"
import { useConsoleChange, useOperation } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { FieldsDiff } from "../../components/fields-diff.js"
import { Loaded } from "../../components/states.js"
import { Badge, Person, Time } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { entityText } from "../../strings/entities.js"
import { entityStale } from "./stale.js"
import { useCare } from "./standing.js"

const text = entityText.history

/** Fields of bookkeeping say nothing to a reader of the history. */
const hidden = new Set([
  "id",
  "version",
  "createdAt",
  "updatedAt",
  "nameNorm",
  "mergedIds",
  "retired",
  "lastReviewedAt",
  "nextReviewAt"
])

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)

const activityText = (activity: string): string => {
  if (activity.startsWith("change_request:")) return text.byRequest
  if (activity.startsWith("extraction")) return text.byExtraction
  return text.via[activity] ?? activity
}

/** Every version with what it changed; the fields of an earlier one can be taken back. */
export const History = ({ entity }: { readonly entity: EntityWithCuration }): ReactNode => {
  const revisions = useOperation("listRevisions", { id: entity.id, limit: 200 })
  const scopeReason = useScopeReason("kb:write")
  const { reason: careReason } = useCare(entity)
  const writeReason = scopeReason ?? careReason
  const toast = useToast()
  const restore = useConsoleChange("restoreRevision", entityStale)
  const onRestore = (version: number) =>
    restore.mutate(
      { id: entity.id, version },
      { onSuccess: () => toast({ text: entityText.done.restored(version) }) }
    )
  return (
    <>
      <ErrorNote error={restore.error} />
      <Loaded query={revisions}>
        {(page) => (
          <ol className="plain-list timeline">
            {page.revisions.map((revision) => (
              <RevisionRow
                key={revision.version}
                revision={revision}
                isCurrent={revision.version === entity.curation.version}
                reason={writeReason}
                busy={restore.isPending}
                onRestore={() => onRestore(revision.version)}
              />
            ))}
          </ol>
        )}
      </Loaded>
    </>
  )
}

const RevisionRow = ({
  busy,
  isCurrent,
  onRestore,
  reason,
  revision
}: {
  readonly revision: Revision
  readonly isCurrent: boolean
  readonly reason: string | undefined
  readonly busy: boolean
  readonly onRestore: () => void
}): ReactNode => {
  const diff = Object.fromEntries(
    Object.entries(revision.diff).filter(
      ([field, { from, to }]) => !hidden.has(field) && !(isEmpty(from) && isEmpty(to))
    )
  )
  return (
    <li data-testid="revision-row">
      <p className="timeline-head">
        <strong>{text.version(revision.version)}</strong>
        <Badge>{text.kinds[revision.changeKind]}</Badge>
        {isCurrent && <Badge tone="info">{text.current}</Badge>}
        <span className="muted">
          <Person id={revision.changedBy} /> {activityText(revision.activity)},{" "}
          <Time at={revision.createdAt} />
        </span>
        {!isCurrent && (
          <Button
            size="small"
            kind="quiet"
            reason={reason}
            busy={busy}
            aria-label={text.restoreLabel(revision.version)}
            onClick={onRestore}
          >
            {text.restore}
          </Button>
        )}
      </p>
      {revision.note !== null && <p dir="auto">{revision.note}</p>}
      {Object.keys(diff).length > 0 ? <FieldsDiff diff={diff} /> : <p className="muted">{text.noDiff}</p>}
    </li>
  )
}
