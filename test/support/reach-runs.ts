import Sqlite from "better-sqlite3"
import { z } from "zod"
import { type Call, idOf } from "./reach-calls.js"

/** Connectors of every kind, and runs of a named query that end differently. */
export const runLiveData = async (call: Call, path: string) => {
  new Sqlite(path)
    .exec(
      "create table album (title text, price integer); insert into album values ('One', -9223372036854775807)"
    )
    .close()
  const address = { host: "127.0.0.1", database: "shop", user: "reader" }
  const settings = { sqlite: { path }, postgres: address, mysql: address }
  const connectors = new Map<string, string>()
  for (const [kind, one] of Object.entries(settings)) {
    const connector = { name: kind, kind, settings: one, probe: false }
    const id = idOf(await call("createDataConnector", connector))
    await call("updateDataConnector", { id, limits: { rowCap: 10 } })
    connectors.set(kind, id)
  }
  const query = { title: "Albums", connectorId: connectors.get("sqlite") }
  // The least integer has no absolute value.
  const sql = "select title, abs(price - cast(:n as integer)) as price from album"
  await call("putDataQuery", { ...query, slug: "albums", sql, params: [{ name: "n", type: "integer" }] })
  const Ran = z.object({ dataCallId: z.string() })
  const { dataCallId } = Ran.parse(await call("runDataQuery", { slug: "albums", params: { n: 0 } }))
  await call("getDataCall", { id: dataCallId })
  const fails = async (input: object) => {
    const error = await call("runDataQuery", { slug: "albums", ...input }).catch(String)
    await call("getDataCall", { id: /dcl_\w+/.exec(String(error))?.[0] })
  }
  await fails({})
  await fails({ params: { n: 1 } })
}

/** An agent, and a run of it that gets feedback and is cancelled. */
export const runAgent = async (call: Call) => {
  const tools = [{ name: "svc_search" }, { name: "svc_create_document", approval: "always" }]
  await call("putAgent", { slug: "reader", name: "Reader", instructions: "Read.", modelRole: "chat", tools })
  await call("getAgent", { slug: "reader" })
  const Started = z.object({ runId: z.string() })
  const { runId: id } = Started.parse(await call("startRun", { slug: "reader", input: "Who met whom?" }))
  await call("getRun", { id })
  await call("cancelRun", { id })
  await call("getRun", { id })
  const feedback = {
    thumb: { thumb: "up" },
    rating: { rating: 2 },
    correction: { text: "Somebody else." },
    edit: { before: "Ada", after: "Grace" },
    citation_flag: { docId: "doc_1", chunkId: "chk_1", reason: "Says nothing of it." }
  }
  for (const [kind, value] of Object.entries(feedback)) await call("addRunFeedback", { id, kind, value })
  for (const one of ["positive", "negative", "any"]) await call("listRuns", { feedback: one })
}
