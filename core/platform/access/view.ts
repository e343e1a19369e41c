import * as Effect from "effect/Effect"
import {
  type CallerShape,
  type ReaderView,
  serviceLayer,
  type UserId,
  Visibility,
  type WorkspaceScope
} from "../kernel/index.js"
import { groupPrincipal, userPrincipal } from "./model.js"
import { AccessStore, type ReaderList } from "./store.js"

/**
 * Returns the caller with the view that its principals have now. Every call of a caller with principals begins with it,
 * so a change of lists or of groups holds from the next call.
 */
export const withView = (caller: CallerShape): Effect.Effect<CallerShape, never, AccessStore> =>
  caller.principals === undefined
    ? Effect.succeed(caller)
    : Effect.map(
        Effect.flatMap(AccessStore, (store) => store.lists(caller.workspace)),
        ({ lists, revision }) => ({ ...caller, view: viewOf(lists, revision, caller.principals ?? []) })
      )

/** Returns the view of these principals; null when no list hides anything from them. Pure. */
const viewOf = (
  lists: ReadonlyArray<ReaderList>,
  revision: number,
  principals: ReadonlyArray<string>
): ReaderView | null => {
  const own = new Set(principals)
  const readable = lists.filter((list) => list.principals.some((principal) => own.has(principal)))
  if (readable.length === lists.length) return null
  return viewNaming(
    revision,
    readable.map(({ id }) => id)
  )
}

const viewNaming = (revision: number, lists: ReadonlyArray<string>): ReaderView => {
  const ids = [...lists].sort()
  return { key: `view:${revision}:${ids.join()}`, revision, lists: ids }
}

/** Returns the view of what both views show; null where both show everything. Pure. */
export const narrowerView = (one: ReaderView | null, other: ReaderView | null): ReaderView | null =>
  one === null || other === null
    ? (one ?? other)
    : viewNaming(
        Math.max(one.revision, other.revision),
        one.lists.filter((list) => other.lists.includes(list))
      )

/** Returns the principals of a member: the user and the groups of the user now. */
export const principalsOfUser = Effect.fnUntraced(function* (workspace: WorkspaceScope, user: UserId) {
  const groups = yield* (yield* AccessStore).groupsOf(workspace, user)
  return [userPrincipal(user), ...groups.map(groupPrincipal)]
})

/** Tells the kernel what is hidden from a caller. */
export const visibility = serviceLayer(
  Visibility,
  Effect.map(AccessStore, ({ hidden, names }) => ({ hidden, names }))
)
