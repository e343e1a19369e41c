import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { afterAll, describe, expect, it } from "vitest"
import { makeVectorIndex } from "../../adapters/vectors/index-registry.js"
import { autoVectorIndex, exactVectorIndex } from "../../adapters/vectors/vector-index.js"
import { scopeOf, WorkspaceId } from "../../core/platform/kernel/index.js"
import { VectorIndex } from "../../core/search/vectors/index.js"
import { bundled } from "../support/bundled.js"
import { temporaryFolder } from "../support/folders.js"
import { runEffect } from "../support/run.js"
import { feedOf, vectorOf } from "./vector-feed.js"
import { vectorIndexContract } from "./vector-index.js"

const newFolder = () => temporaryFolder("vectors")

const thread = await bundled("adapters/vectors/build-worker-main")
const worker = pathToFileURL(thread.file)
afterAll(() => thread.drop())

/** The folder of the last index on disk. */
let inspected = ""

/** A graph from some dozens of vectors of the laws on. */
const smallGraphs = (folder: string | null, by: URL | null = null) =>
  autoVectorIndex({ folder, crossover: 3, worker: by })

vectorIndexContract("exact", () => exactVectorIndex, { recallMin: 1 })
vectorIndexContract("below its crossover", () => autoVectorIndex({ folder: newFolder() }), { recallMin: 1 })
vectorIndexContract("graphs in memory", () => smallGraphs(null), { recallMin: 0.95, harm: () => false })
vectorIndexContract(
  "graphs on disk",
  () => {
    inspected = newFolder()
    return smallGraphs(inspected)
  },
  {
    recallMin: 0.95,
    harm: () => {
      const [graph] = readdirSync(inspected, { recursive: true, encoding: "utf8" }).filter((name) =>
        name.endsWith(".graph")
      )
      if (graph === undefined) return false
      truncateSync(join(inspected, graph), 1000)
      return true
    }
  }
)
vectorIndexContract("graphs built in a thread", () => smallGraphs(newFolder(), worker), { recallMin: 0.95 })
vectorIndexContract("around its crossover", () => autoVectorIndex({ folder: newFolder(), crossover: 20 }), {
  recallMin: 0.95
})

const key = {
  workspace: scopeOf(WorkspaceId.parse(`ws_01${"a".repeat(24)}`)),
  model: "m/..\\x",
  dimensions: 16
}
const labels = Array.from({ length: 200 }, (_, i) => i + 1)
const all = labels.map((label) => ({ seq: label, label, vector: vectorOf(label) }))

/** Builds an index of 200 vectors in a folder; gives its feed, and the folder that holds its files. */
const written = async (root: string) => {
  const feed = feedOf(key)
  await runEffect(
    feed
      .add(all, false)
      .pipe(
        Effect.zipRight(feed.add([{ seq: 201, label: 5, vector: vectorOf(950) }], false)),
        Effect.zipRight(feed.build),
        Effect.provide(smallGraphs(root))
      )
  )
  return { feed, folder: filesOf(root) }
}

const filesOf = (root: string) => {
  const [workspace = ""] = readdirSync(root)
  const [model = ""] = readdirSync(join(root, workspace))
  return join(root, workspace, model)
}

const manifestOf = (folder: string) => readFileSync(join(folder, "manifest.json"), "utf8")

/** Opens an index over the folder and returns its position, its results before and after feeding, and its log. */
const reopened = (root: string, feed: ReturnType<typeof feedOf>) => {
  const said: Array<string> = []
  const logger = Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message }) => void said.push(String(message)))
  )
  return runEffect(
    Effect.gen(function* () {
      const index = yield* VectorIndex
      const position = yield* feed.catchUp
      const [first] = yield* index.search(key, vectorOf(950), 3)
      return { position, first: first?.label, owes: yield* index.isBuildDue(key), said }
    }).pipe(Effect.provide(smallGraphs(root)), Effect.provide(logger))
  )
}

