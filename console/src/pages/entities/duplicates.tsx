import { type ReactNode, useState } from "react"
import { Link } from "wouter"
import { useConsoleOperation } from "../../api/hooks.js"
import { useMark } from "../../api/inbox.js"
import { useScopeReason } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { AuthorityBadge } from "../../components/curation-badges.js"
import { ErrorNote } from "../../components/error.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Content } from "../../components/text.js"
import { formatShare } from "../../language.js"
import { entityText } from "../../strings/entities.js"
import type { Duplicate, DuplicatePage } from "../console-types.js"
import { MergeDialog } from "./merge-dialog.js"

const text = entityText.duplicates

/** Pairs that may be the same, of one entity or of all. */
export const DuplicateList = ({ id }: { readonly id?: string }): ReactNode => {
  const pairs = useConsoleOperation<DuplicatePage>("listDuplicates", {
    limit: 100,
    ...(id === undefined ? {} : { id, minScore: 0.3 })
  })
  const writeReason = useScopeReason("kb:write")
  const mark = useMark()
  const [merging, setMerging] = useState<Duplicate | null>(null)
  return (
    <Loaded query={pairs}>
      {({ items }) => (
        <>
          <ErrorNote error={mark.error} />
          {items.length === 0 && (
            <EmptyState title={text.empty}>
              <p>{text.emptyHint}</p>
            </EmptyState>
          )}
          <ul className="list">
            {items.map((pair) => (
              <li key={`${pair.head.id}-${pair.duplicate.id}`} className="list-row row spread">
                <div>
                  <p>
                    <EntityLink {...pair.duplicate} /> <span aria-hidden="true">→</span>{" "}
                    <EntityLink {...pair.head} />
                    <span className="muted"> {text.score(formatShare(pair.score))}</span>
                  </p>
                  <ul className="reasons">
                    {pair.reasons.map((reason) => (
                      <li key={reason.code} dir="auto">
                        {reason.detail}
                      </li>
                    ))}
                  </ul>
                </div>
                <p className="button-row">
                  <Button reason={writeReason} onClick={() => setMerging(pair)}>
                    {text.merge}
                  </Button>
                  <Button
                    kind="quiet"
                    reason={writeReason}
                    busy={mark.isPending}
                    onClick={() =>
                      mark.mutate({
                        kind: "duplicate",
                        id: [pair.head.id, pair.duplicate.id].sort().join(" "),
                        state: "rejected"
                      })
                    }
                  >
                    {text.apart}
                  </Button>
                </p>
              </li>
            ))}
          </ul>
          {merging !== null && (
            <MergeDialog
              from={merging.duplicate}
              into={merging.head}
              onClose={() => setMerging(null)}
              {...(id === undefined ? { onMerged: () => setMerging(null) } : {})}
            />
          )}
        </>
      )}
    </Loaded>
  )
}

const EntityLink = ({ authority, id, name, type }: Duplicate["head"]): ReactNode => (
  <>
    <Link href={`/entities/${id}`}>
      <Content>{name}</Content>
    </Link>{" "}
    <span className="muted" dir="auto">
      {type}
    </span>{" "}
    <AuthorityBadge value={authority} />
  </>
)
