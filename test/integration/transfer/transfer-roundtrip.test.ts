import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Engine } from "../../../adapters/sqlite/index.js"
import { createEngine, importWorkspace } from "../../support/database.js"
import { runs } from "../../support/runs.js"
import { exported, linesOf, piecesOf, withPlace } from "../../support/transfer.js"

const names = ["Harbour crane", "North quay", "Ölpumpe", "東京", "Kestrel 🦅"]
const text = fc
  .tuple(
    fc.constantFrom("", "---\ntags: [quay, Öl]\naliases: [Big one]\ntype: machine\n---\n", "\ufeff"),
    fc.array(
      fc.oneof(
        fc.constantFrom(...names).map((name) => `# ${name}`),
        fc.constantFrom(...names).map((name) => `It stands beside [[${name}]] and lifts 40 tonnes.`),
        fc.constantFrom(
          "The Lifting Beam is heavy.",
          "Use the Lifting Beam. The Lifting Beam holds.",
          "- x\r\n- y"
        ),
        fc.string({ unit: "grapheme", maxLength: 30 }).map((noise) => noise.replaceAll("\0", ""))
      ),
      { maxLength: 6 }
    )
  )
  .map(([front, parts]) => (front + parts.join("\n\n")).toWellFormed())

type Step = (engine: Engine) => Promise<unknown>
const at = <Item>(items: ReadonlyArray<Item>, place: number): Item | undefined =>
  items[place % Math.max(items.length, 1)]
const place = fc.nat({ max: 50 })
const documentOf = async (engine: Engine, n: number) =>
  at((await engine.documents.list({ limit: 200 })).items, n)?.id ?? "none"
const entityOf = async (engine: Engine, n: number) =>
  at((await engine.entities.list({ limit: 200 })).entities, n)?.id ?? "none"
const removed: Array<string> = []

/** What people and programs do to a workspace; a step that has nothing to work on is refused, which is fine. */
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom("a.md", "b/C.md", "Straße.md", "d.md"), text).map(
      ([path, content]): Step =>
        (engine) =>
          engine.documents.create({ path, content })
    )
  },
  {
    weight: 2,
    arbitrary: fc.tuple(place, text).map(
      ([n, content]): Step =>
        async (engine) =>
          engine.documents.replace(await documentOf(engine, n), content)
    )
  },
  fc.tuple(place, fc.constantFrom("m/oved.md", "a.md")).map(
    ([n, path]): Step =>
      async (engine) =>
        engine.documents.move(await documentOf(engine, n), path)
  ),
  place.map(
    (n): Step =>
      async (engine) => {
        const id = await documentOf(engine, n)
        await engine.documents.remove(id)
        removed.push(id)
      }
  ),
  place.map(
    (n): Step =>
      (engine) =>
        engine.documents.restore(at(removed, n) ?? "none")
  ),
  fc.constantFrom(...names).map(
    (name): Step =>
      (engine) =>
        engine.entities.create({ name, type: "thing", aliases: ["Big one", [...name].slice(0, 3).join("")] })
  ),
  fc.tuple(place, fc.constantFrom(...names)).map(
    ([n, name]): Step =>
      async (engine) =>
        engine.entities.update(await entityOf(engine, n), { name, description: "d\u2028" })
  ),
  place.map(
    (n): Step =>
      async (engine) =>
        engine.entities.remove(await entityOf(engine, n))
  ),
  fc.tuple(place, fc.constantFrom("certify" as const, "review" as const)).map(
    ([n, verb]): Step =>
      async (engine) =>
        engine.entities[verb](await entityOf(engine, n))
  ),
  fc.tuple(place, fc.constantFrom("update" as const, "delete" as const, "deprecate" as const)).map(
    ([n, kind]): Step =>
      async (engine) =>
        engine.changeRequests.propose({
          kind,
          entityId: await entityOf(engine, n),
          payload: kind === "update" ? { description: "e\u2028", aliases: ["Ölkanne"] } : {},
          note: "\u{1f4a1}"
        })
  ),
  fc.tuple(place, fc.constantFrom("approve" as const, "reject" as const, "withdraw" as const)).map(
    ([n, verb]): Step =>
      async (engine) =>
        engine.as("ann").changeRequests[verb](at(await engine.changeRequests.list(), n)?.id ?? "none")
  ),
  fc.tuple(place, place).map(
    ([one, other]): Step =>
      async (engine) =>
        engine.entities.merge(await entityOf(engine, one), await entityOf(engine, other), "the same")
  ),
  fc.tuple(place, place).map(
    ([one, other]): Step =>
      async (engine) =>
        engine.relations.create({
          srcEntityId: await entityOf(engine, one),
          dstEntityId: await entityOf(engine, other),
          type: "stands_beside",
          evidence: "seen"
        })
  ),
  { weight: 2, arbitrary: fc.constant<Step>((engine) => engine.ingest()) }
)