describe("the vector index on disk", () => {
  it("comes back as it was", async () => {
    const root = newFolder()
    const { feed } = await written(root)
    expect(await reopened(root, feed)).toEqual({ position: 201, first: 5, owes: false, said: [] })
  })

  const file = (folder: string, ending: string) =>
    join(folder, readdirSync(folder).find((name) => name.endsWith(ending)) ?? "")
  const damage: Record<string, (folder: string) => void> = {
    "a cut graph": (folder) => truncateSync(file(folder, ".graph"), 1000),
    "a flipped bit in the graph": (folder) => flip(file(folder, ".graph"), 5000),
    "a flipped bit in the labels": (folder) => flip(file(folder, ".labels"), 90),
    "missing labels": (folder) => rmSync(file(folder, ".labels")),
    "a missing graph": (folder) => rmSync(file(folder, ".graph")),
    "a cut manifest": (folder) => truncateSync(join(folder, "manifest.json"), 100),
    "a flipped bit in the manifest": (folder) => flip(join(folder, "manifest.json"), 200),
    "a manifest of something else": (folder) => writeFileSync(join(folder, "manifest.json"), '{"a":1}'),
    "an empty manifest": (folder) => writeFileSync(join(folder, "manifest.json"), "")
  }
  for (const [what, harm] of Object.entries(damage)) {
    it(`is not trusted with ${what}: searches are exact and ask for a build, which mends it`, async () => {
      const root = newFolder()
      const { feed, folder } = await written(root)
      harm(folder)
      const { said, ...rest } = await reopened(root, feed)
      expect(rest).toEqual({ position: 0, first: 5, owes: true })
      expect(said).toHaveLength(1)
      await runEffect(feed.build.pipe(Effect.provide(smallGraphs(root))))
      expect(await reopened(root, feed)).toEqual({ position: 201, first: 5, owes: false, said: [] })
    })
  }

  it("is not used when it is of another life of the feed, and stays for who it belongs to", async () => {
    const root = newFolder()
    const { feed } = await written(root)
    const other = feedOf(key)
    await runEffect(other.add(all.slice(0, 10), false).pipe(Effect.provide(smallGraphs(root))))
    expect(await reopened(root, other)).toMatchObject({ position: 0, said: [] })
    expect(await reopened(root, feed)).toMatchObject({ position: 201, said: [] })
  })

  it("is forgotten when dropped", async () => {
    const root = newFolder()
    const { feed, folder } = await written(root)
    await runEffect(
      Effect.flatMap(VectorIndex, (index) => index.drop(key)).pipe(Effect.provide(smallGraphs(root)))
    )
    expect(() => readdirSync(folder)).toThrow()
    expect(await reopened(root, feed)).toMatchObject({ position: 0, said: [] })
  })

  it("is the last build alone, without temporary files", async () => {
    const root = newFolder()
    const { feed, folder } = await written(root)
    const before = readdirSync(folder)
    expect(before.map((name) => name.replace(/^[0-9a-f-]{36}/, "X")).sort()).toEqual([
      "X.graph",
      "X.labels",
      "manifest.json"
    ])
    const more = labels.map((label) => ({ seq: 0, label: 1000 + label, vector: vectorOf(1000 + label) }))
    await runEffect(
      Effect.zipRight(feed.add(more, false), feed.build).pipe(Effect.provide(smallGraphs(root)))
    )
    const after = readdirSync(folder)
    expect(after.length).toBe(3)
    expect(after).not.toEqual(before)
  })

  it("is taken over from another process by who searches, soon and without waiting for it", () => {
    const root = newFolder()
    const feed = feedOf(key)
    return runEffect(
      Effect.gen(function* () {
        const index = yield* VectorIndex
        yield* feed.add(all)
        expect(yield* index.isBuildDue(key)).toBe(true)
        yield* Effect.scoped(feed.build.pipe(Effect.provide(Layer.fresh(smallGraphs(root)))))
        let looks = 0
        while (yield* index.isBuildDue(key)) {
          expect((yield* index.search(key, vectorOf(42), 1))[0]?.label).toBe(42)
          yield* Effect.sleep(20)
          yield* feed.catchUp
          looks += 1
        }
        expect(looks).toBeGreaterThan(0)
        expect((yield* index.search(key, vectorOf(42), 1))[0]?.label).toBe(42)
      }).pipe(Effect.provide(smallGraphs(root)))
    )
  })

  it("is gone on from with what was told beyond it, which need not be told again", async () => {
    const root = newFolder()
    await runEffect(
      Effect.gen(function* () {
        const index = yield* VectorIndex
        const feed = feedOf(key)
        const puts = (count: number, from: number) =>
          Array.from({ length: count }, (_, i) => ({ seq: 0, label: from + i, vector: vectorOf(from + i) }))
        yield* feed.add(puts(300, 1))
        yield* feed.build
        yield* feed.catchUp
        const generation = manifestOf(filesOf(root))
        yield* feed.add(puts(300, 1001))
        const before = feed.reader()
        yield* feed.add([
          ...[5, 1005, 1006].map((label) => ({ seq: 0, label, vector: null })),
          ...[7, 1007].map((label) => ({ seq: 0, label, vector: vectorOf(label + 5000) })),
          ...puts(1, 2000)
        ])
        const page = (after: number) =>
          Effect.map(before.page(after), (batch) => ({
            ...batch,
            changes: batch.changes.filter(({ seq }) => seq <= before.head),
            position: Math.min(batch.position, before.head)
          }))
        yield* index.build(key, { ...before, page })
        expect(manifestOf(filesOf(root))).not.toBe(generation)
        expect(yield* index.position(key, feed.reader())).toBe(feed.reader().head)
        const first = (number: number) =>
          Effect.map(index.search(key, vectorOf(number), 1), ([hit]) => hit?.label)
        for (const gone of [5, 1005, 1006]) expect(yield* first(gone)).not.toBe(gone)
        for (const moved of [7, 1007]) expect(yield* first(moved + 5000)).toBe(moved)
        for (const there of [2000, 200, 1200]) expect(yield* first(there)).toBe(there)
        expect((yield* index.search(key, vectorOf(1), 1000)).length).toBe(598)
      }).pipe(Effect.provide(smallGraphs(root)))
    )
  })

  it("is not made anew for a few changes, and is for many", async () => {
    const root = newFolder()
    const { feed, folder } = await written(root)
    const grown = (count: number, from: number) =>
      runEffect(
        feed
          .add(
            Array.from({ length: count }, (_, i) => ({
              seq: 0,
              label: from + i,
              vector: vectorOf(from + i)
            })),
            false
          )
          .pipe(Effect.zipRight(feed.build), Effect.provide(smallGraphs(root)))
      )
    const before = readdirSync(folder)
    await grown(20, 2000)
    expect(readdirSync(folder)).toEqual(before)
    await grown(40, 3000)
    expect(readdirSync(folder)).not.toEqual(before)
    expect(await reopened(root, feed)).toMatchObject({ position: 261, said: [] })
  })
})

