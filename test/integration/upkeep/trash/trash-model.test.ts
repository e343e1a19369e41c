import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Engine, KanonError } from "../../../../adapters/sqlite/index.js"
import type { TrashItem, TrashKind } from "../../../../core/upkeep/trash/index.js"
import { createEngine, importWorkspace } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"
import { runs } from "../../../support/runs.js"

const vault = temporaryFolder("trash")

/** A thing in the model; `state` says whether it exists. */
interface Thing {
  readonly kind: "document" | "entity" | "relation"
  state: "live" | "deleted"
  /** A document's path, an entity's name, a relation's type. */
  name: string
  /** Entity into which this one was merged; itself when it was not. */
  into: string | null
  readonly ends: readonly [string, string] | null
}
type World = Map<string, Thing>

const head = (world: World, id: string): string => {
  const into = world.get(id)?.into ?? null
  return into === null ? id : head(world, into)
}
const stands = ({ into, kind, state }: Thing) => kind !== "entity" || (state === "live" && into === null)
const first = (ids: ReadonlyArray<string>): string | null => [...ids].sort()[0] ?? null

/** Returns why a thing cannot be restored; null when it can. */
const obstacle = (world: World, id: string): string | null => {
  const { ends, kind, name } = thing(world, id)
  const others = [...world].filter(([other]) => other !== id)
  if (ends === null)
    return first(
      others.flatMap(([other, one]) =>
        one.kind === kind && one.name === name && one.state === "live" && stands(one) ? [other] : []
      )
    )
  const heads = ends.map((end) => head(world, end))
  const gone = heads.find((one) => thing(world, one).state === "deleted")
  if (gone !== undefined || heads[0] === heads[1]) return gone ?? null
  return first(
    others.flatMap(([other, one]) =>
      one.state === "live" &&
      one.ends !== null &&
      one.name === name &&
      one.ends.every((end, at) => head(world, end) === heads[at])
        ? [other]
        : []
    )
  )
}

const thing = (world: World, id: string): Thing => {
  const found = world.get(id)
  if (found === undefined) throw new RangeError(`The model knows no ${id}.`)
  return found
}

/** Returns the items that the trash must show, in no order. */
const expected = (world: World) =>
  [...world].flatMap(([id, { ends, into, kind, name, state }]) => {
    const merged = state === "live" && into !== null
    if (state === "live" && !merged) return []
    const words = ends === null ? [name] : [thing(world, ends[0]).name, name, thing(world, ends[1]).name]
    const blockedBy = obstacle(world, id)
    const shown: TrashKind = merged ? "merged_entity" : kind
    return [
      {
        id,
        kind: shown,
        label: words.join(" "),
        deletedBy: "local",
        purgeAt: null,
        blockedBy,
        restorable: blockedBy === null
      }
    ]
  })

