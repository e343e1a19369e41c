import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import { type Atomic, atomically, Ids } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import {
  EvalStore,
  type RunTopic,
  type StoredEval,
  type StoredJudgment
} from "../../core/work/evaluation/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { lawsAt, makeWorkspace } from "./workspace.js"

const judgment = (change: Partial<StoredJudgment> = {}) =>
  Effect.map(
    Ids,
    ({ make }): StoredJudgment => ({
      id: make("judgment"),
      set: "Größe 'é' 🎉",
      queryId: "q1",
      query: "Where, 東京 \u2028?",
      docId: make("document"),
      chunkId: null,
      quote: "a quote",
      grade: 2,
      expectAbstain: false,
      answers: ["one", "two"],
      judge: "ann",
      note: null,
      createdAt: lawsAt,
      updatedAt: lawsAt,
      ...change
    })
  )

const run = Effect.map(
  Ids,
  ({ make }): StoredEval => ({
    id: make("evalRun"),
    name: "a run",
    suite: "retrieval",
    set: "a set",
    status: "queued",
    configDigest: "digest",
    metrics: null,
    createdAt: lawsAt,
    startedAt: null,
    finishedAt: null,
    options: { depth: 100, rerank: false },
    seed: 1,
    calibrate: false,
    topics: 2,
    versions: { chat: "x", embedder: null },
    corpusFingerprint: null,
    corpusChanged: false,
    calibrationVersion: null,
    judgeCorrections: [],
    warnings: [],
    error: null,
    createdBy: "ann",
    jobId: null
  })
)

const topic = (place: number): RunTopic => ({
  place,
  topic: { queryId: `q${place}`, query: "Which?", judgments: [], answers: [], expectAbstain: false },
  result: null,
  detail: null
})

const page = { limit: 10, offset: 0 }

/** The contract of `EvalStore` and its judgments. `layer` gives an empty store each time. */
export const evalStoreContract = <E>(
  name: string,
  layer: () => Layer.Layer<EvalStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  describe(`EvalStore: ${name}`, () => {
    const check = contractTestsFor(layer)

    check(
      "one judgment stands at a place, is found by every filter, and by no other workspace",
      Effect.gen(function* () {
        const [store, scope, other] = [
          (yield* EvalStore).judgments,
          yield* makeWorkspace,
          yield* makeWorkspace
        ]
        const first = yield* judgment()
        const bare = yield* judgment({
          queryId: "q2",
          docId: null,
          grade: null,
          expectAbstain: true,
          answers: []
        })
        yield* store.put(scope, [first, bare])
        const changed = { ...first, grade: 0, note: "no" }
        yield* store.put(scope, [changed])
        expect(yield* store.ofSet(scope, first.set)).toEqual([changed, bare])
        expect(yield* store.ofTopics(scope, first.set, ["q1", "none"])).toEqual([changed])
        const total = (filter: Parameters<typeof store.list>[1]) =>
          Effect.map(store.list(scope, filter, page), (found) => found.total)
        expect(yield* total({ query: "WHERE" })).toBe(2)
        expect(yield* total({ query: "q2" })).toBe(1)
        expect(yield* total({ query: "%" })).toBe(0)
        expect(yield* total(first.docId === null ? {} : { docId: first.docId })).toBe(1)
        expect((yield* store.list(scope, {}, { limit: 1, offset: 1 })).items).toEqual([bare])
        expect(yield* store.ofSet(other, first.set)).toEqual([])
        yield* store.remove(other, [changed])
        yield* store.remove(scope, [bare])
        expect(yield* store.ofSet(scope, first.set)).toEqual([changed])
      })
    )

    check(
      "the last label of each judge is kept, and goes with its judgment",
      Effect.gen(function* () {
        const [store, scope] = [(yield* EvalStore).judgments, yield* makeWorkspace]
        const one = yield* judgment()
        const { docId, queryId, set } = one
        if (docId === null) return
        const label = (judge: string, grade: number) => ({
          set,
          queryId,
          docId,
          judge,
          grade,
          updatedAt: lawsAt
        })
        yield* store.put(scope, [one])
        yield* store.label(scope, [label("ann", 1), label("model:m", 2)])
        yield* store.label(scope, [label("ann", 3)])
        expect(yield* store.labels(scope, set)).toEqual([label("ann", 3), label("model:m", 2)])
        yield* store.remove(scope, [one])
        expect(yield* store.labels(scope, set)).toEqual([])
      })
    )

    check(
      "a run is given back with how many topics are done, and changes only from the status it has",
      Effect.gen(function* () {
        const [store, scope, other] = [yield* EvalStore, yield* makeWorkspace, yield* makeWorkspace]
        const given = yield* run
        yield* store.add(scope, given, [topic(1), topic(0)])
        expect(yield* store.find(scope, given.id)).toEqual(Option.some({ ...given, done: 0 }))
        const result = { queryId: "q0", query: "Which?", metrics: { ap: 0.5 }, ranking: [], scores: [] }
        yield* store.putResults(scope, given.id, [{ ...topic(0), result, detail: { a: 1 } }])
        expect(yield* store.topics(scope, given.id, 0, 10)).toEqual([
          { ...topic(0), result, detail: { a: 1 } },
          topic(1)
        ])
        expect((yield* store.topics(scope, given.id, 1, 10)).map(({ place }) => place)).toEqual([1])
        const running = { ...given, status: "running" as const, startedAt: lawsAt }
        const tries = Array.from({ length: 4 }, () => store.update(scope, running, "queued"))
        expect((yield* Effect.all(tries, { concurrency: 4 })).filter(Boolean)).toHaveLength(1)
        expect(yield* store.update(other, given, "running")).toBe(false)
        expect(yield* store.find(other, given.id)).toEqual(Option.none())
        expect(yield* store.topics(other, given.id, 0, 10)).toEqual([])
        expect((yield* store.list(scope, { status: "running" }, page)).items).toEqual([
          { ...running, done: 1 }
        ])
        expect((yield* store.list(scope, { suite: "answer" }, page)).total).toBe(0)
      })
    )

    check(
      "nothing is kept of a unit of work that failed",
      Effect.gen(function* () {
        const [judgments, evals, scope] = [
          (yield* EvalStore).judgments,
          yield* EvalStore,
          yield* makeWorkspace
        ]
        const [one, given] = [yield* judgment(), yield* run]
        yield* Effect.either(
          atomically(
            Effect.gen(function* () {
              yield* judgments.put(scope, [one])
              yield* evals.add(scope, given, [topic(0)])
              return yield* Effect.fail("no")
            })
          )
        )
        expect(yield* judgments.ofSet(scope, one.set)).toEqual([])
        expect(yield* evals.find(scope, given.id)).toEqual(Option.none())
        expect(yield* evals.topics(scope, given.id, 0, 10)).toEqual([])
      })
    )
  })
}