describe("without a thread", () => {
  it("builds in place and says so once", async () => {
    const said: Array<string> = []
    const logger = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ message }) => void said.push(String(message)))
    )
    const feed = feedOf(key)
    await runEffect(
      Effect.gen(function* () {
        yield* feed.add(all)
        expect(yield* feed.build).toBe(200)
        yield* feed.add(all)
        expect(yield* feed.build).toBe(400)
        expect(yield* (yield* VectorIndex).isBuildDue(key)).toBe(false)
      }).pipe(
        Effect.provide(smallGraphs(newFolder(), new URL("file:///nowhere/build-worker-main.js"))),
        Effect.provide(logger)
      )
    )
    expect(said).toHaveLength(1)
  })
})

describe("without the native library", () => {
  it("searches exactly and owes nothing", () =>
    runEffect(
      Effect.gen(function* () {
        const index = yield* makeVectorIndex({
          exactNumbersMax: 1,
          worker: null,
          folder: newFolder(),
          library: Effect.succeed(null)
        })
        yield* index.apply(key, { after: 0, changes: all, position: 200 })
        expect(yield* index.isBuildDue(key)).toBe(false)
        expect((yield* index.search(key, vectorOf(42), 1))[0]?.label).toBe(42)
      }).pipe(Effect.scoped)
    ))
})

const flip = (path: string, at: number) => {
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

describe("builds of one index at once", () => {
  it("leave one of them whole, whichever ended last", async () => {
    for (let round = 0; round < 12; round++) {
      const [root, warnings] = [newFolder(), [] as string[]]
      const feed = feedOf(key)
      const within = Effect.provide(
        Layer.provideMerge(
          smallGraphs(root),
          Logger.replace(
            Logger.defaultLogger,
            Logger.make(({ message }) => void warnings.push(String(message)))
          )
        )
      )
      await runEffect(feed.add(all, false).pipe(within))
      // Each as a process of its own has it.
      const built = Array.from({ length: 3 }, () => runEffect(feed.build.pipe(within)))
      await Promise.all(built)
      const found = await runEffect(
        Effect.gen(function* () {
          const index = yield* VectorIndex
          yield* feed.catchUp
          return yield* index.search(key, vectorOf(7), 3, undefined)
        }).pipe(within)
      )
      expect(found[0]?.label).toBe(7)
      expect(warnings).toEqual([])
    }
  })
})
