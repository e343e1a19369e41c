import * as Effect from "effect/Effect"
import { groupPrincipal, principalsOfUser, withView } from "../access/index.js"
import type { CallerShape, UserId } from "../kernel/index.js"
import type { ApiKey } from "./model.js"

/** Who acts: a member, or a key without one. */
interface Holder {
  readonly userId: UserId | null
  readonly key: ApiKey | null
}

/**
 * Returns the caller with what it may read now: a member and the owner of a user key what lists name of them and of
 * their groups, a workspace key what it was made for. The local user of the host, who has neither, reads everything.
 */
export const callerReading = Effect.fnUntraced(function* (caller: CallerShape, { key, userId }: Holder) {
  const member = userId ?? (key?.kind === "user" ? key.userId : null)
  if (member !== null)
    return yield* withView({ ...caller, principals: yield* principalsOfUser(caller.workspace, member) })
  if (key === null || key.access === "all") return caller
  return yield* withView({ ...caller, principals: key.access.map(groupPrincipal) })
})

/** Whether a caller still reads what it read when it was admitted; a stream asks again and again. */
export const stillReads = (caller: CallerShape, holder: Holder) =>
  Effect.map(callerReading(caller, holder), ({ view }) => view?.key === caller.view?.key)
