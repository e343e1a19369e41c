import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect, it } from "vitest"
import { sqlIdentityStore } from "../../../../adapters/sql/platform/identity/identity-store.js"
import { unreadablePrincipals } from "../../../../adapters/sql/platform/identity/principal-inspection.js"
import { AuditLog } from "../../../../core/platform/audit/index.js"
import {
  addMember,
  createUser,
  IdentityStore,
  identityOperations,
  mintAsHost,
  removeMember,
  revokeAsHost
} from "../../../../core/platform/identity/index.js"
import { scopeOf, type WorkspaceId } from "../../../../core/platform/kernel/index.js"
import { postgresBase } from "../../../support/postgres.js"
import { asCaller, baseLayer, makeWorkspace, runEffect } from "../../../support/run.js"

/** Ways in which a row of a key can be broken, so that nothing reads it. */
const broken = [
  "scopes = '{broken'",
  `scopes = '["kb:fly"]'`,
  "kind = 'x'",
  "reaches_all = 7",
  "user_id = 'nobody'",
  "created_at = 'x'",
  "last_used_at = 'x'",
  "expires_at = 'x'",
  "revoked_at = 'x'",
  "replaced_by = 'x'"
] as const

describe.each([
  ["SQLite", () => Layer.provideMerge(sqlIdentityStore, baseLayer())],
  ["Postgres", () => Layer.provideMerge(sqlIdentityStore, postgresBase())]
] as const)("keys and members that cannot be read: %s", (_name, base) => {
  const run = <A, E>(work: Effect.Effect<A, E, Layer.Layer.Success<ReturnType<typeof base>>>) =>
    runEffect(Effect.scoped(Effect.provide(work, base())))
  const harm = (statement: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.orDie(sql.unsafe(statement)))
  const impossible = (workspace: WorkspaceId) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => unreadablePrincipals(sql)(scopeOf(workspace)))
  const seeded = Effect.gen(function* () {
    const workspace = yield* makeWorkspace()
    const inside = asCaller(workspace)
    const owner = { kind: "workspace", workspace } as const
    const mint = (name: string) =>
      Effect.map(
        inside(mintAsHost({ name, scopes: ["workspace:admin"], expiresAt: null, owner })),
        ({ key }) => key
      )
    return { workspace, inside, mint }
  })

  it.each(broken)("a key is revoked by its workspace, and by the host: %s", (change) =>
    run(
      Effect.gen(function* () {
        const [{ inside, mint, workspace }, { inside: elsewhere }] = [yield* seeded, yield* seeded]
        const [store, log] = [yield* IdentityStore, yield* AuditLog]
        yield* mint("stays")
        const { run: revokeKey } = identityOperations.revokeKey
        for (const end of [(id) => revokeKey({ id }), revokeAsHost] satisfies Array<typeof revokeAsHost>) {
          const { id } = yield* mint("broken")
          yield* harm(`update api_key set ${change} where id = '${id}'`)
          expect(yield* impossible(workspace)).not.toEqual([])
          expect((yield* Effect.flip(elsewhere(revokeKey({ id }))))._tag).toBe("NotFound")
          expect(yield* inside(end(id))).toEqual({ deleted: true, id })
          expect(yield* impossible(workspace)).toEqual([])
          const kept = (yield* store.keysOf(scopeOf(workspace))).find((key) => key.id === id)
          expect(kept).toMatchObject({ name: "broken", grant: [workspace] })
          const told = yield* log.ofSubject(scopeOf(workspace), id, 10)
          expect(told.map(({ action, details }) => [action, details["revokedAt"]])).toEqual([
            ["key.revoke", kept?.revokedAt],
            ["key.mint", undefined]
          ])
          expect(yield* inside(end(id))).toEqual({ deleted: true, id })
          expect(yield* log.ofSubject(scopeOf(workspace), id, 10)).toHaveLength(2)
        }
      })
    )
  )

  it("a broken key that reaches all workspaces can be revoked by the host", () =>
    run(
      Effect.gen(function* () {
        const { inside } = yield* seeded
        const user = yield* inside(createUser("Ada"))
        const owner = { kind: "user", user: user.id, grant: "all" } as const
        const wish = { name: "broken", scopes: ["kb:read"], expiresAt: null, owner } as const
        const { key } = yield* inside(mintAsHost(wish))
        yield* harm(`update api_key set scopes = '{broken', kind = 'x' where id = '${key.id}'`)
        const { run: revokeKey } = identityOperations.revokeKey
        expect((yield* Effect.flip(inside(revokeKey({ id: key.id }))))._tag).toBe("NotFound")
        yield* inside(revokeAsHost(key.id))
        const held = Option.getOrNull(yield* (yield* IdentityStore).keyRemains(key.id))
        expect(held?.key).toMatchObject({ kind: "user", grant: "all", userId: user.id, scopes: [] })
        expect(held?.key.revokedAt).not.toBeNull()
      })
    ))

  it.each(["membership set role = 'x'", "membership set created_at = 'x'", "host_user set created_at = 'x'"])(
    "a member is removed: %s",
    (change) =>
      run(
        Effect.gen(function* () {
          const { inside, workspace } = yield* seeded
          const store = yield* IdentityStore
          const { id } = yield* inside(createUser("Ada"))
          yield* inside(addMember(id, "admin"))
          yield* harm(`update ${change} where ${change.startsWith("host") ? "id" : "user_id"} = '${id}'`)
          expect(yield* impossible(workspace)).toHaveLength(1)
          yield* inside(removeMember(id))
          expect(yield* store.role(workspace, id)).toEqual(Option.none())
          expect(yield* impossible(workspace)).toEqual([])
        })
      )
  )
})
