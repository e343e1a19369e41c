// An agent that may write: its run waits for a person, and the write happens once, after the approval.
import { createEngine } from "kanon/sqlite"
import { scriptedAgentModel } from "kanon/testing"
import { makeVault } from "./vault.mjs"

// Leave `models` out and set KANON_CHAT_BASE_URL, KANON_CHAT_MODEL and KANON_CHAT_API_KEY for a real model.
const chat = scriptedAgentModel((turn) =>
  turn === 0
    ? {
        text: "I write it down.",
        calls: [
          {
            name: "svc_create_document",
            arguments: { path: "limits.md", content: "# Limits\n\nThe quay closes at 20 m/s.\n" }
          }
        ]
      }
    : "The note is written."
)
const engine = await createEngine({ vault: makeVault(), models: { chat } })
await engine.ingest()
await engine.agents.put("writer", {
  name: "Writer",
  instructions: "Write down what you are asked for.",
  tools: [{ name: "svc_create_document" }]
})
const { runId } = await engine.runs.start("writer", "Write down the wind limit of the quay.")
for await (const event of engine.runs.events(runId)) if (event.type === "suspended") break
const [waiting] = (await engine.runs.list({ status: "suspended" })).items
await engine.runs.decide(runId, waiting.pendingApproval.approvalId, "allow")
for await (const event of engine.runs.events(runId))
  if (event.type === "final") console.log(event.status, event.text)
console.log((await engine.documents.getByPath("limits.md")).version)
await engine.close()
// Prints:
// succeeded The note is written.
// 1