const place = fc.nat({ max: 20 })
const path = fc.constantFrom("a.md", "b.md", "sub/c.md")
const name = fc.constantFrom("Ada", "Borealis", "Cobalt")
const step = fc.oneof(
  fc.record({ do: fc.constant("write" as const), path }),
  fc.record({ do: fc.constant("enter" as const), name }),
  fc.record({ do: fc.constant("enter" as const), name }),
  fc.record({ do: fc.constant("rename" as const), place, name }),
  fc.record({ do: fc.constant("merge" as const), place, into: place }),
  fc.record({ do: fc.constant("relate" as const), place, into: place }),
  fc.record({ do: fc.constant("relate" as const), place, into: place }),
  fc.record({ do: fc.constant("delete" as const), place }),
  fc.record({ do: fc.constant("delete" as const), place }),
  fc.record({ do: fc.constant("restore" as const), place, path: fc.option(path, { nil: undefined }) }),
  fc.record({ do: fc.constant("restore" as const), place, path: fc.constant(undefined) })
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** The id of what a call made, or null for a conflict. */
const made = async <A>(work: Promise<A>, id: (result: A) => string): Promise<string | null> => {
  try {
    return id(await work)
  } catch (error) {
    if (error instanceof KanonError && error.code === "conflict") return null
    throw error
  }
}

const picked = (world: World, at: number, fits: (one: Thing) => boolean) => {
  const ids = [...world].flatMap(([id, one]) => (fits(one) ? [id] : []))
  return ids[at % Math.max(1, ids.length)]
}
const isHead = (one: Thing) => one.kind === "entity" && stands(one)

/** Does one step to the engine and to the model. */
const take = async (engine: Engine, world: World, one: Step): Promise<void> => {
  if (one.do === "write") {
    const id = await made(
      engine.documents.create({ path: one.path, content: `# Of ${one.path}` }),
      (it) => it.docId
    )
    if (id !== null)
      world.set(id, { kind: "document", state: "live", name: one.path, into: null, ends: null })
    return
  }
  if (one.do === "enter") {
    const id = await made(engine.entities.create({ name: one.name, type: "thing" }), (it) => it.id)
    if (id !== null) world.set(id, { kind: "entity", state: "live", name: one.name, into: null, ends: null })
    return
  }
  if (one.do === "restore") return restore(engine, world, one)
  if (one.do === "delete") return remove(engine, world, one.place)
  const id = picked(world, one.place, isHead)
  if (id === undefined) return
  if (one.do === "rename") {
    if ((await made(engine.entities.update(id, { name: one.name }), (it) => it.id)) !== null)
      thing(world, id).name = one.name
    return
  }
  const into = picked(world, one.into, isHead)
  if (into === undefined || into === id) return
  if (one.do === "merge") {
    await engine.entities.merge(id, into)
    thing(world, id).into = into
    return
  }
  const ends = [id, into] as const
  const relation = await made(
    engine.relations.create({ srcEntityId: id, dstEntityId: into, type: "knows" }),
    (it) => it.relationId
  )
  // Stated again, a deleted relation of the very same ends is there again.
  if (relation !== null)
    world.set(relation, { kind: "relation", state: "live", name: "knows", into: null, ends })
}

const remove = async (engine: Engine, world: World, at: number): Promise<void> => {
  const areThere = ({ ends }: Thing) =>
    ends === null || ends.every((end) => thing(world, head(world, end)).state === "live")
  const id = picked(world, at, (one) => one.state === "live" && stands(one) && areThere(one))
  if (id === undefined) return
  const { kind } = thing(world, id)
  const room = { document: engine.documents, entity: engine.entities, relation: engine.relations }[kind]
  await room.remove(id)
  thing(world, id).state = "deleted"
}

const restore = async (
  engine: Engine,
  world: World,
  { path: other, place: at }: { readonly path: string | undefined; readonly place: number }
): Promise<void> => {
  const id = picked(world, at, (one) => one.state === "deleted" || !stands(one))
  if (id === undefined) return
  const one = thing(world, id)
  const merged = one.state === "live"
  const kind: TrashKind = merged ? "merged_entity" : one.kind
  const given = one.kind === "document" ? other : undefined
  const moved: World = new Map([...world, [id, { ...one, name: given ?? one.name }]])
  const blockedBy = obstacle(moved, id)
  const came = await engine.trash.restore(id, given).catch((error: unknown) => {
    if (!(error instanceof KanonError) || error.fault._tag !== "Conflict") throw error
    return { error: error.code, existingId: error.fault.existingId }
  })
  expect(came).toEqual(
    blockedBy === null ? { id, kind, restored: true } : { error: "conflict", existingId: blockedBy }
  )
  if (blockedBy !== null) return
  world.set(id, { ...one, state: "live", name: given ?? one.name, into: merged ? null : one.into })
}

/** The whole list, page by page. */
const listed = async (engine: Engine, size: number, kind?: TrashKind): Promise<ReadonlyArray<TrashItem>> => {
  const items: Array<TrashItem> = []
  for (;;) {
    const page = await engine.trash.list({
      limit: size,
      offset: items.length,
      ...(kind === undefined ? {} : { kind })
    })
    items.push(...page.items)
    if (page.items.length === 0 || items.length >= page.total) {
      expect(items.length).toBe(page.total)
      return items
    }
  }
}

const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1)

describe("the trash", () => {
  it("shows after any history what is in it and what is in the way, and gives back what is free", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 28 }), async (steps) => {
        const own = mkdtempSync(join(vault, "one-"))
        const engine = await createEngine({ vault: own, data: ":memory:", worker: false })
        const world: World = new Map()
        try {
          for (const one of steps) {
            await take(engine, world, one)
            const all = await listed(engine, 200)
            expect(all.map(({ deletedAt: _, ...item }) => item).sort(byId)).toEqual(
              expected(world).sort(byId)
            )
          }
          const all = await listed(engine, 200)
          const order = [...all].sort((a, b) =>
            a.deletedAt > b.deletedAt ? -1 : a.deletedAt < b.deletedAt ? 1 : byId(a, b)
          )
          expect(all).toEqual(order)
          expect(await listed(engine, 2)).toEqual(all)
          for (const kind of ["document", "entity", "relation", "merged_entity"] as const)
            expect(await listed(engine, 3, kind)).toEqual(all.filter((item) => item.kind === kind))
          const live = [...world].filter(
            ([, one]) => one.kind === "entity" && one.state === "live" && stands(one)
          )
          const shown = (await engine.entities.list({ limit: 200 })).entities.filter(
            ({ type }) => type === "thing"
          )
          expect(shown.map(({ id }) => id).sort()).toEqual(live.map(([id]) => id).sort())
        } finally {
          await engine.close()
        }
      }),
      { numRuns: runs(25) }
    )
  })

  it("is the same after an export and an import, and comes back from there", async () => {
    const [from, to] = [mkdtempSync(join(vault, "from-")), join(vault, "to")]
    const engine = await createEngine({ vault: from, data: ":memory:", worker: false })
    const world: World = new Map()
    const story: ReadonlyArray<Step> = [
      { do: "write", path: "a.md" },
      { do: "enter", name: "Ada" },
      { do: "enter", name: "Borealis" },
      { do: "relate", place: 0, into: 1 },
      { do: "delete", place: 3 },
      { do: "delete", place: 0 },
      { do: "merge", place: 0, into: 1 }
    ]
    for (const one of story) await take(engine, world, one)
    const before = await engine.trash.list()
    expect(before.total).toBe(3)
    await importWorkspace(engine.export(), { vault: to })
    await engine.close()
    const back = await createEngine({ vault: to, worker: false })
    try {
      expect(await back.trash.list()).toEqual(before)
      for (const { id } of before.items) await back.trash.restore(id)
      expect(await back.trash.list()).toEqual({ items: [], total: 0 })
      expect((await back.documents.getByPath("a.md")).content).toBe("# Of a.md")
      expect((await back.doctor()).ok).toBe(true)
    } finally {
      await back.close()
    }
  })
})
