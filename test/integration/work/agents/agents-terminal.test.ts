import { afterAll, beforeAll, expect, it } from "vitest"
import { scriptedAgentModel } from "../../../../adapters/models/scripted.js"
import { createEngine, type Engine } from "../../../../adapters/sqlite/index.js"
import { followRun } from "../../../../server/cli/run-view.js"
import { temporaryFolder } from "../../../support/folders.js"

const folder = temporaryFolder("terminal")
let engine: Engine
let docId: string
const chat = scriptedAgentModel((turn) =>
  turn === 0
    ? {
        text: "It is \u001b[2J wrong.",
        calls: [{ name: "svc_replace_document", arguments: { id: docId, content: "# Two\n" } }]
      }
    : "Done."
)

beforeAll(async () => {
  engine = await createEngine({ vault: folder, data: ":memory:", models: { chat } })
  await engine.agents.put("writer", {
    name: "Writer",
    instructions: "Write.",
    tools: [{ name: "svc_replace_document" }]
  })
})
afterAll(() => engine.close())

/** A run on a terminal at which these answers are typed in turn; a function acts before its answer is given. */
const typed = async (...answers: ReadonlyArray<string | null | (() => Promise<string>)>) => {
  const path = `one-${crypto.randomUUID()}.md`
  docId = (await engine.documents.create({ path, content: "# One\n" })).docId
  const { runId } = await engine.runs.start("writer", "Replace it.")
  const left = [...answers]
  let shown = ""
  const last = await followRun(
    engine,
    runId,
    { json: false, watch: true },
    {
      write: (text) => {
        shown += text
      },
      ask: async (question) => {
        shown += question
        const next = left.shift() ?? null
        return typeof next === "function" ? next() : next
      }
    }
  )
  const { run } = await engine.runs.get(runId)
  return { last, left, run, runId, shown, content: (await engine.documents.get(docId)).content }
}

it("shows the reason, the arguments and the diff, and asks again until it is told yes or no", async () => {
  const { content, last, left, shown } = await typed("perhaps", "", "y")
  expect(last).toMatchObject({ type: "final", status: "succeeded" })
  expect([content, left]).toEqual(["# Two\n", []])
  expect(shown.match(/Allow\? \[y\/n\] /gu)).toHaveLength(3)
  for (const part of ['"content": "# Two\\n"', "-# One", "+# Two", "waits  svc_replace_document", "USD"])
    expect(shown).toContain(part)
  // A model's output cannot clear the screen, and steps are not shown twice.
  expect(shown).not.toContain("\u001b[2J")
  expect(shown.match(/^model {2}/gmu)).toHaveLength(2)
})

it("a no denies the call, and an ended input leaves it waiting", async () => {
  const denied = await typed("n")
  expect([denied.last, denied.content]).toMatchObject([{ type: "final", status: "succeeded" }, "# One\n"])
  const left = await typed(null)
  expect([left.last, left.run.status, left.content]).toMatchObject([
    { type: "suspended" },
    "suspended",
    "# One\n"
  ])
  await engine.runs.cancel(left.runId)
})

it("a target that changed meanwhile is told, and the call can still be denied", async () => {
  const { content, last, shown } = await typed(async () => {
    await engine.documents.replace(docId, "# Three\n")
    return "y"
  }, "n")
  expect(shown.match(/Allow\? \[y\/n\] /gu)).toHaveLength(2)
  expect([last, content]).toMatchObject([{ type: "final", status: "succeeded" }, "# Three\n"])
})
