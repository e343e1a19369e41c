import type { ReactNode } from "react"
import type { InboxItem } from "../../../../server/console/inbox-model.js"
import { useMark } from "../../api/inbox.js"
import { useScopeReason } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { PersonSelect } from "../../components/person-picker.js"
import { useToast } from "../../components/toast.js"
import { inboxText } from "../../strings/inbox.js"
import { Verbs } from "./item-parts.js"

const text = inboxText.settle

/** Marks an item, with a way back. */
const useSettle = ({ id, kind }: InboxItem) => {
  const mark = useMark()
  const toast = useToast()
  return {
    mark,
    settle: (state: "done" | "rejected") =>
      mark.mutate(
        { kind, id, state },
        {
          onSuccess: () =>
            toast({
              text: state === "done" ? text.isDone : text.isRejected,
              undo: () => mark.mutateAsync({ kind, id, state: "open" }).then(() => undefined)
            })
        }
      )
  }
}

/** Done (a) and Reject (r), where an item has no act of its own. */
export const SettleVerbs = ({
  item,
  done = text.done,
  rejected
}: {
  readonly item: InboxItem
  readonly done?: string
  readonly rejected?: string
}): ReactNode => {
  const reason = useScopeReason("kb:write")
  const { mark, settle } = useSettle(item)
  return (
    <Verbs
      reason={reason}
      busy={mark.isPending}
      error={mark.error}
      first={{ label: done, run: () => settle("done") }}
      second={rejected === undefined ? undefined : { label: rejected, run: () => settle("rejected") }}
    />
  )
}

/** Whose item it is; and, beside the act of its own, Done and Reject. */
export const Assignment = ({
  item,
  hasMarks
}: {
  readonly item: InboxItem
  /** The item can be put aside; others end by a decision only. */
  readonly hasMarks: boolean
}): ReactNode => {
  const reason = useScopeReason("kb:write")
  const { mark, settle } = useSettle(item)
  if (reason !== undefined) return null
  return (
    <footer className="assignment">
      <div data-testid="inbox-assign">
        <PersonSelect
          label={text.assign}
          value={item.assignedTo ?? ""}
          nobody={text.nobody}
          onChange={(member) =>
            mark.mutate({ kind: item.kind, id: item.id, assignedTo: member === "" ? null : member })
          }
        />
      </div>
      {hasMarks && (
        <p className="button-row">
          <Button
            size="small"
            kind="quiet"
            data-testid="inbox-done"
            busy={mark.isPending}
            onClick={() => settle("done")}
          >
            {text.done}
          </Button>
          <Button
            size="small"
            kind="quiet"
            data-testid="inbox-reject"
            busy={mark.isPending}
            onClick={() => settle("rejected")}
          >
            {text.reject}
          </Button>
        </p>
      )}
      <ErrorNote error={mark.error} />
    </footer>
  )
}
