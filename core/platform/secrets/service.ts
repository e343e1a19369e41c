import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import {
  atomically,
  Ids,
  now,
  type SecretId,
  SecretsUnavailable,
  scopeOf,
  traced,
  type WorkspaceScope
} from "../kernel/index.js"
import { WorkspaceStore } from "../workspace/index.js"
import { Sealer } from "./store.js"

/** Returns the place that a seal is bound to; a seal copied to another workspace does not open. */
const placeOf = (workspace: WorkspaceScope, id: SecretId): string => `${workspace}/${id}`

/** Seals and stores a credential in the caller's unit of work; returns the id that settings refer to. */
export const keepSecret = traced("secrets.keep")(function* (workspace: WorkspaceScope, plain: string) {
  const id = (yield* Ids).make("secret")
  const sealed = yield* (yield* Sealer).seal(Redacted.make(plain), placeOf(workspace, id))
  yield* (yield* WorkspaceStore).secrets.insert(workspace, { id, sealed }, yield* now)
  return id
})

/** Returns the decrypted credential of this id. */
export const openSecret = traced("secrets.open")(function* (workspace: WorkspaceScope, id: SecretId) {
  const found = yield* (yield* WorkspaceStore).secrets.find(workspace, id)
  if (Option.isNone(found))
    return yield* new SecretsUnavailable({ message: "The credential is missing: set it again." })
  return yield* (yield* Sealer).open(found.value, placeOf(workspace, id))
})

/** Replaces a stored credential under its id; false, and nothing done, where another writer was first. */
export const replaceSecret = traced("secrets.replace")(function* (
  workspace: WorkspaceScope,
  id: SecretId,
  plain: string
) {
  const [sealer, store] = [yield* Sealer, (yield* WorkspaceStore).secrets]
  const before = yield* store.find(workspace, id)
  if (Option.isNone(before)) return false
  const sealed = yield* sealer.seal(Redacted.make(plain), placeOf(workspace, id))
  return yield* atomically(store.reseal(workspace, { id, sealed }, before.value))
})

/** Result of sealing all credentials again. */
export interface Resealed {
  readonly secrets: number
  /** Number of credentials that another key had sealed. */
  readonly resealed: number
}

/** Seals every credential of every workspace with the current key. Idempotent and safe to interrupt. */
export const resealSecrets = traced("secrets.reseal")(function* () {
  const [sealer, store] = [yield* Sealer, (yield* WorkspaceStore).secrets]
  const workspaces = yield* (yield* WorkspaceStore).list
  const done = yield* Effect.forEach(workspaces, (workspace) => {
    const scope = scopeOf(workspace.id)
    return Effect.flatMap(store.list(scope), (held) =>
      Effect.forEach(held, ({ id, sealed }) =>
        Effect.gen(function* () {
          if (yield* sealer.isCurrent(sealed)) return false
          const plain = yield* sealer.open(sealed, placeOf(scope, id))
          const anew = yield* sealer.seal(plain, placeOf(scope, id))
          return yield* atomically(store.reseal(scope, { id, sealed: anew }, sealed))
        })
      )
    )
  })
  const all = done.flat()
  return { secrets: all.length, resealed: all.filter(Boolean).length } satisfies Resealed
})

/** Returns every seal of every workspace at one moment without concurrent writes of secrets. */
export const sealsInUse = traced("secrets.seals")(function* () {
  const [store, workspaces] = [(yield* WorkspaceStore).secrets, yield* WorkspaceStore]
  return yield* atomically(
    Effect.gen(function* () {
      const secretsByWorkspace = yield* Effect.forEach(yield* workspaces.list, ({ id }) =>
        store.list(scopeOf(id))
      )
      return secretsByWorkspace.flat().map(({ sealed }) => sealed)
    })
  )
})
