import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { describe, expect, it } from "vitest"
import { JobStore } from "../../../../core/platform/jobs/index.js"
import type { WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import type { Embedder } from "../../../../core/platform/models/index.js"
import {
  refreshVectors,
  VectorChannel,
  type VectorModel,
  VectorStore,
  vectorsAreBehind
} from "../../../../core/search/vectors/index.js"
import { jobsLayer } from "../../../support/jobs.js"
import { makeWorkspace, runEffect } from "../../../support/run.js"
import {
  found,
  passage,
  query,
  scriptedEmbedder,
  vectorState,
  vectorsDatabase,
  vectorsLayer,
  write,
  writeMany
} from "./vectors-corpus.js"

/** Runs work as an engine that was started over this database with the given embedder, or none. */
const engines = Effect.map(
  Effect.context<Layer.Layer.Success<ReturnType<typeof vectorsDatabase>>>(),
  (database: Context.Context<Layer.Layer.Success<ReturnType<typeof vectorsDatabase>>>) =>
    <A, E>(
      embedder: Embedder["Type"] | null,
      work: Effect.Effect<A, E, Layer.Layer.Success<ReturnType<typeof vectorsLayer>>>
    ) =>
      Effect.provide(work, vectorsLayer(Option.fromNullable(embedder), Layer.succeedContext(database)))
)

const isMain = ({ state }: VectorModel): boolean => state === "active" || state === "building"

/** Twenty documents of three passages each, whose words are those of their document alone. */
const writeTopics = (workspace: WorkspaceScope) =>
  Effect.forEach(
    Array.from({ length: 20 }, (_, i) => i),
    (i) =>
      write(workspace, `topics/${i}.md`, {
        title: `Topic ${i}`,
        passages: ["first", "second", "third"].map(
          (place) => `The ${place} passage tells of kelp${i} near weir${i} with sluice${i} and quay${i}.`
        )
      }),
    { discard: true }
  )

/** An embedder whose vectors are near for texts with equal words. */
const wordEmbedder: Embedder["Type"] = {
  modelId: "words",
  batchMax: 16,
  embed: (texts) =>
    Effect.succeed(
      texts.map((text) => {
        const vector = new Float32Array(512)
        for (const word of text.toLowerCase().match(/[a-z]+\d+/gu) ?? []) {
          let place = 7
          for (const char of word) place = (place * 31 + char.charCodeAt(0)) % 512
          vector[place] = 1
        }
        return vector
      })
    )
}

describe("vectors of a configured model", () => {
  it("have the built-in ones beside them, and the weight that a test on the workspace's texts gives", () =>
    runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        const run = yield* engines
        yield* writeTopics(workspace)
        const searching = Effect.flatMap(VectorChannel, (channel) =>
          channel.search(workspace, query("kelp7 weir7"))
        )
        const noise = scriptedEmbedder("noise", 16).embedder
        yield* run(noise, refreshVectors(workspace))
        const untrusted = yield* run(noise, searching)
        expect(untrusted).toMatchObject({ builtIn: false, trust: 0 })
        expect(untrusted.beside?.length).toBeGreaterThan(0)
        expect(yield* run(noise, vectorsAreBehind(workspace))).toBe(false)
        yield* run(wordEmbedder, refreshVectors(workspace))
        expect(yield* run(wordEmbedder, searching)).toMatchObject({ builtIn: false, trust: 1 })
        // A document that comes later is in both sets; without an embedder the built-in one is the main one again.
        yield* write(workspace, "late.md", { title: "Late", passages: ["The late passage tells of kelp99."] })
        expect(yield* run(wordEmbedder, vectorsAreBehind(workspace))).toBe(true)
        yield* run(wordEmbedder, refreshVectors(workspace))
        expect(yield* run(wordEmbedder, vectorsAreBehind(workspace))).toBe(false)
        yield* run(null, refreshVectors(workspace))
        const models = yield* (yield* VectorStore).models(workspace)
        expect(models.map(({ id, state }) => [id.slice(0, 4), state])).toEqual([["lsa-", "active"]])
      }).pipe(Effect.provide(vectorsDatabase()))
    ))

  it("go on where a failure stopped them, and no text is embedded twice", () => {
    const broken = scriptedEmbedder("model-a", 8, 7)
    const { embedder, seen } = broken
    return runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        yield* writeMany(workspace, 60)
        const failure = yield* Effect.flip(refreshVectors(workspace))
        expect(failure).toMatchObject({ _tag: "ModelFailed", retryable: true })
        const embedded = seen.length
        expect(embedded).toBeGreaterThan(1)
        yield* refreshVectors(workspace)
        expect(seen.length).toBe(60)
        expect(new Set(seen).size).toBe(60)
        const state = yield* vectorState(workspace)
        expect(state?.models).toEqual([{ id: "model-a", dimensions: 8, state: "active" }])
        expect(state?.count).toBe(60)
        yield* write(workspace, "x.md", { title: "New", passages: [passage(900)] })
        yield* write(workspace, "base/000.md", null)
        yield* refreshVectors(workspace)
        expect(seen.length).toBe(61)
        expect((yield* vectorState(workspace))?.count).toBe(58)
        const target = `New\n${passage(900)}`
        const [first] = yield* found(workspace, target)
        expect(first).toMatchObject({ text: `New: ${passage(900)}` })
        expect(first?.score).toBeCloseTo(1, 3)
      }).pipe(Effect.provide(vectorsLayer(Option.some(embedder))))
    )
  })

  it("never meet those of another model: the new set is built beside the old and swapped when complete", () => {
    const one = scriptedEmbedder("model-a", 8)
    const two = scriptedEmbedder("model-b", 12, 5)
    return runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        const run = yield* engines
        yield* writeMany(workspace, 60)
        yield* run(null, refreshVectors(workspace))
        yield* run(one.embedder, refreshVectors(workspace))
        expect((yield* vectorState(workspace))?.models.map(({ id }) => id)).toEqual(["model-a"])
        const [seed] = yield* (yield* VectorStore).since(workspace, "model-a", 0, 1)
        expect((yield* Effect.flip(run(two.embedder, refreshVectors(workspace))))._tag).toBe("ModelFailed")
        const models = (yield* (yield* VectorStore).models(workspace)).filter(isMain)
        expect(models.map(({ dimensions, id, state }) => [id, state, dimensions])).toEqual([
          ["model-a", "active", 8],
          ["model-b", "building", 12]
        ])
        // Model B cannot embed a question for the vectors of A, but the lexical hits still lead into them.
        const lexicalHits = [{ label: seed?.label ?? 0, score: 2 }]
        const searching = Effect.flatMap(VectorChannel, (channel) =>
          channel.search(workspace, { ...query("kiln"), lexicalHits })
        )
        const meanwhile = yield* run(two.embedder, searching)
        expect(meanwhile.hits.length).toBe(60)
        expect(meanwhile.hits[0]?.label).toBe(seed?.label)
        yield* run(two.embedder, refreshVectors(workspace))
        const state = yield* vectorState(workspace)
        expect(state?.models).toEqual([{ id: "model-b", dimensions: 12, state: "active" }])
        expect(state?.vectors.every(({ vector }) => vector?.length === 12)).toBe(true)
        const after = yield* run(two.embedder, searching)
        expect(after.builtIn).toBe(false)
        expect(after.hits.length).toBe(60)
        yield* run(null, refreshVectors(workspace))
        expect((yield* vectorState(workspace))?.models[0]?.id).toMatch(/^lsa-5:/)
      }).pipe(Effect.provide(vectorsDatabase()))
    )
  })

  it("are all embedded anew when the model gives another length under the same name, old ones answering until then", () => {
    const before = scriptedEmbedder("model-a", 8)
    const after = scriptedEmbedder("model-a", 12)
    const broken = scriptedEmbedder("model-a", 12, 5)
    return runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        const run = yield* engines
        yield* writeMany(workspace, 60)
        yield* run(before.embedder, refreshVectors(workspace))
        const [seed] = yield* (yield* VectorStore).since(workspace, "model-a", 0, 1)
        const lexicalHits = [{ label: seed?.label ?? 0, score: 2 }]
        const searching = Effect.flatMap(VectorChannel, (channel) =>
          channel.search(workspace, { ...query("kiln"), lexicalHits })
        )
        // The question has no vector among the old ones, but the lexical hits lead into them.
        const meanwhile = yield* run(after.embedder, searching)
        expect([meanwhile.builtIn, meanwhile.hits[0]?.label]).toEqual([true, seed?.label])
        expect((yield* Effect.flip(run(broken.embedder, refreshVectors(workspace))))._tag).toBe("ModelFailed")
        const models = (yield* (yield* VectorStore).models(workspace)).filter(isMain)
        expect(models.map(({ dimensions }) => dimensions)).toEqual([8, 12])
        yield* run(after.embedder, refreshVectors(workspace))
        expect(new Set(after.seen).size + new Set(broken.seen).size).toBe(60)
        const state = yield* vectorState(workspace)
        expect(state?.models).toMatchObject([{ dimensions: 12, state: "active" }])
        expect(state?.vectors.every(({ vector }) => vector?.length === 12)).toBe(true)
        const found = yield* run(after.embedder, searching)
        expect([found.builtIn, found.hits.length]).toEqual([false, 60])
        const seenOnce = after.seen.length
        yield* run(after.embedder, refreshVectors(workspace))
        expect(after.seen.length).toBe(seenOnce)
        expect(yield* run(after.embedder, vectorsAreBehind(workspace))).toBe(false)
        yield* run(before.embedder, refreshVectors(workspace))
        expect((yield* vectorState(workspace))?.models).toEqual([
          { id: "model-a", dimensions: 8, state: "active" }
        ])
      }).pipe(Effect.provide(vectorsDatabase()))
    )
  })

  it("are asked for by the search that finds them outdated, once", () => {
    const before = scriptedEmbedder("model-a", 8)
    const after = scriptedEmbedder("model-a", 12)
    return runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        const run = yield* engines
        yield* writeMany(workspace, 60)
        yield* run(before.embedder, refreshVectors(workspace))
        const searching = Effect.flatMap(VectorChannel, (channel) => channel.search(workspace, query("kiln")))
        const waiting = Effect.gen(function* () {
          return (yield* (yield* JobStore).depth(workspace, ["embedding"])).waiting
        })
        yield* run(before.embedder, searching)
        expect(yield* waiting).toBe(0)
        yield* run(after.embedder, Effect.zipRight(searching, searching))
        expect(yield* waiting).toBe(1)
      }).pipe(Effect.provide(Layer.provideMerge(jobsLayer, vectorsDatabase())))
    )
  })

  it("leave the channel empty while the model is down, and say so once", () => {
    const said: Array<string> = []
    const logger = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ message }) => void said.push(String(message)))
    )
    const down = { value: false }
    const { embedder } = scriptedEmbedder("model-a", 8)
    const sometimes: typeof embedder = {
      ...embedder,
      embed: (texts, purpose) =>
        down.value
          ? scriptedEmbedder("model-a", 8, 1).embedder.embed(texts, purpose)
          : embedder.embed(texts, purpose)
    }
    return runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        yield* writeMany(workspace, 60)
        yield* refreshVectors(workspace)
        const search = Effect.flatMap(VectorChannel, (channel) => channel.search(workspace, query("kiln")))
        const before = (yield* search).hits.length
        down.value = true
        expect((yield* search).hits).toEqual([])
        expect((yield* search).hits).toEqual([])
        expect(said).toHaveLength(1)
        down.value = false
        expect((yield* search).hits.length).toBe(before)
        expect(before).toBe(60)
      }).pipe(Effect.provide(vectorsLayer(Option.some(sometimes))), Effect.provide(logger))
    )
  })
})
