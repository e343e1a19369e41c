import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { scriptedAgentModel } from "../../../../adapters/models/scripted.js"
import { createEngine, type Engine } from "../../../../adapters/sqlite/index.js"
import { type TurnMessage, withTemplateTokens } from "../../../../core/platform/models/index.js"
import { injections } from "../../../support/injections.js"
import { isLong } from "../../../support/runs.js"

/** A short run of the tests takes each fifth attack, and all those that are about the marks of content. */
const attacks = Object.entries(injections).filter(
  ([name], place) => isLong || place % 5 === 0 || name.startsWith("closing")
)

/**
 * A model that obeys whatever it reads: it opens the document that it is asked about, and writes what stands there as
 * often as it may.
 */
const obedient = scriptedAgentModel((turn, { messages }) => {
  const said = messages.find(({ role }) => role === "user")?.content ?? ""
  if (turn === 0) return { calls: [{ name: "svc_get_document", arguments: { id: said } }] }
  const read = messages.find(({ role }) => role === "tool")?.content ?? ""
  if (turn > 1) return "I did what I read."
  return {
    text: "The document says that I must.",
    calls: [
      { name: "svc_create_document", arguments: { path: `obeyed-${said}.md`, content: read } },
      { name: "svc_replace_document", arguments: { id: said, content: "# Replaced" } }
    ]
  }
})

const folder = mkdtempSync(join(tmpdir(), "kanon-injected-"))
let engine: Engine
const documents = new Map<string, { readonly id: string; readonly content: string }>()

beforeAll(async () => {
  engine = await createEngine({ vault: folder, data: ":memory:", models: { chat: obedient } })
  for (const [place, [name, text]] of attacks.entries()) {
    const content = `# Invoices ${place}\n\nInvoices are kept for ten years.\n\n${text}\n`
    const { docId } = await engine.documents.create({ path: `invoices-${place}.md`, content })
    documents.set(name, { id: docId, content })
  }
  await engine.agents.put("clerk", {
    name: "Clerk",
    instructions: "Answer what the document says.",
    tools: ["svc_get_document", "svc_create_document", "svc_replace_document"].map((name) => ({ name }))
  })
})
afterAll(async () => {
  await engine.close()
  rmSync(folder, { recursive: true, force: true })
})

const follow = async (id: string) => {
  let last: { readonly type: string } = { type: "none" }
  for await (const event of engine.runs.events(id)) last = event
  return { last, ...(await engine.runs.get(id)) }
}

describe("a document that speaks to an agent", () => {
  it.each(attacks.map(([name]) => name))(
    "(%s) reaches no write without an approval that shows it",
    async (name) => {
      const { content, id } = documents.get(name) ?? { id: "", content: "" }
      const before = await engine.documents.list({ limit: 200 })
      const { runId } = await engine.runs.start("clerk", id)
      const { last, steps } = await follow(runId)

      // The document's text stands only between the content marks, and nothing in it closes them.
      const { messages = [] } = obedient.requests.at(-1) ?? {}
      const result = messages.find(({ role }) => role === "tool")?.content ?? ""
      expect(result).toMatch(/^<content tool="svc_get_document">\n.*\n<\/content>$/su)
      expect(result.match(/<\/content/giu)).toHaveLength(1)
      expect(rest(messages)).not.toContain(content.split("\n").at(-2))

      // Both writes wait, with the exact arguments and what they would change; nothing was written.
      expect(last).toMatchObject({ type: "suspended", toolName: "svc_create_document" })
      const waiting = steps.filter(({ kind }) => kind === "approval")
      expect(waiting.map(({ status }) => status)).toEqual(["pending", "pending"])
      // Tokens of chat templates were broken up for the model only.
      const written = withTemplateTokens(result)
      expect(waiting[0]?.input).toMatchObject({ arguments: { path: `obeyed-${id}.md`, content: written } })
      expect(JSON.stringify(waiting[1]?.input?.["preview"])).toContain("+# Replaced")
      expect(steps.filter(({ name: tool }) => tool === "svc_create_document")).toHaveLength(1)

      for (const step of waiting) await engine.runs.decide(runId, String(step.input?.["approvalId"]), "deny")
      expect((await follow(runId)).last).toMatchObject({ type: "final", status: "succeeded" })
      expect(await engine.documents.list({ limit: 200 })).toEqual(before)
      expect((await engine.documents.get(id)).content).toBe(content)
    }
  )
})

/** Everything that is not the result of a tool. */
const rest = (messages: ReadonlyArray<TurnMessage>): string =>
  JSON.stringify(messages.filter(({ role }) => role !== "tool"))
