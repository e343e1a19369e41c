import { scriptedAgentModel } from "../../adapters/models/scripted.js"
import { createEngine as createPostgres } from "../../adapters/postgres/index.js"
import { createEngine as createSqlite } from "../../adapters/sqlite/index.js"

// A process of its own on the data of a workspace: `agent-child VAULT [DATABASE]`. Takes the one run to its end, or begins it.

const [, , vault = "", database] = process.argv

/** Ten calls, two of them writes: as many as a run of some length has. */
const chat = scriptedAgentModel((turn) => {
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
    tools: [{ name: "svc_search" }, { name: "svc_create_document", approval: "never" }]
  })
  id = (await engine.runs.start("worker", "Go.")).runId
}
for await (const event of engine.runs.events(id ?? ""))
  if (event.type === "final") {
    const { items } = await engine.audit.list({ action: "document.create" })
    const { run, steps } = await engine.runs.get(id ?? "")
    const documents = await engine.documents.list()
    const outcome = {
      status: run.status,
      text: run.output?.text,
      created: items.length,
      documents: documents.items.map(({ path, version }) => `${path} ${version}`).sort(),
      calls: steps.filter(({ kind }) => kind === "tool_call").map(({ name, status }) => `${name} ${status}`),
      open: steps.filter(({ status }) => status === "pending").length
    }
    console.log(JSON.stringify(outcome))
  }
await engine.close()
