import { setTimeout } from "node:timers/promises"
import { scriptedAgentModel } from "../../adapters/models/scripted.js"
import { createEngine as createPostgres } from "../../adapters/postgres/index.js"
import { createEngine as createSqlite } from "../../adapters/sqlite/index.js"

// A process of its own on the data of a workspace: `agent-child VAULT [DATABASE]`. Takes the one run to its end, or begins it.
// KANON_TEST_APPROVE: writes wait for a decision, which this process makes. KANON_TEST_STALL: the number of a turn in which
// the model says so on the standard output and takes its time.

const [, , vault = "", database] = process.argv
const approves = process.env["KANON_TEST_APPROVE"] !== undefined
const stallsAt = Number(process.env["KANON_TEST_STALL"] ?? Number.NaN)

/** Ten calls, two of them writes: as many as a run of some length has. */
const chat = scriptedAgentModel(async (turn) => {
  if (turn === stallsAt) {
    console.log("stalled")
    await setTimeout(1_000)
  }
  const read = (q: string) => ({ name: "svc_search", arguments: { q } })
  const write = (path: string) => ({
    name: "svc_create_document",
    arguments: { path, content: `# ${path}\n\nWritten once.\n` }
  })
  const turns = [
    [read("one"), read("two"), read("three")],
    [read("four"), write("first.md")],
    [read("five"), read("six"), read("seven")],
    [write("second.md"), read("eight")]
  ]
  const calls = turns[turn]
  return calls === undefined ? "All is written." : { text: `Turn ${turn}.`, calls }
})

const options = { vault, models: { chat } }
const engine = await (database === undefined
  ? createSqlite({ ...options, thread: false })
  : createPostgres({ ...options, database }))
const known = await engine.runs.list()
let id: string | undefined = known.items[0]?.id
if (id === undefined) {
  await engine.agents.put("worker", {
    name: "Worker",
    instructions: "Work.",
    tools: [{ name: "svc_search" }, { name: "svc_create_document", approval: approves ? "always" : "never" }]
  })
  id = (await engine.runs.start("worker", "Go.")).runId
}
const end = async () => {
  for (;;) {
    let last = ""
    for await (const event of engine.runs.events(id ?? "")) {
      last = event.type
      if (event.type === "suspended") await engine.runs.decide(id ?? "", event.approvalId, "allow")
    }
    if (last !== "suspended") return
  }
}
await end()
const { items } = await engine.audit.list({ action: "document.create" })
const { run, steps } = await engine.runs.get(id)
const documents = await engine.documents.list()
const outcome = {
  status: run.status,
  text: run.output?.text,
  created: items.length,
  documents: documents.items.map(({ path, version }) => `${path} ${version}`).sort(),
  calls: steps.filter(({ kind }) => kind === "tool_call").map(({ name, status }) => `${name} ${status}`),
  decisions: (await engine.audit.list({ action: "run.allow" })).items.length,
  open: steps.filter(({ status }) => status === "pending").length
}
console.log(JSON.stringify(outcome))
await engine.close()
