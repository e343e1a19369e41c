import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ModelSource, type ModelTraits } from "../../../support/model-source.js"
import { runs } from "../../../support/runs.js"
import { openSyncWorld, type SyncWorld } from "../../../support/sync-world.js"

type Step =
  | { readonly kind: "put"; readonly id: number; readonly text: number }
  | { readonly kind: "move"; readonly id: number; readonly to: number; readonly renames: boolean }
  | { readonly kind: "swap"; readonly id: number; readonly other: number }
  | { readonly kind: "remove"; readonly id: number }
  | {
      readonly kind: "sync"
      readonly full: boolean
      readonly kills: ReadonlyArray<Kill>
      readonly locked: ReadonlyArray<number>
    }

/** After so many requests and crash points, or when an item is asked for that is gone, just before it is removed. */
type Kill = number | "gone"

const idOf = (id: number): string => `item-${id}`
const pathOf = (place: number): string => `folder/place ${place}.md`

const item = fc.integer({ min: 0, max: 7 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("put" as const), id: item, text: fc.nat(99) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("move" as const),
      id: item,
      to: fc.integer({ min: 0, max: 12 }),
      renames: fc.boolean()
    })
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("swap" as const), id: item, other: item }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), id: item }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("sync" as const),
      full: fc.boolean(),
      kills: fc.array(fc.oneof(fc.integer({ min: 0, max: 25 }), fc.constant("gone" as const)), {
        maxLength: 2
      }),
      locked: fc.array(item, { maxLength: 2 })
    })
  }
)

const traits: fc.Arbitrary<ModelTraits> = fc.constantFrom(
  { changes: "feed", deletions: "changes" } as const,
  { changes: "feed", deletions: "ids" } as const,
  { changes: "listing", deletions: "ids" } as const
)

const feed = { changes: "feed", deletions: "changes" } as const
const put = (id: number): Step => ({ kind: "put", id, text: 1 })
const sync = (more: Partial<Extract<Step, { readonly kind: "sync" }>> = {}): Step => ({
  kind: "sync",
  full: false,
  kills: [],
  locked: [],
  ...more
})
/** Cases that few examples meet by chance: a feed names a deletion once, and an item that cannot be read once. */
const rare: ReadonlyArray<[ModelTraits, Array<Step>, number]> = [
  [feed, [put(0), put(1), sync(), { kind: "remove", id: 0 }, sync({ kills: ["gone"] })], 1],
  [feed, [put(0), sync(), put(1), sync({ locked: [1] })], 1]
]

/** Changes the source as a step says; paths are unique in it. */
const change = (source: ModelSource, one: Step): void => {
  const isFree = (path: string) => ![...source.items.values()].some((known) => known.path === path)
  const freePath = () => {
    for (let place = 0; ; place++) if (isFree(pathOf(place))) return pathOf(place)
  }
  if (one.kind === "put") {
    const known = source.items.get(idOf(one.id))
    source.put(idOf(one.id), known?.path ?? freePath(), `# Item ${one.id}\n\nText ${one.text}.\n`)
  }
  if (one.kind === "move") {
    const newId = one.renames && !source.items.has(idOf(one.to)) ? idOf(one.to) : idOf(one.id)
    if (isFree(pathOf(one.to))) source.move(idOf(one.id), pathOf(one.to), newId)
  }
  if (one.kind === "swap") {
    const [first, second] = [source.items.get(idOf(one.id)), source.items.get(idOf(one.other))]
    if (first === undefined || second === undefined || one.id === one.other) return
    source.move(idOf(one.id), "folder/aside.md")
    source.move(idOf(one.other), first.path)
    source.move(idOf(one.id), second.path)
  }
  if (one.kind === "remove") source.remove(idOf(one.id))
}

/** A sync that is killed and taken up again by the next worker. Some items cannot be read as long as it lasts. */
const syncWithKills = async (
  world: SyncWorld,
  source: ModelSource,
  id: Parameters<SyncWorld["sync"]>[0],
  { full, kills, locked }: Extract<Step, { readonly kind: "sync" }>
): Promise<void> => {
  source.locked = new Set(locked.map(idOf))
  await world.start(id, { mode: full ? "full" : "incremental", allowRemovals: true })
  for (const kill of kills) {
    let left = kill === "gone" ? Number.POSITIVE_INFINITY : kill
    const isKilled = () => left-- <= 0
    source.onRequest = (request, asked = "") => {
      if (kill === "gone" && request === "fetch" && !source.items.has(asked)) left = 0
      return isKilled() ? Effect.die(new Error("killed")) : Effect.void
    }
    await world.work(id, () => {
      if (isKilled()) throw new Error("killed")
    })
  }
  source.onRequest = () => Effect.void
  await world.work(id)
  source.locked = new Set()
}

/** The live documents without the folder of the connector. */
const synced = async (world: SyncWorld): Promise<ReadonlyMap<string, string>> =>
  new Map([...(await world.texts())].map(([path, text]) => [path.replace(/^model\//, ""), text]))

const sorted = (texts: ReadonlyMap<string, string>) => [...texts].sort(([a], [b]) => (a < b ? -1 : 1))

describe("a sync that is killed at any point", () => {
  it("resumes, and ends as an undisturbed crawl does: the documents are what the source holds", () =>
    fc.assert(
      fc.asyncProperty(
        traits,
        fc.array(step, { minLength: 3, maxLength: 30 }),
        fc.integer({ min: 1, max: 2 ** 31 }),
        async (kind, steps, seed) => {
          const source = new ModelSource(kind)
          const world = await openSyncWorld([source.provider()])
          try {
            let state = seed
            source.random = () => {
              state = (state * 48_271) % 2_147_483_647
              return state / 2_147_483_647
            }
            const id = await world.connect({ name: "Model", kind: "wiki", config: { provider: "model" } })
            const later = steps.filter((one) => one.kind !== "sync")
            for (const one of steps) {
              if (one.kind !== "sync") {
                change(source, one)
                continue
              }
              source.failures = 0.15
              // Items change while they are listed.
              source.onPage = () => {
                const next = later[Math.floor(source.random() * later.length)]
                if (next !== undefined && source.random() < 0.3) change(source, next)
              }
              await syncWithKills(world, source, id, one)
            }
            source.onPage = () => {}
            source.failures = 0
            await world.sync(id, { allowRemovals: true })
            const { run } = await world.sync(id, { allowRemovals: true })
            expect(run).toMatchObject({ status: "succeeded", failed: 0, created: 0, updated: 0, removed: 0 })
            expect(sorted(await synced(world))).toEqual(sorted(source.texts))
          } finally {
            await world.close()
          }
        }
      ),
      { numRuns: runs(40), examples: [...rare] }
    ))
})
