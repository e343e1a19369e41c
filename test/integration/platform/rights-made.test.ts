/** What people make of documents, such as answers, reports and runs, shows nothing of those that a caller may not read. */
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import { afterAll, expect, it } from "vitest"
import { z } from "zod"
import { scriptedAgentModel, scriptedChatModel } from "../../../adapters/models/scripted.js"
import type { EngineCalls } from "../../../core/engine/engine/index.js"
import { operations } from "../../../core/operations.js"
import { createEngine } from "../../support/database.js"
import { temporaryFolder } from "../../support/folders.js"
import { openRightsWorld, type RightsWorld } from "../../support/rights-world.js"

const open = { "open/alder-pump.md": "# Alder Pump\n\nThe Alder Pump has a flow of 9 litres.\n" }
const hidden = {
  "hr/birch-valve.md":
    "---\naliases: [Falcon Operation]\n---\n# Birch Valve\n\nZirkon is the code word of the Falcon Operation. The Birch Valve has a flow of 12 litres.\n"
}
const secrets = /Zirkon|Birch|Falcon|hr\//

const folder = temporaryFolder("rights-made")
const shop = join(folder, "shop.sqlite")
new Sqlite(shop).exec("create table part (name text); insert into part values ('Falcon Operation')").close()

const models = {
  chat: {
    ...scriptedAgentModel((turn) =>
      turn === 0
        ? { calls: [{ name: "svc_search", arguments: { q: "code word flow" } }] }
        : "It is in the documents [S1]."
    ),
    generate: scriptedChatModel(({ messages }) => messages.map(({ content }) => content).join(" ")).generate
  }
}

const worlds: Array<RightsWorld> = []
afterAll(() => Promise.all(worlds.map(({ close }) => close())))

/** A workspace whose host prepared an agent, a query of live data, and judgments. */
const openWorld = async (files: Readonly<Record<string, string>>) => {
  const world = await openRightsWorld(createEngine, files, { models, liveDataFolders: [folder] })
  worlds.push(world)
  const { documents, engine } = world
  await engine.updateWorkspace({ name: "made", access: { folders: [{ path: "hr", read: ["group:hr"] }] } })
  await engine.call(operations.putAgent, {
    slug: "reader",
    name: "Reader",
    instructions: "Read.",
    tools: [{ name: "svc_search" }]
  })
  const { id: connectorId } = await engine.call(operations.createDataConnector, {
    name: "Shop",
    kind: "sqlite",
    settings: { path: shop }
  })
  await engine.call(operations.putDataQuery, {
    slug: "part",
    title: "Parts",
    connectorId,
    sql: "select name from part where name = :name",
    params: [{ name: "name", type: "string" }]
  })
  await engine.call(operations.putQrels, {
    judgments: [...documents].map(([path, docId]) => ({
      set: "made",
      queryId: path.replaceAll(/\W/g, "-"),
      query: path,
      docId,
      grade: 2
    }))
  })
  return world
}

const Item = z.looseObject({ id: z.string(), status: z.string().optional() })
/** The one list of an answer, whatever it is called. */
const Items = z
  .record(z.string(), z.unknown())
  .transform((answer) => ({ items: Item.array().parse(Object.values(answer).find(Array.isArray)) }))
const Entities = z.object({ entities: z.array(z.object({ id: z.string() })) })
type Call = (operation: unknown, input: unknown) => Promise<unknown>
/** Operations are chosen by the test, so that their types are not known here. */
const callOf = (calls: EngineCalls): Call => calls.call as unknown as Call

