import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { extractGraph } from "../../../../core/knowledge/extraction/index.js"
import { GraphStore } from "../../../../core/knowledge/graph/index.js"
import { Ids } from "../../../../core/platform/kernel/index.js"
import { graphLayer, MemoryVault } from "../../../support/graph-vault.js"
import { makeWorkspace, runEffect } from "../../../support/run.js"

/** How many documents are read, and then drawn, with each unit of work. */
const unitsOf = (count: number, sizeBytes: number) =>
  runEffect(
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace()
      const vault = new MemoryVault(yield* Ids)
      const line = "The Zeta Engine runs.\n\n"
      for (let at = 0; at < count; at++)
        vault.create(`${at}.md`, `# Note ${at}\n\n${line.repeat(sizeBytes / line.length)}`)
      const done: Array<number> = []
      const onProgress = (all: number) => Effect.sync(() => void done.push(all))
      yield* extractGraph(workspace, { onProgress }).pipe(Effect.provide(vault.layer))
      return done.flatMap((all, at) => (all === done[at - 1] ? [] : [all - (done[at - 1] ?? 0)]))
    }).pipe(Effect.provide(graphLayer()), Effect.orDie)
  )

describe("a unit of work of extraction", () => {
  it("holds so many documents, or so large ones, that others come to write", async () => {
    expect(await unitsOf(20, 500)).toEqual([16, 4, 16, 4])
    expect(await unitsOf(3, 400_000)).toEqual([2, 1, 2, 1])
    expect(await unitsOf(2, 1_100_000)).toEqual([1, 1, 1, 1])
  })
})

describe("links of new documents", () => {
  it("read the names of all documents only when a document has a link", async () => {
    const reads = await runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        const vault = new MemoryVault(yield* Ids)
        const store = yield* GraphStore
        let reads = 0
        const counted = Effect.provideService(extractGraph(workspace), GraphStore, {
          ...store,
          records: {
            ...store.records,
            addresses: (of) => {
              reads += 1
              return store.records.addresses(of)
            }
          }
        }).pipe(Effect.provide(vault.layer))
        vault.create("a.md", "# A\n\nNo link.\n")
        yield* counted
        const without = reads
        vault.create("b.md", "# B\n\nSee [[A]].\n")
        yield* counted
        return [without, reads]
      }).pipe(Effect.provide(graphLayer()), Effect.orDie)
    )
    expect(reads).toEqual([0, 1])
  })
})
