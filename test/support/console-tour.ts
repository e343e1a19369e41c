import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { expect, vi } from "vitest"
import { z } from "zod"
import { type ScriptedTurn, scriptedAgentModel } from "../../adapters/models/scripted.js"
import { createClient, type KanonClient } from "../../server/client/index.js"
import type { ConsoleWorld } from "./console-world.js"

const vault = join(import.meta.dirname, "../../demo/vault")
const folders = ["products", "projects", "people", "operations"]

const handover = "# Handover\n\nCrew transfer stops at a significant wave height of 1.2 m.\n"
const script = (turn: number): ScriptedTurn =>
  turn === 0
    ? {
        text: "The limits are clear. I will write them down for the handover.",
        calls: [
          {
            name: "svc_create_document",
            arguments: { path: "operations/handover.md", content: handover }
          }
        ]
      }
    : "The handover note is written."

/** The agent of the tour asks to write a note. */
export const tourModel = () => scriptedAgentModel(script)

/** The page on which a person lets an assistant in; a client that registered asks for it. */
const askForSignIn = async ({ url }: ConsoleWorld): Promise<string> => {
  const redirect = "http://127.0.0.1:39170/callback"
  const registered = await fetch(`${url}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: "Notebook", redirect_uris: [redirect] })
  })
  const { client_id } = z.looseObject({ client_id: z.string() }).parse(await registered.json())
  return `/connect?${new URLSearchParams({
    response_type: "code",
    client_id,
    redirect_uri: redirect,
    code_challenge: "a".repeat(43),
    code_challenge_method: "S256",
    scope: "kb:read"
  })}`
}

/** Fills the workspace with the demonstration vault and something for every page; returns a path for each. */
export const prepareTour = async (world: ConsoleWorld) => {
  const { server, workspace } = world
  const colleague = await server.user("Ben Ortiz", [workspace], "admin")
  const client = createClient({
    baseUrl: "http://kanon.test",
    key: await server.userKey(colleague, [workspace]),
    fetch: (input, init) => server.fetch(new Request(input, init))
  })
  const documents = await addDocuments(world, client)
  const { actuator, request, turbine } = await curate(world, client)
  await client.query({ question: "What is the price of a KT-3000 turbine?" })
  await client.query({ question: "Up to which significant wave height is crew transfer allowed?" })
  await client.query({ question: "How long does the PB-7 take to feather a blade in an emergency?" })
  const [decision] = (await client.listPolicyDecisions({ limit: 1 })).items
  const run = await askForApproval(client)
  await callData(world, client)
  const connector = await upload(client)
  const connect = await askForSignIn(world)
  const evaluation = await evaluate(client, documents)
  const report = await client.createReport({ title: "Coverage in autumn", kind: "coverage" })
  return {
    ask: "/",
    search: "/search?q=emergency+stroke+of+a+blade",
    documents: "/documents",
    trash: "/documents?trash=1",
    document: `/documents/${documents.pb7}`,
    versions: `/documents/${documents.pb7}?tab=versions`,
    lineage: `/documents/${documents.pb7}?tab=lineage`,
    editor: `/documents/${documents.pb7}?edit=1`,
    entities: "/entities",
    duplicates: "/entities?view=duplicates",
    entity: `/entities/${actuator}`,
    relations: `/entities/${actuator}?tab=relations`,
    history: `/entities/${actuator}?tab=history`,
    mentions: `/entities/${actuator}?tab=mentions`,
    graphStart: "/graph",
    graph: `/graph/${turbine}`,
    requests: "/requests",
    request: `/requests/${request}`,
    inbox: "/inbox",
    decisions: "/decisions",
    month: "/decisions?tab=month",
    decision: `/decisions/${decision?.id}`,
    audit: "/audit",
    jobs: "/jobs",
    data: "/data",
    databases: "/data?tab=databases",
    calls: "/data?tab=calls",
    agents: "/agents",
    agent: "/agents/writer",
    run: `/runs/${run}`,
    evaluations: "/evals",
    judgments: "/evals?tab=judgments",
    proposed: "/evals?tab=proposed",
    evaluation: `/evals/${evaluation}`,
    connect,
    connectors: "/connectors",
    connector: `/connectors/${connector}`,
    reports: "/reports",
    report: `/reports/${report.id}`,
    settings: "/settings",
    policy: "/settings/policy",
    models: "/settings/models",
    keys: "/settings/keys",
    members: "/settings/members",
    sessions: "/settings/sessions",
    retention: "/settings/retention",
    missing: "/no/such/page"
  } as const
}

/** Waits for background work. */
const until = (isDone: () => Promise<boolean>) =>
  vi.waitFor(async () => expect(await isDone()).toBe(true), { timeout: 50_000, interval: 50 })

const addDocuments = async (world: ConsoleWorld, client: KanonClient) => {
  const ids = new Map<string, string>()
  for (const folder of folders)
    for (const name of readdirSync(join(vault, folder)))
      if (name.endsWith(".md")) {
        const path = `${folder}/${name}`
        ids.set(path, await world.document(path, readFileSync(join(vault, path), "utf8")))
      }
  const id = (path: string): string => ids.get(path) ?? expect.fail(`There is no ${path}.`)
  const pb7 = id("products/pb-7.md")
  const text = readFileSync(join(vault, "products/pb-7.md"), "utf8")
  await client.replaceDocument({
    id: pb7,
    content: text.replace("lasts for three full", "lasts for at least three full")
  })
  await client.verifyDocument({ id: pb7, verification: "verified" })
  await client.verifyDocument({ id: id("operations/weather-limits.md"), verification: "verified" })
  await client.verifyDocument({ id: id("products/price-list-2025.md"), verification: "deprecated" })
  const forms = await world.document("operations/old-forms.md", "# Old forms\n\nNot in use any more.\n")
  await client.deleteDocument({ id: forms })
  return { pb7 }
}

const curate = async ({ member }: ConsoleWorld, client: KanonClient) => {
  const add = async (name: string, type: string, description: string): Promise<string> =>
    (await client.createEntity({ name, type, description })).id
  const turbine = await add("Tidal turbine", "concept", "Turns the current of the tide into electricity.")
  const actuator = await add("Pitch actuator", "concept", "Turns one blade of a turbine.")
  const room = await add("Joint control room", "site", "Watches all sites from Port Kelder.")
  await add("Pitch actuators", "concept", "")
  await client.createRelation({ srcEntityId: actuator, dstEntityId: turbine, type: "part of" })
  await client.createRelation({ srcEntityId: room, dstEntityId: turbine, type: "watches" })
  await client.certifyEntity({ id: turbine })
  await client.updateEntity({ id: actuator, aliases: ["Pitch drive"] })
  await client.setOwner({ id: actuator, ownerId: member })
  await client.proposeChange({ kind: "create", payload: { name: "Wet-mate connector", type: "concept" } })
  const { id: request } = await client.proposeChange({
    kind: "update",
    entityId: actuator,
    payload: { description: "Turns one blade of a turbine, and feathers it within 15 seconds." },
    note: "The data sheet of the PB-7 says how fast."
  })
  return { actuator, request, turbine }
}

const askForApproval = async (client: KanonClient): Promise<string> => {
  await client.putAgent({
    slug: "writer",
    name: "Handover writer",
    description: "Writes what the next shift has to know.",
    instructions: "Find the limits for today and write a handover note.",
    tools: [{ name: "svc_search" }, { name: "svc_create_document" }]
  })
  const { runId } = await client.startRun({ slug: "writer", input: "Write the handover note for tonight." })
  await until(async () => (await client.getRun({ id: runId })).run.status === "suspended")
  return runId
}

const callData = async ({ server }: ConsoleWorld, client: KanonClient): Promise<void> => {
  const file = join(server.folder, "plant.db")
  const database = new Database(file)
  database.exec("CREATE TABLE turbine (name TEXT, kw INTEGER); INSERT INTO turbine VALUES ('KT-1500', 1500)")
  database.close()
  const { id } = await client.createDataConnector({
    name: "Plant register",
    kind: "sqlite",
    settings: { path: file }
  })
  await client.putDataQuery({
    slug: "power",
    title: "Rated power of a turbine",
    description: "What the register says about one turbine.",
    connectorId: id,
    sql: "SELECT name, kw FROM turbine WHERE name = :name",
    params: [{ name: "name", type: "string" }]
  })
  await client.runDataQuery({ slug: "power", params: { name: "KT-1500" } })
}

const upload = async (client: KanonClient): Promise<string> => {
  const { id } = await client.createContentConnector({ name: "Team files", kind: "markdown_upload" })
  await client.syncContentConnector({
    id,
    files: [
      { path: "knots.md", content: "# Knots\n\nA bowline holds.\n" },
      { path: "broken.pdf", content: "%PDF-1.7\nnothing" }
    ]
  })
  await until(async () => (await client.getContentConnector({ id })).syncs[0]?.finishedAt != null)
  return id
}

const evaluate = async (client: KanonClient, { pb7 }: { readonly pb7: string }): Promise<string> => {
  const set = "operations"
  await client.putQrels({
    judgments: [
      { set, queryId: "q01", query: "How fast does the PB-7 feather a blade?", docId: pb7, grade: 2 },
      { set, queryId: "q02", query: "What torque does the PB-7 have?", docId: pb7, grade: 2 }
    ]
  })
  const { id } = await client.startEval({ name: "Baseline", suite: "retrieval", set })
  await until(async () => (await client.getEval({ id })).eval.finishedAt !== null)
  return id
}