const ended = async (call: Call, list: unknown) => {
  for (;;) {
    const { items } = Items.parse(await call(list, {}))
    if (!items.some(({ status }) => /^(?:queued|running)$/.test(status ?? ""))) return items
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}

/** Everything that is read by an id of its own, with the list of its ids. */
const made = [
  [operations.getPolicyDecision, operations.listPolicyDecisions],
  [operations.getReport, operations.listReports],
  [operations.getRun, operations.listRuns],
  [operations.listRunSteps, operations.listRuns],
  [operations.streamRun, operations.listRuns],
  [operations.getEval, operations.listEvals],
  [operations.getDataCall, operations.listDataCalls],
  [operations.getChangeRequest, operations.listChangeRequests]
] as const

/** Asks, reports, runs an agent, evaluates and queries live data as a caller, all about one thing. */
const makeAll = async (call: Call, thing: string) => {
  await call(operations.query, { question: `What is the code word of the ${thing}?` })
  await call(operations.query, { question: `What is the flow of the ${thing}?` })
  await call(operations.createReport, { title: `About ${thing}`, kind: "coverage" })
  await call(operations.createReport, { title: `Use of ${thing}`, kind: "engagement" })
  await call(operations.startRun, { slug: "reader", input: `What is said of the ${thing}?` })
  await call(operations.runDataQuery, { slug: "part", params: { name: thing } })
  await call(operations.startEval, { name: thing, suite: "retrieval", set: "made" })
  const { entities } = Entities.parse(await call(operations.listEntities, { q: thing }))
  for (const { id } of entities)
    await call(operations.proposeChange, { kind: "update", entityId: id, payload: { description: thing } })
  await ended(call, operations.listRuns)
  await ended(call, operations.listEvals)
}

/** The answer or refusal without what differs between two workspaces: ids, moments, durations, hashes. */
const outcome = async (call: Call, operation: unknown, input: unknown): Promise<string> => {
  const shown = await call(operation, input).catch((error: unknown) => {
    const { code, message } = z.object({ code: z.string(), message: z.string() }).parse(error)
    return { code, message }
  })
  return JSON.stringify(shown, (name, value) =>
    /(?:At|Ms|Hash|Digest|^hash|^month|^digest|^since|^confidenceBin|pagerank)$/.test(name) ? null : value
  )
    .replaceAll(/\b[a-z]{2,4}_[0-9a-z]{26}\b/g, "<id>")
    .replaceAll(/\b[0-9a-f]{12,64}\b/g, "<hash>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
}

it("what others made of hidden documents is, to a caller, like what nobody made", async () => {
  const { engine } = await openWorld({ ...open, ...hidden })
  const host = callOf(engine)
  await makeAll(host, "Falcon Operation")
  const caller = callOf(engine.as({ member: "caller", principals: [] }))
  const reader = callOf(engine.as({ member: "caller", principals: ["group:hr"] }))
  for (const [get, list] of made) {
    const { items } = Items.parse(await host(list, {}))
    // Nothing is proposed about what has no entity.
    if (get !== operations.getChangeRequest) expect(items, get.name).not.toEqual([])
    for (const { id } of items) {
      const unknown = `${id.split("_")[0]}_00000000000000000000000000`
      const got = await outcome(caller, get, { id })
      expect(got, get.name).toBe(await outcome(caller, get, { id: unknown }))
      expect(got, get.name).not.toMatch(secrets)
      // It is there for one from whom nothing is hidden.
      expect(await outcome(reader, get, { id }), get.name).not.toBe(got)
    }
    const listed = await outcome(caller, list, {})
    expect(listed, list.name).not.toMatch(secrets)
    expect(Items.parse(await caller(list, {})).items, list.name).toEqual([])
  }
  const evals = Items.parse(await host(operations.listEvals, {})).items
  const [a = "", b = a] = evals.map(({ id }) => id)
  const none = "evl_00000000000000000000000000"
  expect(await outcome(caller, operations.compareEvals, { a, b })).toBe(
    await outcome(caller, operations.compareEvals, { a: none, b: none })
  )
})

it("what a caller makes is what it would be without the hidden documents", async () => {
  const [whole, rest] = [await openWorld({ ...open, ...hidden }), await openWorld(open)]
  await makeAll(callOf(whole.engine), "Falcon Operation")
  const calls = [whole, rest].map(({ engine }) =>
    callOf(engine.as({ member: "caller", principals: ["group:other"] }))
  )
  for (const thing of ["Falcon Operation", "Alder Pump"]) for (const call of calls) await makeAll(call, thing)
  const [mine, theirs] = calls
  if (mine === undefined || theirs === undefined) throw new RangeError("Two workspaces.")
  // An evaluation searches the whole workspace, and is withheld from whoever does not see all of it.
  for (const [get, list] of made.filter(([get]) => get !== operations.getEval)) {
    expect(await outcome(mine, list, {}), list.name).toBe(await outcome(theirs, list, {}))
    const [own, other] = [Items.parse(await mine(list, {})).items, Items.parse(await theirs(list, {})).items]
    for (const [at, { id }] of own.entries())
      expect(await outcome(mine, get, { id }), get.name).toBe(
        await outcome(theirs, get, { id: other[at]?.id })
      )
  }
})
