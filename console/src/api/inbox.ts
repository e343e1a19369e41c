import { type UseMutationResult, useMutation } from "@tanstack/react-query"
import type { InboxItem } from "../../../server/console/inbox-model.js"
import { callOwn } from "./connection.js"
import { useRefresh } from "./hooks.js"

interface Marking {
  readonly kind: InboxItem["kind"]
  readonly id: string
  readonly state?: "open" | "done" | "rejected"
  /** A member's id; null for nobody. */
  readonly assignedTo?: string | null
}

/** Says of an item of the inbox that it is done or rejected, takes that back, or gives it to a member. */
export const useMark = (): UseMutationResult<unknown, Error, Marking> => {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: Marking) => callOwn("inbox/marks", { method: "POST", body }),
    onSuccess: () => refresh(["inbox", "listDuplicates"])
  })
}
