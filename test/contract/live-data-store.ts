import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import {
  type DataCall,
  type DataQuery,
  LiveDataStore,
  type StoredConnector
} from "../../core/connected/livedata/index.js"
import { type Atomic, atomically, Ids } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { lawsAt, makeWorkspace } from "./workspace.js"

const later = "2026-02-01T00:00:00.000Z"

const connector = (name: string) =>
  Effect.map(
    Ids,
    ({ make }): StoredConnector => ({
      id: make("dataConnector"),
      name,
      kind: "postgres",
      enabled: true,
      settings: { host: "db.example", database: "größe", user: "reader", relations: ["a"] },
      limits: { rowCap: 5 },
      secret: make("secret"),
      createdAt: lawsAt,
      updatedAt: lawsAt
    })
  )

const query = (slug: string) =>
  Effect.map(
    Ids,
    ({ make }): DataQuery => ({
      id: make("dataQuery"),
      slug,
      title: "Größe 'é' 東京",
      description: "",
      connectorId: make("dataConnector"),
      enabled: true,
      params: [{ name: "p", type: "enum", enum: ["a"], default: "a" }],
      sql: "select :p",
      bindings: [{ entityType: "city", paramMap: { p: "attribute:k" } }],
      archived: false,
      columns: [{ name: "p", type: "text", table: null, column: null }],
      revision: 1,
      createdAt: lawsAt,
      updatedAt: lawsAt
    })
  )

const callOf = ({ connectorId, id: queryId, slug }: DataQuery, executedAt: string) =>
  Effect.map(
    Ids,
    ({ make }): DataCall => ({
      id: make("dataCall"),
      queryId,
      slug,
      queryRevision: 1,
      connectorId,
      params: { p: "é" },
      outcome: "ok",
      error: null,
      rowCount: 1,
      truncated: false,
      durationMs: 3,
      executedAt,
      resultDigest: "0".repeat(64),
      answerId: null,
      runId: null,
      activity: "api",
      calledBy: "key"
    })
  )

