import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { scriptedAgentModel } from "../../../../adapters/models/scripted.js"
import type { Engine } from "../../../../adapters/sqlite/index.js"
import { operations } from "../../../../core/operations.js"
import { createEngine, importWorkspace } from "../../../support/database.js"
import { runs } from "../../../support/runs.js"
import { exported, linesOf, piecesOf, withPlace } from "../../../support/transfer.js"

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

/** Arbitrary changes by people and programs; a step without a subject is refused, which is fine. */
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

  it("carries agents, runs, connectors and queries, and neither credentials nor runs under way", () =>
    withPlace((vault) =>
      withPlace(async (copy) => {
        // Beside the vault: what is in it is never live data.
        const folder = `${vault}-live`
        for (const each of [vault, folder]) mkdirSync(each, { recursive: true })
        const live = new Sqlite(join(folder, "live.sqlite"))
        live.exec("create table city (name text, people integer); insert into city values ('Köln', 1)")
        live.close()
        const options = { models: { chat: agentModel }, liveDataFolders: [folder], worker: true }
        const one = await createEngine({ vault, ...options })
        const { connectorId } = await governed(one, folder)
        const ids = await ranAgents(one)
        const [first, before] = [await exported(one), await agentPicture(one, ids)]
        expect(first.toString()).not.toContain(secret)
        await importWorkspace(piecesOf(first), { vault: copy, wait: false })
        const other = await createEngine({ vault: copy, ...options })
        expect((await exported(other)).toString()).toBe(first.toString())
        const after = await agentPicture(other, ids)
        expect(after).toEqual({
          ...before,
          connectors: before.connectors.map((each) => ({ ...each, hasCredential: false }))
        })
        expect(before.connectors.find(({ id }) => id === connectorId)?.hasCredential).toBe(true)
        // A call that waited there waits here, and is carried out once allowed.
        await other.runs.decide(ids.waiting, after.approvalId, "allow")
        for await (const event of other.runs.events(ids.waiting))
          if (event.type === "final") expect(event.status).toBe("succeeded")
        expect((await other.documents.getByPath("made.md")).content).toContain("# Made")
        await Promise.all([one.close(), other.close()])
      })
    ))
})

const secret = "a-password-of-nobody"

/** Writes a document on its first turn when it is asked to, otherwise searches and answers. */
const agentModel = scriptedAgentModel((turn, { messages }) => {
  const writes = messages.some(({ content, role }) => role === "user" && content.includes("write"))
  if (turn > 0) return "Köln is a city [S1]."
  return {
    calls: [
      writes
        ? { name: "svc_create_document", arguments: { path: "made.md", content: "# Made" } }
        : { name: "svc_search", arguments: { q: "Köln" } }
    ]
  }
})

/** A connector with a credential, one with a named query in two revisions, and a data call. */
const governed = async (engine: Engine, folder: string) => {
  const settings = { host: "db.example", database: "shop", user: "reader" }
  const { id: connectorId } = await engine.call(operations.createDataConnector, {
    name: "Shop",
    kind: "postgres",
    settings,
    credential: secret,
    probe: false
  })
  const { id } = await engine.call(operations.createDataConnector, {
    name: "Cities",
    kind: "sqlite",
    settings: { path: join(folder, "live.sqlite") }
  })
  for (const title of ["City", "Cities"])
    await engine.call(operations.putDataQuery, {
      slug: "city",
      title,
      connectorId: id,
      sql: "select name, people from city where name = :name",
      params: [{ name: "name", type: "string" }],
      bindings: [{ entityType: "city", paramMap: { name: "name" } }]
    })
  await engine.call(operations.runDataQuery, { slug: "city", params: { name: "Köln" } })
  return { connectorId }
}

/** A run that ended with feedback, and one that waits for a decision. */
const ranAgents = async (engine: Engine) => {
  await engine.documents.create({ path: "k.md", content: "# Köln\n\nKöln is a city.\n" })
  await engine.agents.put("writer", {
    name: "Writer",
    instructions: "Write.",
    tools: [{ name: "svc_search" }, { name: "svc_create_document" }]
  })
  const follow = async (input: string) => {
    const { runId } = await engine.runs.start("writer", input)
    for await (const event of engine.runs.events(runId))
      if (event.type === "error") throw new Error(event.message)
    return runId
  }
  const [ended, waiting] = [await follow("What is Köln?"), await follow("Please write it.")]
  await engine.runs.feedback(ended, "correction", { text: "Köln is a city." })
  return { ended, waiting }
}

const agentPicture = async (engine: Engine, ids: { readonly ended: string; readonly waiting: string }) => {
  const { items: calls } = await engine.call(operations.listDataCalls, {})
  const { items } = await engine.runs.list()
  return {
    agent: await engine.agents.get("writer"),
    runs: items,
    approvalId: items.find(({ id }) => id === ids.waiting)?.pendingApproval?.approvalId ?? "",
    journals: await Promise.all([engine.runs.get(ids.ended), engine.runs.get(ids.waiting)]),
    connectors: (await engine.call(operations.listDataConnectors, {})).items,
    query: await engine.call(operations.getDataQuery, { slug: "city" }),
    calls: await Promise.all(calls.map(({ id }) => engine.call(operations.getDataCall, { id })))
  }
}

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

/** Restores the trash of the import, and expects the original texts. */
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