/** All that a user can see of a workspace. */
const picture = async (engine: Engine) => {
  const documents = await Promise.all(
    (await engine.documents.list({ limit: 200 })).items.map(({ id }) => engine.documents.get(id))
  )
  const { entities } = await engine.entities.list({ limit: 200 })
  return {
    workspace: engine.workspace,
    documents,
    entities: entities.map(({ id, name, type }) => ({ id, name, type })),
    details: await Promise.all(
      entities.map(async ({ id }) => [
        await engine.entities.get(id),
        await engine.entities.mentions(id),
        await engine.entities.neighborhood(id, { depth: 2 }),
        await engine.entities.revisions(id)
      ])
    ),
    histories: await Promise.all(
      documents.map(async ({ id }) => {
        const { audit, derived, governance, origin } = await engine.documents.lineage(id)
        return [await engine.documents.versions(id), { audit, derived, governance, origin }]
      })
    ),
    relations: await engine.relations.list(),
    duplicates: await engine.entities.duplicates(),
    stewardship: await Promise.all(
      (["never_reviewed", "ownerless", "contested", "documents_due"] as const).map((view) =>
        engine.stewardship({ view })
      )
    ),
    trash: await engine.trash.list(),
    requests: await engine.changeRequests.list(),
    found: await Promise.all(
      ["lifting beam", "quay 40 tonnes", "東京", "Öl"].map((query) => engine.search(query))
    ),
    named: await engine.entities.resolve("Big one")
  }
}

const noSearch = { found: [] }

describe("an export", () => {
  it("makes the same workspace again: the same to every question, and byte by byte when exported", () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), fc.boolean(), (steps, worker) =>
        withPlace((vault) =>
          withPlace(async (copy) => {
            const { after, before, first, second } = await there(vault, copy, steps, worker)
            expect(second.toString()).toBe(first.toString())
            // Vectors are learned anew; how those of a grown workspace rank depends on when they were learned.
            expect({ ...after, ...(worker ? noSearch : {}) }).toEqual({
              ...before,
              ...(worker ? noSearch : {})
            })
            for (const { content, path } of before.documents)
              expect(readFileSync(join(copy, path), "utf8")).toBe(content)
            await comesBack(copy, first)
          })
        )
      ),
      { numRuns: runs(5) }
    ))
})

/** A history, its export, and what an import makes of that; with a worker both come to rest before they are seen. */
const there = async (vault: string, copy: string, steps: ReadonlyArray<Step>, worker: boolean) => {
  removed.length = 0
  mkdirSync(vault, { recursive: true })
  const one = await createEngine({ vault, worker })
  for (const work of steps) await work(one).catch(refused)
  await one.ingest()
  const [first, before] = [await exported(one), await picture(one)]
  const { ingest } = await importWorkspace(piecesOf(first), { vault: copy, wait: worker })
  expect([ingest.errors, ingest.documents.unchanged]).toEqual([[], before.documents.length])
  const other = await createEngine({ vault: copy, worker: false })
  expect(other.repairs).toEqual([])
  const [second, after] = [await exported(other), await picture(other)]
  await Promise.all([one.close(), other.close()])
  return { first, before, second, after }
}

/** What lies in the trash comes back there as it does here. */
const comesBack = async (vault: string, bytes: Buffer) => {
  const engine = await createEngine({ vault, worker: false })
  for (const { content, deletedAt, id, kind } of linesOf(bytes)) {
    if (kind !== "document" || deletedAt === null) continue
    await engine.documents.restore(String(id), `back/${id}.md`)
    expect((await engine.documents.get(String(id))).content).toBe(content)
  }
  await engine.close()
}

/** A step may be refused for a reason that users know; anything else is a bug. */
const refused = (error: unknown): void => {
  if (!(error instanceof Error && error.name === "KanonError")) throw error
}
