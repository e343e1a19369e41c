import type { ReactNode } from "react"
import type { InboxItem } from "../../../../server/console/inbox-model.js"
import { useConsoleChange, useConsoleOperation } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { Loaded } from "../../components/states.js"
import { Person } from "../../components/text.js"
import { TextDiff } from "../../components/text-diff.js"
import { useToast } from "../../components/toast.js"
import { inboxText as text } from "../../strings/inbox.js"
import { Head, Verbs } from "./item-parts.js"

/** The text of a proposed document and the text that it replaces. */
interface ProposedText {
  readonly content: string
  readonly base: string | null
}

/** A proposed document with its difference to the text that it replaces, or where it is to go. */
export const Proposal = ({
  item
}: {
  readonly item: Extract<InboxItem, { readonly kind: "proposal" }>
}): ReactNode => {
  const { blocked, change, docId, dropped, isCompiled, note, proposalId, proposedBy } = item.data
  const writeReason = useScopeReason("kb:write")
  const toast = useToast()
  const proposal = useConsoleOperation<ProposedText>("getProposal", { id: proposalId })
  const approve = useConsoleChange("approveProposal", ["inbox", "listDocuments", "getDocument"])
  const reject = useConsoleChange("rejectProposal", ["inbox"])
  const words = text.proposal
  const [accept, accepted] = isCompiled ? [words.approve, words.approved] : [words.accept, words.accepted]
  return (
    <div className="stack">
      <Head
        item={item}
        href={docId === null ? "/documents" : `/documents/${docId}`}
        open={text.open.document}
      />
      <p dir="auto">{saidOf(item.data)}</p>
      {!isCompiled && (
        <p className="muted small">
          {words.by} <Person id={proposedBy} />
        </p>
      )}
      {note !== null && <p dir="auto">{note}</p>}
      {dropped > 0 && <p className="muted">{words.dropped(dropped)}</p>}
      {change === "write" && (
        <Loaded query={proposal}>
          {({ base, content }) => (
            <TextDiff
              testId="proposal-diff"
              before={base ?? ""}
              after={content}
              label={words.diff}
              same={words.same}
            />
          )}
        </Loaded>
      )}
      {blocked !== null && (
        <p className="note warn" data-testid="proposal-blocked" data-code={blocked}>
          {words.blocked}
        </p>
      )}
      <Verbs
        reason={writeReason ?? (blocked === null ? undefined : words.blocked)}
        busy={approve.isPending || reject.isPending}
        error={approve.error ?? reject.error}
        first={{
          label: accept,
          run: () => approve.mutate({ id: proposalId }, { onSuccess: () => toast({ text: accepted }) })
        }}
        second={{
          label: words.reject,
          run: () => reject.mutate({ id: proposalId }, { onSuccess: () => toast({ text: words.rejected }) })
        }}
      />
    </div>
  )
}

const saidOf = ({
  change,
  docId,
  from,
  isCompiled,
  path
}: Extract<InboxItem, { readonly kind: "proposal" }>["data"]): string => {
  if (change === "move") return text.proposal.move(from ?? path, path)
  if (change === "delete") return text.proposal.remove(path)
  return isCompiled ? text.proposal.text(path, docId === null) : text.proposal.edit(path)
}
