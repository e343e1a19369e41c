import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { afterAll, describe, expect, it } from "vitest"
import { autoVectorIndex } from "../../adapters/vectors/auto.js"
import { exactVectorIndex } from "../../adapters/vectors/exact.js"
import { hnswVectorIndex } from "../../adapters/vectors/hnsw.js"
import { makeVectorIndex } from "../../adapters/vectors/index-of-keys.js"
import { scopeOf, WorkspaceId } from "../../core/kernel/index.js"
import { VectorIndex } from "../../core/retrieval/index.js"
import { runEffect } from "../support/run.js"
import { vectorIndexContract, vectorOf } from "./vector-index.js"

const folders: Array<string> = []
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "kanon-vectors-"))
  folders.push(folder)
  return folder
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

vectorIndexContract("exact", () => exactVectorIndex, { recallMin: 1 })
vectorIndexContract("hnsw in memory", () => hnswVectorIndex({ folder: null }), { recallMin: 0.95 })
vectorIndexContract("hnsw on disk", () => hnswVectorIndex({ folder: newFolder() }), { recallMin: 0.95 })
vectorIndexContract("auto below its crossover", () => autoVectorIndex({ folder: newFolder() }), {
  recallMin: 1
})
vectorIndexContract("auto around its crossover", () => autoVectorIndex({ folder: newFolder() }, 300), {
  recallMin: 0.95
})

const key = {
  workspace: scopeOf(WorkspaceId.parse(`ws_01${"a".repeat(24)}`)),
  model: "m/..\\x",
  dimensions: 16
}
const labels = Array.from({ length: 200 }, (_, i) => i + 1)

/** Writes an index and gives the folder that holds its files. */
const written = async (root: string) => {
  await runEffect(
    Effect.gen(function* () {
      const index = yield* VectorIndex
      const changes = labels.map((label) => ({ seq: label, label, vector: vectorOf(label) }))
      yield* index.apply(key, { after: 0, changes, position: 200 })
      yield* index.apply(key, {
        after: 200,
        changes: [{ seq: 201, label: 5, vector: vectorOf(950) }],
        position: 201
      })
      yield* index.persist(key)
    }).pipe(Effect.provide(hnswVectorIndex({ folder: root })))
  )
  const [workspace = ""] = readdirSync(root)
  const [model = ""] = readdirSync(join(root, workspace))
  return join(root, workspace, model)
}

/** Where an index opened over the folder stands, what it finds, and what it says. */
const reopened = (root: string, over = key) => {
  const said: Array<string> = []
  const logger = Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message }) => void said.push(String(message)))
  )
  return runEffect(
    Effect.gen(function* () {
      const index = yield* VectorIndex
      const position = yield* index.position(over)
      const hits = yield* index.search(over, vectorOf(950, over.dimensions), 3)
      return { position, first: hits[0]?.label, said }
    }).pipe(Effect.provide(hnswVectorIndex({ folder: root })), Effect.provide(logger))
  )
}

describe("the vector index on disk", () => {
  it("comes back as it was", async () => {
    const root = newFolder()
    await written(root)
    expect(await reopened(root)).toEqual({ position: 201, first: 5, said: [] })
  })

  const damage: Record<string, (folder: string) => void> = {
    "a cut graph": (folder) => truncateSync(join(folder, "graph.hnsw"), 1000),
    "a flipped bit in the graph": (folder) => flip(join(folder, "graph.hnsw"), 5000),
    "a flipped bit in the vectors": (folder) => flip(join(folder, "vectors.bin"), 900),
    "missing vectors": (folder) => rmSync(join(folder, "vectors.bin")),
    "a cut manifest": (folder) => truncateSync(join(folder, "manifest.json"), 100),
    "a flipped bit in the manifest": (folder) => flip(join(folder, "manifest.json"), 200),
    "a manifest of something else": (folder) => writeFileSync(join(folder, "manifest.json"), '{"a":1}'),
    "an empty manifest": (folder) => writeFileSync(join(folder, "manifest.json"), "")
  }
  for (const [what, harm] of Object.entries(damage)) {
    it(`is not trusted with ${what}`, async () => {
      const root = newFolder()
      harm(await written(root))
      const { first, position, said } = await reopened(root)
      expect([position, first]).toEqual([0, undefined])
      expect(said).toHaveLength(1)
    })
  }

  it("is not trusted when it is of other dimensions", async () => {
    const root = newFolder()
    await written(root)
    const { position, said } = await reopened(root, { ...key, dimensions: 8 })
    expect(position).toBe(0)
    expect(said).toHaveLength(1)
  })

  it("is forgotten when dropped", async () => {
    const root = newFolder()
    const folder = await written(root)
    await runEffect(
      Effect.flatMap(VectorIndex, (index) => index.drop(key)).pipe(
        Effect.provide(hnswVectorIndex({ folder: root }))
      )
    )
    expect(() => readdirSync(folder)).toThrow()
    expect(await reopened(root)).toEqual({ position: 0, first: undefined, said: [] })
  })

  it("leaves no temporary file", async () => {
    const folder = await written(newFolder())
    expect(readdirSync(folder).sort()).toEqual(["graph.hnsw", "manifest.json", "vectors.bin"])
  })
})

describe("without the native library", () => {
  it("searches exactly", () =>
    runEffect(
      Effect.gen(function* () {
        const index = yield* makeVectorIndex({
          graphFrom: 1,
          background: false,
          folder: newFolder(),
          library: Effect.succeed(null)
        })
        const changes = labels.map((label) => ({ seq: label, label, vector: vectorOf(label) }))
        yield* index.apply(key, { after: 0, changes, position: 200 })
        yield* index.persist(key)
        expect((yield* index.search(key, vectorOf(42), 1))[0]?.label).toBe(42)
      }).pipe(Effect.scoped)
    ))
})

const flip = (path: string, at: number) => {
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(path, bytes)
}
