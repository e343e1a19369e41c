import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { DocumentStore } from "../../../../core/files/documents/index.js"
import type { WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import {
  fitArtefact,
  LsaFitter,
  refreshVectors,
  VectorChannel,
  VectorStore
} from "../../../../core/search/vectors/index.js"
import {
  found,
  type Page,
  passage,
  query,
  vectorState,
  vectorsDatabase,
  vectorsLayer,
  write,
  writeMany
} from "../../../integration/search/vectors/vectors-corpus.js"
import { makeWorkspace, runEffect } from "../../../support/run.js"
import { runs } from "../../../support/runs.js"

type Change = readonly ["write", number, Page] | readonly ["remove", number]
/** With a change, it comes once the texts to learn from have been read, before their vectors are made. */
type Step = Change | readonly ["refresh"] | readonly ["refresh", Change]

const page = fc.record({
  title: fc.constantFrom("Pottery", "Sailing", "Accounts"),
  passages: fc.array(fc.integer({ min: 500, max: 540 }).map(passage), { maxLength: 4 })
})
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.constant("write" as const), fc.nat(3), page),
  fc.tuple(fc.constant("remove" as const), fc.nat(3))
)
const step: fc.Arbitrary<Step> = fc.oneof(
  change,
  fc.constant(["refresh"] as const),
  fc.tuple(fc.constant("refresh" as const), change)
)

const make = (workspace: WorkspaceScope, [, number, content]: Change) =>
  write(workspace, `more/${number}.md`, content ?? null)

const take = (workspace: WorkspaceScope, step: Step) =>
  Effect.gen(function* () {
    if (step[0] !== "refresh") return yield* make(workspace, step)
    const fitter = yield* LsaFitter
    const around = yield* Effect.context<Effect.Effect.Context<ReturnType<typeof make>>>()
    let owed = step[1]
    const change = Effect.suspend(() => {
      const now = owed
      owed = undefined
      return now === undefined ? Effect.void : Effect.provide(make(workspace, now), around)
    })
    yield* Effect.provideService(refreshVectors(workspace), LsaFitter, {
      fit: (texts) => Effect.zipLeft(fitter.fit(texts), Effect.orDie(change))
    })
    yield* change
  })

/** Returns the change of a step, if any. */
const changeOf = (step: Step): Change | undefined => (step[0] === "refresh" ? step[1] : step)

