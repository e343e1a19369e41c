import type { ReactNode } from "react"
import type { InboxItem } from "../../../../server/console/inbox-model.js"
import { useConsoleChange, useConsoleOperation } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { Loaded } from "../../components/states.js"
import { TextDiff } from "../../components/text-diff.js"
import { useToast } from "../../components/toast.js"
import { inboxText as text } from "../../strings/inbox.js"
import { Head, Verbs } from "./item-parts.js"

/** The text of a proposed document and the text that it replaces. */
interface ProposedText {
  readonly content: string
  readonly base: string | null
}

/** A proposed page with its difference to the text that it replaces. */
export const Proposal = ({
  item
}: {
  readonly item: Extract<InboxItem, { readonly kind: "proposal" }>
}): ReactNode => {
  const { docId, dropped, note, path, proposalId } = item.data
  const reason = useScopeReason("kb:write")
  const toast = useToast()
  const proposal = useConsoleOperation<ProposedText>("getProposal", { id: proposalId })
  const approve = useConsoleChange("approveProposal", ["inbox", "listDocuments", "getDocument"])
  const reject = useConsoleChange("rejectProposal", ["inbox"])
  return (
    <div className="stack">
      <Head
        item={item}
        href={docId === null ? "/documents" : `/documents/${docId}`}
        open={text.open.document}
      />
      <p dir="auto">{text.proposal.text(path, docId === null)}</p>
      {note !== null && <p dir="auto">{note}</p>}
      {dropped > 0 && <p className="muted">{text.proposal.dropped(dropped)}</p>}
      <Loaded query={proposal}>
        {({ base, content }) => (
          <TextDiff
            testId="proposal-diff"
            before={base ?? ""}
            after={content}
            label={text.proposal.diff}
            same={text.proposal.same}
          />
        )}
      </Loaded>
      <Verbs
        reason={reason}
        busy={approve.isPending || reject.isPending}
        error={approve.error ?? reject.error}
        first={{
          label: text.proposal.approve,
          run: () =>
            approve.mutate({ id: proposalId }, { onSuccess: () => toast({ text: text.proposal.approved }) })
        }}
        second={{
          label: text.proposal.reject,
          run: () =>
            reject.mutate({ id: proposalId }, { onSuccess: () => toast({ text: text.proposal.rejected }) })
        }}
      />
    </div>
  )
}
