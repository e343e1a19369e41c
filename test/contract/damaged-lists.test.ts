import { SqlClient } from "@effect/sql/SqlClient"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { describe, expect, it } from "vitest"
import { sqlDocumentStore } from "../../adapters/sql/files/documents/document-store.js"
import { sqlEntityStore } from "../../adapters/sql/knowledge/entities/entity-store.js"
import { sqlIdentityStore } from "../../adapters/sql/platform/identity/identity-store.js"
import { sqlOverviewStore } from "../../adapters/sql/upkeep/overview/overview-store.js"
import { PolicyStore } from "../../core/answers/policy/index.js"
import { DocumentStore } from "../../core/files/documents/index.js"
import { EntityStore, type StoredRequest } from "../../core/knowledge/entities/index.js"
import { IdentityStore } from "../../core/platform/identity/index.js"
import { Ids, isFault } from "../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { OverviewStore } from "../../core/upkeep/overview/index.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { runEffect } from "./contract-tests.js"
import { decisionAt } from "./decision-log.js"
import { document } from "./document-store-world.js"
import { putEntity, putHolders } from "./seeds.js"
import { lawsAt, makeWorkspace } from "./workspace.js"

const page = { limit: 10, offset: 0 }

/** Three of everything that is listed, and how each list is read. */
const seeded = Effect.gen(function* () {
  const [requests, entities, documents, decisions, identity, overview, workspaces, ids, scope] = [
    (yield* EntityStore).requests,
    yield* EntityStore,
    yield* DocumentStore,
    (yield* PolicyStore).decisions,
    yield* IdentityStore,
    yield* OverviewStore,
    yield* WorkspaceStore,
    yield* Ids,
    yield* makeWorkspace
  ]
  const made: Array<{ entity: string; request: string; decision: string; key: string; user: string }> = []
  for (const name of ["Ada", "Bo", "Cy"]) {
    yield* makeWorkspace
    const entity = yield* putEntity(scope, name, { stewardIds: ["ann"] })
    const request: StoredRequest = {
      id: ids.make("changeRequest"),
      status: "open",
      kind: "update",
      entityId: entity.id,
      payload: { description: name },
      note: null,
      reviewNote: null,
      proposedBy: "ann",
      reviewedBy: null,
      appliedEntityId: null,
      createdAt: lawsAt,
      reviewedAt: null
    }
    yield* requests.add(scope, [request])
    yield* documents.save(scope, [{ before: null, after: yield* document(`${name}.md`) }])
    const decision = yield* decisionAt(lawsAt)
    yield* decisions.add(scope, [decision])
    const { key, user } = yield* putHolders(scope, name)
    made.push({
      entity: entity.id,
      request: request.id,
      decision: decision.id,
      key: key.id,
      user: user.id
    })
  }
  const lists = {
    requests: Effect.map(requests.list(scope, undefined), (items) => items.length),
    entities: Effect.map(entities.list(scope, page, {}), ({ items }) => items.length),
    documents: Effect.map(documents.list(scope, page, {}), ({ items }) => items.length),
    decisions: Effect.map(decisions.list(scope, {}, page), ({ items }) => items.length),
    keys: Effect.map(identity.keysOf(scope), (items) => items.length),
    allKeys: Effect.map(identity.allKeys, (items) => items.length),
    users: Effect.map(identity.users, (items) => items.length),
    members: Effect.map(identity.members(scope, page), ({ items }) => items.length),
    stewardship: Effect.map(overview.stewardship(scope, ["ann"], lawsAt), ([one]) => one?.stewarded ?? -1),
    workspaces: Effect.map(workspaces.readable, (items) => items.length)
  }
  return { scope, made, lists }
})

type Lists = Effect.Effect.Success<typeof seeded>["lists"]

/** Damage to rows, and the lists that lack an item afterwards. */
const harms: ReadonlyArray<readonly [statement: string, short: ReadonlyArray<keyof Lists>]> = [
  ["update change_request set payload = '{' where id = (select max(id) from change_request)", ["requests"]],
  ["update change_request set payload = '[]' where id = (select max(id) from change_request)", ["requests"]],
  [
    `update change_request set payload = '{"colour":1}' where id = (select min(id) from change_request)`,
    ["requests"]
  ],
  ["update change_request set status = 'x' where id = (select min(id) from change_request)", ["requests"]],
  ["update entity set steward_ids = '{' where id = (select max(id) from entity)", ["stewardship"]],
  ["update entity set merged_ids = '{' where id = (select max(id) from entity)", []],
  ["update document set front_matter = '{' where id = (select max(id) from document)", []],
  ["update policy_decision set detail = '{' where id = (select max(id) from policy_decision)", ["decisions"]],
  [
    "update policy_decision set detail = '{}' where id = (select min(id) from policy_decision)",
    ["decisions"]
  ],
  ["update api_key set scopes = '{' where id = (select max(id) from api_key)", ["keys", "allKeys"]],
  ["update api_key set created_at = 'x' where id = (select max(id) from api_key)", ["keys", "allKeys"]],
  ["update membership set role = 'x' where user_id = (select max(user_id) from membership)", ["members"]],
  ["update host_user set created_at = 'x' where id = (select max(id) from host_user)", ["users", "members"]],
  ["update workspace set settings = '{' where id = (select max(id) from workspace)", ["workspaces"]]
]

