import { SqlClient } from "@effect/sql/SqlClient"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { postgresStorage } from "../../adapters/postgres/storage.js"
import { sqlCalibrationStore } from "../../adapters/sql/calibration/calibration-store.js"
import { sqlIdentityStore } from "../../adapters/sql/identity/identity-store.js"
import { sqliteStorage } from "../../adapters/sqlite/storage.js"
import { CalibrationStore } from "../../core/calibration/index.js"
import { shippedCalibration } from "../../core/calibration/shipped.js"
import { IdentityStore } from "../../core/identity/index.js"
import { Ids, isFault, Storage } from "../../core/kernel/index.js"
import { UsageStore } from "../../core/models/index.js"
import { SecretStore } from "../../core/secrets/index.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { runEffect } from "./contract-tests.js"
import { putHolders } from "./seeds.js"
import { lawsAt, makeWorkspace } from "./workspace.js"

const month = "2026-01"

/** A workspace with two of everything, and what reads all of it. */
const seeded = Effect.gen(function* () {
  const [identity, secrets, usage, calibrations, ids, scope] = [
    yield* IdentityStore,
    yield* SecretStore,
    yield* UsageStore,
    yield* CalibrationStore,
    yield* Ids,
    yield* makeWorkspace
  ]
  for (const name of ["Ada", "Bo"]) {
    yield* putHolders(scope, name, { lastUsedAt: lawsAt, expiresAt: "2027-01-01T00:00:00.000Z" })
    yield* secrets.insert(scope, { id: ids.make("secret"), sealed: `sealed ${name}` }, lawsAt)
  }
  yield* usage.add(scope, month, { inputTokens: 3, outputTokens: 4, costUsd: "0.5" })
  const { artefact, version } = shippedCalibration
  yield* calibrations.add(scope, [
    { active: true, artefact, version, createdBy: "local", createdAt: lawsAt },
    { active: false, artefact, version: "0123456789abcdef", createdBy: "local", createdAt: lawsAt }
  ])
  const page = { limit: 10, offset: 0 }
  const reads: ReadonlyArray<Effect.Effect<unknown>> = [
    identity.keysOf(scope),
    identity.allKeys,
    identity.keyByHash("hash of Ada"),
    identity.users,
    identity.members(scope, page),
    secrets.list(scope),
    usage.of(scope, month),
    calibrations.active(scope)
  ]
  return { scope, reads }
})

/** Values that no column of its kind holds, and some that it might; which of them, each database has its say. */
const values = ["null", "''", "'x'", "'{'", "'5'", "'[null]'", "0", "-1", "7", "99999999999999999", "x'00ff'"]

const columns = {
  host_user: ["id", "display_name", "created_at"],
  membership: ["user_id", "role", "created_at"],
  api_key: [
    "id",
    "hash",
    "kind",
    "name",
    "scopes",
    "reaches_all",
    "user_id",
    "created_at",
    "created_by",
    "last_used_at",
    "expires_at",
    "revoked_at",
    "replaced_by"
  ],
  key_grant: ["key_id"],
  secret: ["id", "sealed", "created_at"],
  model_usage: ["month", "input_tokens", "output_tokens", "cost_usd_1e10"],
  calibration: ["version", "artefact", "created_by", "created_at", "active"]
} as const

const statements = Object.entries(columns).flatMap(([table, names]) => [
  [table, `delete from ${table}`] as const,
  ...names.flatMap((name) => {
    const one = `${name} = (select min(${name}) from ${table})`
    return [
      ...values.map((value) => [table, `update ${table} set ${name} = ${value} where ${one}`] as const),
      [table, `update ${table} set ${name} = (select max(${name}) from ${table}) where ${one}`] as const
    ]
  })
])

/** Columns of which only some values can be told from right ones. */
const anyText =
  /set (hash|display_name|name|created_by|sealed) =|set expires_at = null|set last_used_at = null/

describe.each([
  ["SQLite", () => Layer.provideMerge(sqliteStorage, baseLayer())],
  ["Postgres", () => Layer.provideMerge(postgresStorage, postgresBase())]
] as const)("damaged keys, members, credentials, use and calibrations: %s", (_name, base) => {
  it("are told by a code, never by an error inside, and by the doctor wherever somebody trips over them", () =>
    runEffect(
      Effect.scoped(
        Effect.provide(
          Effect.gen(function* () {
            const [sql, storage] = [yield* SqlClient, yield* Storage]
            const { reads, scope } = yield* seeded
            let [done, refused] = [0, 0]
            for (const [table, statement] of statements) {
              yield* sql`savepoint harmless`
              const harmed = yield* Effect.exit(sql.unsafe(statement))
              if (Exit.isSuccess(harmed)) {
                done += 1
                const exits = yield* Effect.forEach(reads, (read) => Effect.exit(read))
                const faults = exits.flatMap((exit) =>
                  Exit.isSuccess(exit) ? [] : [Cause.squash(exit.cause)]
                )
                for (const fault of faults)
                  expect(isFault(fault) ? fault._tag : String(fault), statement).toBe("DataUnreadable")
                const told = yield* storage.impossibleHolders(scope)
                if (faults.length > 0) {
                  refused += 1
                  const known = [...told, ...(yield* storage.unreadable(scope))].map(({ subject }) => subject)
                  // A user of no workspace, and a key that reaches none, are nobody's to tell; calibrations are records.
                  const isOwn = !["host_user", "api_key", "calibration"].includes(table)
                  if (isOwn) expect(known, statement).not.toEqual([])
                }
                expect(
                  told.length === 0 || !anyText.test(statement) || statement.includes(" = x'"),
                  statement
                ).toBe(true)
              }
              yield* sql`rollback to harmless`
            }
            expect(done).toBeGreaterThan(150)
            expect(refused).toBeGreaterThan(50)
            expect(yield* storage.impossibleHolders(scope)).toEqual([])
          }).pipe((work) => Effect.flatMap(SqlClient, (sql) => sql.withTransaction(work))),
          Layer.provideMerge(Layer.mergeAll(sqlIdentityStore, sqlCalibrationStore), base())
        )
      )
    ))
})
