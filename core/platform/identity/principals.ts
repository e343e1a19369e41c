import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { groupPrincipal, narrowerView, principalsOfUser, withView } from "../access/index.js"
import { type CallerShape, InsufficientScope, NotFound, type UserId } from "../kernel/index.js"
import type { ApiKey } from "./model.js"
import { rightsOfMember } from "./rights.js"

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

/**
 * Returns an administrator who sees the workspace as a member sees it now. It only narrows: a document that the
 * administrator may not read stays hidden, and so does a scope that the administrator does not have; what belongs to a
 * person alone is still that of the administrator. NotFound where the person is no member.
 */
export const callerSeeingAs = Effect.fnUntraced(function* (caller: CallerShape, member: UserId) {
  const own = caller.scopes ?? []
  if (!own.includes("workspace:admin")) return yield* new InsufficientScope({ wanted: ["workspace:admin"] })
  const rights = yield* rightsOfMember(caller.workspace, member)
  if (Option.isNone(rights)) return yield* new NotFound({ what: "member" })
  const theirs = yield* principalsOfUser(caller.workspace, member)
  const seen = yield* withView({ ...caller, principals: theirs })
  const seeing: CallerShape = {
    ...seen,
    scopes: rights.value.filter((scope) => own.includes(scope)),
    principals: theirs.filter((one) => caller.principals?.includes(one) ?? true),
    view: narrowerView(seen.view ?? null, caller.view ?? null)
  }
  return seeing
})