describe("built-in vectors", () => {
  it("are after any history exactly those of a fresh build, in store, index and search", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
        const grown = await runEffect(
          Effect.gen(function* () {
            const workspace = yield* makeWorkspace()
            yield* writeMany(workspace, 60)
            for (const each of steps) yield* take(workspace, each)
            yield* refreshVectors(workspace)
            return {
              state: yield* vectorState(workspace),
              hits: yield* found(workspace, "kiln rare7 ledger")
            }
          }).pipe(Effect.provide(vectorsLayer()))
        )
        const last = new Map(
          steps.flatMap((each) => {
            const made = changeOf(each)
            return made === undefined ? [] : [[made[1], made] as const]
          })
        )
        const fresh = await runEffect(
          Effect.gen(function* () {
            const workspace = yield* makeWorkspace()
            for (const each of last.values()) yield* take(workspace, each)
            yield* writeMany(workspace, 60)
            yield* refreshVectors(workspace)
            return {
              state: yield* vectorState(workspace),
              hits: yield* found(workspace, "kiln rare7 ledger")
            }
          }).pipe(Effect.provide(vectorsLayer()))
        )
        expect(grown.hits.length).toBeGreaterThan(0)
        expect(grown).toEqual(fresh)
      }),
      { numRuns: runs(8) }
    )
  })

  it("do not change when a document is moved, and do when its title changes", () =>
    runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        yield* writeMany(workspace, 60)
        yield* write(workspace, "a.md", { title: "Pottery", passages: [passage(500)] })
        yield* refreshVectors(workspace)
        const before = yield* vectorState(workspace)
        yield* write(workspace, "a.md", null)
        yield* write(workspace, "z.md", { title: "Pottery", passages: [passage(500)] })
        yield* refreshVectors(workspace)
        const moved = yield* vectorState(workspace)
        expect(moved?.models).toEqual(before?.models)
        expect(moved?.artefact).toEqual(before?.artefact)
        yield* write(workspace, "z.md", { title: "Sailing anchor", passages: [passage(500)] })
        yield* refreshVectors(workspace)
        const renamed = yield* vectorState(workspace)
        expect(renamed?.models).not.toEqual(before?.models)
        const vectorAt = (state: typeof before) =>
          state?.vectors.find(({ text }) => text === passage(500))?.vector
        expect(vectorAt(renamed)).not.toEqual(vectorAt(before))
      }).pipe(Effect.provide(vectorsLayer()))
    ))

  it("need fifty chunks, and go when fewer are left", () =>
    runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        yield* writeMany(workspace, 48)
        yield* refreshVectors(workspace)
        expect(yield* vectorState(workspace)).toBeNull()
        expect((yield* (yield* VectorChannel).search(workspace, query("kiln"))).hits).toEqual([])
        yield* write(workspace, "x.md", { title: "More", passages: [passage(600), passage(601)] })
        yield* refreshVectors(workspace)
        expect((yield* vectorState(workspace))?.count).toBe(50)
        yield* write(workspace, "x.md", null)
        yield* refreshVectors(workspace)
        expect(yield* vectorState(workspace)).toBeNull()
        expect((yield* (yield* VectorChannel).search(workspace, query("kiln"))).hits).toEqual([])
      }).pipe(Effect.provide(vectorsLayer()))
    ))

  it("are not fitted again when nothing or nothing of weight has changed", () => {
    let fits = 0
    const counted = Layer.succeed(LsaFitter, {
      fit: (texts) =>
        Effect.sync(() => {
          fits += 1
          return fitArtefact(texts)
        })
    })
    return runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        yield* writeMany(workspace, 60)
        yield* refreshVectors(workspace)
        yield* refreshVectors(workspace)
        expect(fits).toBe(1)
        yield* write(workspace, "x.md", { title: "Short lived", passages: [passage(600)] })
        yield* write(workspace, "x.md", null)
        yield* refreshVectors(workspace)
        expect(fits).toBe(1)
        yield* write(workspace, "x.md", { title: "Staying", passages: [passage(600)] })
        yield* refreshVectors(workspace)
        expect(fits).toBe(2)
      }).pipe(Effect.provide(counted), Effect.provide(vectorsLayer()))
    )
  })

  it("are not made on of a model that so much has been added to that it is learned anew", () =>
    runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        const add = (folder: string, documents: number, each: number) =>
          Effect.forEach(Array.from({ length: documents }), (_, at) =>
            write(workspace, `${folder}/${at}.md`, {
              title: "Ledger",
              passages: Array.from({ length: each }, (_, i) => passage(7 * at + i))
            })
          )
        yield* add("first", 10, 50)
        yield* refreshVectors(workspace)
        const store = yield* VectorStore
        const [old] = yield* store.models(workspace)
        const made = new Map<string, number>()
        const counting = {
          ...store,
          put: (...given: Parameters<typeof store.put>) => {
            made.set(given[1], (made.get(given[1]) ?? 0) + given[2].length)
            return store.put(...given)
          }
        }
        yield* add("second", 128, 2)
        yield* Effect.provideService(refreshVectors(workspace), VectorStore, counting)
        const [now] = yield* store.models(workspace)
        expect(now?.id).not.toBe(old?.id)
        expect(made.get(now?.id ?? "")).toBe(10 * 50 + 128 * 2)
        // More than a tenth of what it had learned from, after the first page of documents.
        expect(made.get(old?.id ?? "")).toBe(64 * 2)
      }).pipe(Effect.provide(vectorsLayer()))
    ))

  it("hold nothing for a chunk without words, and keep the search going when all are such", () =>
    runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        yield* write(workspace, "x.md", {
          title: "the",
          passages: Array.from({ length: 60 }, (_, i) => "! ".repeat(i + 1))
        })
        yield* refreshVectors(workspace)
        expect(yield* vectorState(workspace)).toBeNull()
        yield* writeMany(workspace, 60)
        yield* refreshVectors(workspace)
        const state = yield* vectorState(workspace)
        expect(state?.count).toBe(60)
        expect(state?.vectors.length).toBe(120)
      }).pipe(Effect.provide(vectorsLayer()))
    ))

  it("are finished by the next run when one dies in the middle, and the old set answers meanwhile", async () => {
    const database = vectorsDatabase()
    // More than a tenth, so that the model is fitted again.
    const added = { title: "New", passages: Array.from({ length: 70 }, (_, i) => passage(700 + i)) }
    const straight = await runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        yield* writeMany(workspace, 300)
        yield* write(workspace, "x.md", added)
        yield* refreshVectors(workspace)
        return yield* vectorState(workspace)
      }).pipe(Effect.provide(vectorsLayer()))
    )
    await runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        yield* writeMany(workspace, 300)
        yield* refreshVectors(workspace)
        const [old] = yield* (yield* VectorStore).models(workspace)
        yield* write(workspace, "x.md", added)
        const store = yield* VectorStore
        for (const writes of [2, 1, 9]) {
          let left = writes
          const dying = {
            ...store,
            put: (...given: Parameters<typeof store.put>) => {
              left -= 1
              return left < 0 ? Effect.die("power cut") : store.put(...given)
            }
          }
          const exit = yield* Effect.exit(
            Effect.provideService(refreshVectors(workspace), VectorStore, dying)
          )
          expect(exit._tag).toBe(writes < 9 ? "Failure" : "Success")
          if (writes < 9) {
            const models = yield* store.models(workspace)
            expect(models.find(({ state }) => state === "active")?.id).toBe(old?.id)
            expect((yield* found(workspace, "kiln")).length).toBeGreaterThan(0)
          }
        }
        yield* refreshVectors(workspace)
        expect(yield* vectorState(workspace)).toEqual(straight)
      }).pipe(Effect.provide(vectorsLayer(Option.none(), database)))
    )
  })

  it("show what another process wrote at the next search, also after old removals were forgotten", () =>
    runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        const store = yield* VectorStore
        yield* writeMany(workspace, 60)
        yield* refreshVectors(workspace)
        const [active] = yield* store.models(workspace)
        if (active === undefined) return expect.unreachable()
        const before = yield* found(workspace, "kiln glaze")
        const all = yield* store.since(workspace, active.id, 0, 1000)
        const documentId = (yield* (yield* DocumentStore).changesSince(workspace, 0, 1))[0]?.id
        const [one] = all
        if (documentId === undefined || one?.vector == null) return expect.unreachable()
        const { vector } = one
        const labels = Array.from({ length: 2200 }, (_, i) => 100_000 + i)
        yield* store.put(
          workspace,
          active.id,
          labels.map((label) => ({ label, documentId, textHash: "", vector }))
        )
        const channel = yield* VectorChannel
        const seen = yield* channel.search(workspace, { ...query("kiln glaze"), limit: 5000 })
        expect(seen.hits.length).toBe(before.length + 2200)
        yield* store.remove(workspace, active.id, labels)
        expect((yield* store.feed(workspace, active.id)).floor).toBeGreaterThan(active.cursor)
        expect(yield* found(workspace, "kiln glaze")).toEqual(before)
      }).pipe(Effect.provide(vectorsLayer()))
    ))
})

describe("the vector channel", () => {
  it("takes the seeds into the query", () =>
    runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        yield* writeMany(workspace, 60)
        yield* refreshVectors(workspace)
        const channel = yield* VectorChannel
        const plain = yield* channel.search(workspace, query("kiln"))
        const last = plain.hits[plain.hits.length - 1]
        if (last === undefined) return expect.unreachable()
        const lexicalHits = [{ label: last.label, score: 3 }]
        const seeded = yield* channel.search(workspace, { ...query("kiln"), lexicalHits })
        const place = (hits: typeof plain.hits) => hits.findIndex(({ label }) => label === last.label)
        expect(place(seeded.hits)).toBeLessThan(place(plain.hits))
        const unknown = yield* channel.search(workspace, { ...query("zebra"), lexicalHits })
        expect(unknown.hits[0]?.label).toBe(last.label)
        expect((yield* channel.search(workspace, query("zebra"))).hits).toEqual([])
        const allow = new Set([last.label])
        expect(
          (yield* channel.search(workspace, { ...query("kiln"), allow })).hits.map(({ label }) => label)
        ).toEqual([last.label])
      }).pipe(Effect.provide(vectorsLayer()))
    ))
})
