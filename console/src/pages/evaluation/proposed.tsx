import { type ReactNode, useState } from "react"
import { Link } from "wouter"
import { useConsoleChange, useConsoleOperation } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { TextFilter } from "../../components/filters.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Content, Person } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { evaluationText } from "../../strings/evaluation.js"
import type { ConsoleOutput } from "../console-types.js"
import { useSets } from "./sets.js"

const text = evaluationText.proposed
type Proposal = ConsoleOutput<"proposeQrels">["items"][number]

/** Judgments that feedback suggests for a set. */
export const Proposed = (): ReactNode => {
  const [first] = useSets()
  const [chosen, setChosen] = useState<string | null>(null)
  const set = chosen ?? first ?? text.default
  const proposals = useConsoleOperation<ConsoleOutput<"proposeQrels">>(
    "proposeQrels",
    { set },
    { enabled: set !== "" }
  )
  return (
    <div className="stack">
      <p className="muted">{text.hint}</p>
      <TextFilter label={text.set} value={set} onChange={setChosen} />
      <Loaded query={proposals}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={text.empty}>
              <Link href="/" className="button">
                {text.toAsk}
              </Link>
            </EmptyState>
          ) : (
            <ul className="list">
              {items.map((proposal) => (
                <ProposalRow key={`${proposal.feedbackId}-${proposal.docId}`} proposal={proposal} set={set} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  )
}

const ProposalRow = ({ proposal, set }: { readonly proposal: Proposal; readonly set: string }): ReactNode => {
  const writeReason = useScopeReason("kb:write")
  const toast = useToast()
  const accept = useConsoleChange("acceptQrels", ["proposeQrels", "listQrels", "inbox"])
  return (
    <li className="list-row row spread">
      <span className="grow">
        <span dir="auto">{proposal.query}</span>
        <br />
        {proposal.docId === null ? (
          <span dir="auto">{proposal.answers.join("; ")}</span>
        ) : (
          <Link href={`/documents/${proposal.docId}`}>
            <Content>{proposal.path ?? proposal.docId}</Content>
          </Link>
        )}{" "}
        {proposal.grade !== null && <strong>{evaluationText.pool.grade(proposal.grade)}</strong>}
        <br />
        <span className="muted small" dir="auto">
          {proposal.why} · <Person id={proposal.saidBy} />
        </span>
        <ErrorNote error={accept.error} />
      </span>
      <Button
        reason={writeReason}
        busy={accept.isPending}
        onClick={() =>
          accept.mutate(
            {
              set,
              feedbackIds: [proposal.feedbackId],
              ...(proposal.docId === null ? {} : { docId: proposal.docId })
            },
            { onSuccess: () => toast({ text: text.done }) }
          )
        }
      >
        {text.accept}
      </Button>
    </li>
  )
}
