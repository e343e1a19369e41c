import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openAiCompatibleChat } from "../../../../adapters/models/index.js"
import { createEngine, type Engine } from "../../../../adapters/sqlite/index.js"
import { completion, type FakeOpenAi, type FakeReply, fakeOpenAi } from "../../../support/fake-openai.js"
import { temporaryFolder } from "../../../support/folders.js"

const folder = temporaryFolder("providers")
let engine: Engine
let provider: FakeOpenAi
let reply: (before: number) => FakeReply = () => completion("Done.")

beforeAll(async () => {
  let before = 0
  provider = await fakeOpenAi(({ body }) => {
    const messages = Array.isArray(body["messages"]) ? body["messages"] : []
    before = messages.some(({ role }: { role?: unknown }) => role === "assistant") ? before + 1 : 0
    return reply(before)
  })
  engine = await createEngine({
    vault: folder,
    data: ":memory:",
    models: { chat: openAiCompatibleChat({ baseUrl: provider.baseUrl, model: "fake" }) }
  })
  await engine.documents.create({ path: "crane.md", content: "# Crane\n\nThe crane lifts 40 tonnes." })
  await engine.agents.put("odd", {
    name: "Odd",
    instructions: "Look it up.",
    tools: [{ name: "svc_search" }, { name: "svc_list_documents" }]
  })
})
afterAll(async () => {
  await engine.close()
  await provider.close()
})

const run = async () => {
  const { runId } = await engine.runs.start("odd", "How much does the crane lift?")
  for await (const _ of engine.runs.events(runId));
  return engine.runs.get(runId)
}

/** A turn that calls tools as a provider writes them. */
const calling = (calls: ReadonlyArray<object>, usage?: unknown): FakeReply => ({
  json: {
    id: "c1",
    object: "chat.completion",
    created: 1,
    model: "fake",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: null, tool_calls: calls },
        finish_reason: "tool_calls"
      }
    ],
    usage: usage ?? { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  }
})
const call = (id: unknown, fn: object) => ({ id, type: "function", function: fn })
const search = { name: "svc_search", arguments: '{"q":"crane"}' }
const thenDone = (first: FakeReply) => (before: number) => (before === 0 ? first : completion("Done."))

/** Another run works right after an odd one. */
const goesOn = async () => {
  reply = thenDone(calling([call("a", search)]))
  const { run: next, steps } = await run()
  expect(next.status).toBe("succeeded")
  expect(steps.find(({ kind }) => kind === "tool_call")).toMatchObject({ status: "ok" })
}

describe("odd replies of a provider are the matter of one run", () => {
  it.each([
    ["an object instead of a text", { name: "svc_search", arguments: { q: "crane" } }],
    ["white space around them", { name: "svc_search", arguments: ' {"q":"crane"}\n' }]
  ])("arguments that are %s are read", async (_, fn) => {
    reply = thenDone(calling([call("a", fn)]))
    const { run: done, steps } = await run()
    expect(done.status).toBe("succeeded")
    expect(steps.find(({ kind }) => kind === "tool_call")).toMatchObject({ name: "svc_search", status: "ok" })
    await goesOn()
  })

  it.each([
    ["no arguments", { name: "svc_list_documents" }],
    ["null", { name: "svc_list_documents", arguments: null }],
    ["an empty text", { name: "svc_list_documents", arguments: "" }]
  ])("%s are no arguments", async (_, fn) => {
    reply = thenDone(calling([call("a", fn)]))
    const { run: done, steps } = await run()
    expect(done.status).toBe("succeeded")
    expect(steps.find(({ kind }) => kind === "tool_call")).toMatchObject({
      name: "svc_list_documents",
      status: "ok"
    })
    await goesOn()
  })

  it("arguments that are no JSON go back to the model with what is wrong", async () => {
    reply = thenDone(calling([call("a", { name: "svc_search", arguments: "{q: crane" })]))
    const { run: done, steps } = await run()
    expect(done.status).toBe("succeeded")
    expect(steps).toContainEqual(
      expect.objectContaining({ kind: "guardrail", name: "arguments", status: "error" })
    )
    await goesOn()
  })

  it("an error in a reply of status 200 ends the run with the provider's words", async () => {
    reply = () => ({ json: { error: { message: "maximum context length is 8192 tokens", code: 400 } } })
    const { run: failed } = await run()
    expect(failed.status).toBe("failed")
    expect(failed.error?.message).toContain("maximum context length is 8192 tokens")
    await goesOn()
  })

  it.each([
    ["empty", ["", ""]],
    ["missing", [undefined, undefined]],
    ["equal", ["same", "same"]]
  ])("calls whose ids are %s are told apart", async (_, [first, second]) => {
    reply = thenDone(
      calling([call(first, search), call(second, { name: "svc_search", arguments: '{"q":"tonnes"}' })])
    )
    const { run: done, steps } = await run()
    expect(done.status).toBe("succeeded")
    expect(steps.filter(({ kind, status }) => kind === "tool_call" && status === "ok")).toHaveLength(2)
    const sent = provider.requests.at(-1)?.body["messages"]
    const results = Array.isArray(sent) ? sent.filter(({ role }: { role?: unknown }) => role === "tool") : []
    const ids = results.map(({ tool_call_id }: { tool_call_id?: unknown }) => tool_call_id)
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(2)
    await goesOn()
  })

  it.each([
    ["fractional", { prompt_tokens: 10.5, completion_tokens: 2.25 }, "succeeded"],
    ["negative", { prompt_tokens: -5, completion_tokens: -1 }, "succeeded"],
    ["enormous", { prompt_tokens: 1e300, completion_tokens: 1e300 }, "budget_exceeded"],
    ["words", { prompt_tokens: "ten", completion_tokens: null }, "succeeded"]
  ])("usage that is %s is counted as whole tokens", async (_, usage, status) => {
    reply = thenDone(calling([call("a", search)], usage))
    const { run: done, steps } = await run()
    expect(done.status).toBe(status)
    for (const { tokensIn, tokensOut } of steps)
      for (const tokens of [tokensIn, tokensOut]) {
        expect(Number.isSafeInteger(tokens)).toBe(true)
        expect(tokens).toBeGreaterThanOrEqual(0)
      }
    await goesOn()
  })
})