/** The contract of the stores of live data. `layer` gives empty stores each time. */
export const liveDataStoreContract = <E>(
  name: string,
  layer: () => Layer.Layer<LiveDataStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  describe(`LiveDataStore: ${name}`, () => {
    const law = contractTestsFor(layer)

    law(
      "keep connectors as they were given, one of a name without regard to case, and none of another workspace",
      function* () {
        const [store, scope, other] = [
          (yield* LiveDataStore).connectors,
          yield* makeWorkspace,
          yield* makeWorkspace
        ]
        const [one, two] = [yield* connector("Shop"), yield* connector("Öl")]
        expect(yield* store.insert(scope, one)).toBe(true)
        expect(yield* store.insert(scope, two)).toBe(true)
        expect(yield* store.insert(scope, yield* connector("SHOP"))).toBe(false)
        expect(yield* store.insert(other, yield* connector("Shop"))).toBe(true)
        expect(yield* store.list(scope)).toEqual([one, two])
        expect(yield* store.find(scope, one.id)).toEqual(Option.some(one))
        expect(yield* store.find(other, one.id)).toEqual(Option.none())
        expect(yield* store.named(scope, "sHop")).toEqual(Option.some(one.id))
        const changed = { ...one, name: "Store", enabled: false, secret: null, updatedAt: later }
        expect(yield* store.replace(scope, { ...changed, name: "öl" }, lawsAt)).toBe("name_taken")
        expect(yield* store.replace(other, changed, lawsAt)).toBe("changed")
        expect(yield* store.replace(scope, changed, lawsAt)).toBe("done")
        expect(yield* store.replace(scope, changed, lawsAt)).toBe("changed")
        expect(yield* store.find(scope, one.id)).toEqual(Option.some(changed))
        expect(yield* store.remove(other, one.id, later)).toBe(false)
        expect(yield* store.remove(scope, one.id, later)).toBe(true)
        expect(yield* store.remove(scope, one.id, later)).toBe(false)
        expect(yield* store.list(scope)).toEqual([two])
        expect(yield* store.insert(scope, yield* connector("store"))).toBe(true)
      }
    )

    law("keep each revision of a query, and let one of many writers of a revision win", function* () {
      const [store, scope, other] = [
        (yield* LiveDataStore).queries,
        yield* makeWorkspace,
        yield* makeWorkspace
      ]
      const first = yield* query("first")
      const put = (one: DataQuery) =>
        atomically(store.put(scope, { query: one, activity: "api", changedBy: "key" }))
      expect(yield* put(first)).toBe(true)
      expect(yield* put(yield* query("first"))).toBe(false)
      const wins = yield* Effect.forEach(
        ["a", "b", "c", "d"],
        (title) => put({ ...first, title, revision: 2, updatedAt: later }),
        { concurrency: 4 }
      )
      expect(wins.filter(Boolean)).toHaveLength(1)
      const found = Option.getOrThrow(yield* store.find(scope, "first"))
      expect(yield* store.find(scope, first.id)).toEqual(Option.some(found))
      expect(found.revision).toBe(2)
      expect(yield* store.find(other, first.id)).toEqual(Option.none())
      expect(yield* store.revisions(scope, first.id)).toEqual([
        { query: found, activity: "api", changedBy: "key" },
        { query: first, activity: "api", changedBy: "key" }
      ])
      expect(yield* store.revisions(other, first.id)).toEqual([])
      const second = yield* query("another")
      yield* put(second)
      expect(yield* store.list(scope)).toEqual([second, found])
      expect(yield* store.list(other)).toEqual([])
    })

    law("keep calls, note their answer, and forget rows that are old, so many and no more", function* () {
      const [store, scope, other] = [(yield* LiveDataStore).calls, yield* makeWorkspace, yield* makeWorkspace]
      const of = yield* query("q")
      const rows = { columns: ["p"], rows: [{ p: "é" }, { p: null }] }
      const [old, older, young] = [
        yield* callOf(of, lawsAt),
        yield* callOf(of, lawsAt),
        yield* callOf(of, later)
      ]
      for (const one of [old, older, young]) yield* store.add(scope, one, rows)
      const refused = {
        ...(yield* callOf(yield* query("r"), lawsAt)),
        outcome: "refused",
        error: "no"
      } as const
      yield* store.add(scope, refused, null)
      expect(yield* store.find(scope, young.id)).toEqual(Option.some({ call: young, rows }))
      expect(yield* store.find(scope, refused.id)).toEqual(Option.some({ call: refused, rows: null }))
      expect(yield* store.find(other, young.id)).toEqual(Option.none())
      expect(yield* store.list(scope, { queryId: undefined, limit: 2 })).toEqual([refused, young])
      expect(yield* store.list(scope, { queryId: of.id, limit: 9 })).toEqual([young, older, old])
      expect(yield* store.list(other, { queryId: undefined, limit: 9 })).toEqual([])
      yield* store.link(scope, [young.id], "ans_1")
      yield* store.link(other, [old.id], "ans_2")
      expect(Option.getOrThrow(yield* store.find(scope, young.id)).call.answerId).toBe("ans_1")
      expect(Option.getOrThrow(yield* store.find(scope, old.id)).call.answerId).toBe(null)
      expect(yield* store.pruneRows(other, later, 9)).toBe(0)
      expect(yield* store.pruneRows(scope, later, 1)).toBe(1)
      expect(yield* store.pruneRows(scope, later, 9)).toBe(1)
      expect(yield* store.pruneRows(scope, later, 9)).toBe(0)
      expect(Option.getOrThrow(yield* store.find(scope, old.id)).rows).toBe(null)
      expect(Option.getOrThrow(yield* store.find(scope, young.id)).rows).toEqual(rows)
    })
  })
}
