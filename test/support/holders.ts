import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { hostKeySecrets } from "../../adapters/host/key-secrets.js"
import { sqlIdentityStore } from "../../adapters/sql/identity/identity-store.js"
import {
  addMember,
  checkHolders,
  checkLostHolders,
  createUser,
  type IdentityStore,
  mintAsHost,
  removeMember,
  revokeAsHost,
  rotateAsHost
} from "../../core/identity/index.js"
import type { KeySecrets } from "../../core/identity/store.js"
import type { Symptom } from "../../core/kernel/index.js"
import { postgresBase } from "./postgres.js"
import { asCaller, baseLayer, makeWorkspace, runEffect } from "./run.js"
/** What an examination tells, by code and subject. */
export const examined = (repair: boolean, trailHolds = true) =>
  Effect.gen(function* () {
    const told: Array<string> = []
    const examiner = {
      repair,
      tell: (code: string, { message, subject }: Symptom) =>
        Effect.sync(() => void told.push(`${code} ${subject}: ${message}`)),
      progress: () => Effect.void
    }
    yield* checkHolders(examiner, { trailHolds })
    if (trailHolds) yield* checkLostHolders(examiner)
    return told
  })

/** Everything that people and keys are, without when a key was last used. */
export const holders = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    keys: yield* sql`select * from api_key order by id`,
    grants: yield* sql`select * from key_grant order by key_id, workspace_id`,
    members: yield* sql`select * from membership order by workspace_id, user_id`
  }
})

/** A workspace with keys and members of every kind. */
export const seeded = Effect.gen(function* () {
  const workspace = yield* makeWorkspace()
  const inside = asCaller(workspace)
  const owner = { kind: "workspace", workspace } as const
  const wish = { name: "reader", scopes: ["kb:read", "data:read"], expiresAt: null, owner } as const
  const plain = yield* inside(mintAsHost(wish))
  const ending = yield* inside(mintAsHost({ ...wish, expiresAt: "2099-01-01T00:00:00.000Z" }))
  const revoked = yield* inside(mintAsHost({ ...wish, name: "revoked" }))
  yield* inside(revokeAsHost(revoked.key.id))
  const rotated = yield* inside(mintAsHost({ ...wish, name: "rotated" }))
  const next = yield* inside(rotateAsHost(rotated.key.id, 60))
  const ada = yield* inside(createUser("Ada"))
  const bo = yield* inside(createUser("Bo"))
  yield* inside(addMember(ada.id, "admin"))
  yield* inside(addMember(ada.id, "member"))
  yield* inside(addMember(bo.id, "member"))
  yield* inside(removeMember(bo.id))
  const personal = yield* inside(
    mintAsHost({ ...wish, owner: { kind: "user", user: ada.id, grant: [workspace] } })
  )
  return { workspace, inside, plain, ending, revoked, rotated, next, ada, bo, personal }
})

export type Seeded = Effect.Effect.Success<typeof seeded>

type Base = ReturnType<typeof baseLayer>

/** Either database, over which the stores of keys and members are asked. */
export const onEither = [
  ["SQLite", () => baseLayer()],
  ["Postgres", () => postgresBase()]
] as const

/** Runs work on keys and members over a database of its own. */
export const runHolders =
  (base: () => Base | ReturnType<typeof postgresBase>) =>
  <A, E>(work: Effect.Effect<A, E, Layer.Layer.Success<Base> | IdentityStore | KeySecrets>) =>
    runEffect(
      Effect.scoped(
        Effect.provide(work, Layer.provideMerge(Layer.merge(sqlIdentityStore, hostKeySecrets), base()))
      )
    )

/** Runs a statement behind everybody's back; `$1` and so on stand in the order of their numbers. */
export const harm = (statement: string, values: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const text = sql.onDialectOrElse({
      sqlite: () => statement.replace(/\$\d/g, "?"),
      orElse: () => statement
    })
    return sql.unsafe(text, [...values])
  })
