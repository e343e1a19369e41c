import { type ReactNode, useState } from "react"
import { Link } from "wouter"
import type { EvalView } from "../../../../server/client/index.js"
import { useChange, useConsoleChange, useConsoleOperation, useOperation } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Content } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { evaluationText } from "../../strings/evaluation.js"
import type { ConsoleOutput } from "../console-types.js"

/** Documents of the first ranks that no person has judged, one judgment a click. */
export const Pool = ({ run }: { readonly run: EvalView }): ReactNode => {
  const text = evaluationText.pool
  const pool = useConsoleOperation<ConsoleOutput<"poolQrels">>("poolQrels", {
    set: run.set,
    runs: [run.id],
    depth: 10
  })
  const writeReason = useScopeReason("kb:write")
  const toast = useToast()
  const put = useChange("putQrels", ["poolQrels", "listQrels", "judgeAgreement"])
  return (
    <div className="stack">
      <p className="muted">{text.hint}</p>
      <ErrorNote error={put.error} />
      <Loaded query={pool}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={text.empty} />
          ) : (
            <ul className="list">
              {items.slice(0, 50).map((item) => (
                <li key={`${item.queryId}-${item.docId}`} className="list-row row spread">
                  <span className="grow">
                    <span dir="auto">{item.query}</span>
                    <br />
                    <DocumentLink id={item.docId} />
                  </span>
                  <span className="button-row">
                    {text.grades.map((meaning, grade) => (
                      <Button
                        key={meaning}
                        size="small"
                        title={meaning}
                        aria-label={text.grade(grade)}
                        reason={writeReason}
                        onClick={() =>
                          put.mutate(
                            {
                              judgments: [
                                {
                                  set: run.set,
                                  queryId: item.queryId,
                                  query: item.query,
                                  docId: item.docId,
                                  grade
                                }
                              ]
                            },
                            { onSuccess: () => toast({ text: text.done }) }
                          )
                        }
                      >
                        {grade}
                      </Button>
                    ))}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  )
}

const DocumentLink = ({ id }: { readonly id: string }): ReactNode => {
  const { data } = useOperation("getDocument", { id })
  return (
    <Link href={`/documents/${id}`}>
      <Content>{data?.path ?? id}</Content>
    </Link>
  )
}

type Claim = ConsoleOutput<"claimsToLabel">["items"][number]

/** Claims of answers, to be labelled as supported by some of their citations, or unsupported. */
export const ClaimsToLabel = ({ id }: { readonly id: string }): ReactNode => {
  const text = evaluationText.label
  const claims = useConsoleOperation<ConsoleOutput<"claimsToLabel">>("claimsToLabel", { id, limit: 50 })
  return (
    <div className="stack">
      <p className="muted">{text.hint}</p>
      <Loaded query={claims}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={text.empty} />
          ) : (
            <ul className="list">
              {items.map((claim) => (
                <ClaimRow key={`${claim.queryId}-${claim.claim}`} id={id} claim={claim} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  )
}

const ClaimRow = ({ claim, id }: { readonly claim: Claim; readonly id: string }): ReactNode => {
  const text = evaluationText.label
  const writeReason = useScopeReason("kb:write")
  const toast = useToast()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    new Set(claim.citations.map((citation) => citation.id))
  )
  const label = useConsoleChange("labelClaims", ["claimsToLabel", "getEval"])
  const store = (supportedBy: ReadonlyArray<string>) =>
    label.mutate(
      { id, labels: [{ queryId: claim.queryId, claim: claim.claim, supportedBy }] },
      { onSuccess: () => toast({ text: text.done }) }
    )
  return (
    <li className="list-row stack tight">
      <p className="muted small" dir="auto">
        {claim.query}
      </p>
      <p dir="auto">{claim.text}</p>
      {claim.citations.map((citation) => (
        <div key={citation.id} className="citation-choice">
          <label className="check">
            <input
              type="checkbox"
              checked={chosen.has(citation.id)}
              onChange={() => {
                const next = new Set(chosen)
                if (!next.delete(citation.id)) next.add(citation.id)
                setChosen(next)
              }}
            />
            [{citation.id}]
          </label>
          <Passage id={citation.chunkId} />
        </div>
      ))}
      <ErrorNote error={label.error} />
      <p className="button-row">
        <Button
          size="small"
          kind="primary"
          reason={writeReason}
          busy={label.isPending}
          onClick={() => store([...chosen])}
        >
          {text.supported}
        </Button>
        <Button size="small" reason={writeReason} busy={label.isPending} onClick={() => store([])}>
          {text.unsupported}
        </Button>
      </p>
    </li>
  )
}

const Passage = ({ id }: { readonly id: string }): ReactNode => {
  const chunk = useOperation("getChunk", { id })
  return <Loaded query={chunk}>{({ text }) => <blockquote dir="auto">{text}</blockquote>}</Loaded>
}