const stores = Layer.mergeAll(sqlDocumentStore, sqlEntityStore, sqlIdentityStore, sqlOverviewStore)

describe.each([
  ["SQLite", () => baseLayer()],
  ["Postgres", () => postgresBase()]
] as const)("one row that cannot be read: %s", (_name, base) => {
  const told: Array<string> = []
  const logger = Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message }) => told.push(String(message)))
  )
  const rolledBack = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`savepoint harmless`
      yield* work
      yield* sql`rollback to harmless`
    })
  const run = <A, E>(
    work: Effect.Effect<
      A,
      E,
      Layer.Layer.Success<ReturnType<typeof base>> | Layer.Layer.Success<typeof stores>
    >
  ) =>
    runEffect(
      Effect.scoped(
        Effect.provide(
          Effect.flatMap(SqlClient, (sql) => sql.withTransaction(work)),
          Layer.mergeAll(Layer.provideMerge(stores, base()), logger)
        )
      )
    )

  it("is left out of the list, which nobody else loses, and a line of the log tells so", () =>
    run(
      Effect.gen(function* () {
        const [sql, { lists }] = [yield* SqlClient, yield* seeded]
        const whole = yield* Effect.all(lists)
        expect(new Set(Object.values(whole))).toEqual(new Set([3, 4]))
        for (const [statement, short] of harms)
          yield* rolledBack(
            Effect.gen(function* () {
              yield* sql.unsafe(statement)
              told.length = 0
              const now = yield* Effect.all(lists)
              const expected = Object.fromEntries(
                Object.entries(whole).map(([list, count]) => [
                  list,
                  count - (short.some((one) => one === list) ? 1 : 0)
                ])
              )
              expect(now, statement).toEqual(expected)
              const logged = short.filter((list) => list !== "stewardship")
              expect(told, statement).toHaveLength(logged.length)
              for (const line of told)
                expect(line).toMatch(/^1 of [34] [a-z ]+ cannot be read and is left out of a list/)
            })
          )
      })
    ))

  it("keeps its place in pages, so that the others come once each", () =>
    run(
      Effect.gen(function* () {
        const [sql, { scope }, log, identity] = [
          yield* SqlClient,
          yield* seeded,
          (yield* PolicyStore).decisions,
          yield* IdentityStore
        ]
        const [middle] = yield* sql<{
          id: string
        }>`select id from policy_decision order by id limit 1 offset 1`
        yield* sql`update policy_decision set detail = '{' where id = ${middle?.id ?? ""}`
        yield* sql`update membership set role = 'x'
          where user_id = (select id from host_user where display_name = 'Bo')`
        for (const limit of [1, 2, 3]) {
          const [decided, people]: [Array<string>, Array<string>] = [[], []]
          for (let offset = 0; offset < 3; offset += limit) {
            const decisions = yield* log.list(scope, {}, { limit, offset })
            const members = yield* identity.members(scope, { limit, offset })
            expect([decisions.total, members.total]).toEqual([3, 3])
            decided.push(...decisions.items.map(({ id }) => id))
            people.push(...members.items.map(({ user }) => user.displayName))
          }
          expect(new Set(decided).size).toBe(2)
          expect(decided).toHaveLength(2)
          expect(people).toEqual(["Ada", "Cy"])
        }
      })
    ))

  it("is told of by its code to whoever asks for it alone", () =>
    run(
      Effect.gen(function* () {
        const [sql, { made, scope }] = [yield* SqlClient, yield* seeded]
        const [requests, log, identity] = [
          (yield* EntityStore).requests,
          (yield* PolicyStore).decisions,
          yield* IdentityStore
        ]
        yield* sql`update change_request set payload = '{"colour":1}'`
        yield* sql`update policy_decision set detail = '{}'`
        yield* sql`update api_key set scopes = '{'`
        const [one] = made
        const asked = [
          requests.find(scope, one?.request as StoredRequest["id"]),
          log.find(scope, one?.decision as never),
          identity.key(one?.key as never)
        ]
        for (const ask of asked) {
          const exit = yield* Effect.exit(ask as Effect.Effect<unknown>)
          const fault = Exit.isFailure(exit) ? Cause.squash(exit.cause) : null
          expect(isFault(fault) ? fault._tag : fault).toBe("DataUnreadable")
        }
      })
    ))
})
