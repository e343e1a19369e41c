// Answers as the UI message stream of the AI SDK, read by the transport that `useChat` has.
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import {
  createClient,
  queryOfMessages,
  uiAnswerStream,
  uiMessageResponse
} from "../../../server/client/index.js"
import { startServer, type TestServer } from "../../support/server.js"
import { slowModel } from "../../support/slow-model.js"

const facts = ["The gearbox takes four litres of oil.", "The gearbox has five gears."]
const sentences = facts.map((text) => JSON.stringify({ text, citations: ["S1"] }))
const parts = ['{"answerable":true,"missing":null,"sentences":[', `${sentences[0]},`, `${sentences[1]}`, "]}"]
const { chat, seen: model } = slowModel(() => ({ parts, pauseMs: 30 }))

let server: TestServer
let key = ""
beforeAll(async () => {
  server = await startServer({ models: { chat } })
  key = await server.key(await server.workspace("Workshop"))
  const body = { path: "gearbox.md", content: `# Gearbox\n\n${facts.join(" ")}\n` }
  expect((await server.call("POST", "/api/v1/documents", { key, body })).status).toBe(201)
})
afterAll(() => server.close())

/** The route of a product: it holds the key. */
const route = async (request: Request): Promise<Response> => {
  const client = createClient({
    baseUrl: "http://kanon.test",
    key,
    fetch: (url, init) => server.fetch(new Request(url, init))
  })
  const { id, messages } = z
    .object({
      id: z.string(),
      messages: z.array(
        z.object({
          role: z.string(),
          parts: z.array(z.looseObject({ type: z.string(), text: z.string().exactOptional() }))
        })
      )
    })
    .parse(await request.json())
  const events = client.streamQuery(queryOfMessages(messages), { signal: request.signal })
  return uiMessageResponse(uiAnswerStream(`${id}-${messages.length}`, events))
}

const user = (text: string): UIMessage => ({ id: "u", role: "user", parts: [{ type: "text", text }] })
const send = (messages: Array<UIMessage>, abortSignal?: AbortSignal) =>
  new DefaultChatTransport({
    api: "http://product.test/api/chat",
    fetch: (url, init) => route(new Request(url instanceof Request ? url : String(url), init))
  }).sendMessages({ chatId: "c", trigger: "submit-message", messageId: undefined, messages, abortSignal })

describe("a chat of the AI SDK", () => {
  it("shows checked sentences while the model writes, and at last the text with its sources", async () => {
    const seen: Array<{ readonly parts: ReadonlyArray<string>; readonly written: number }> = []
    let last: UIMessage | undefined
    const stream = await send([user("How much oil does the gearbox take?")])
    for await (const message of readUIMessageStream({ stream })) {
      last = message
      seen.push({ parts: message.parts.map(({ type }) => type), written: model.written })
    }
    const first = seen.find((one) => one.parts.includes("data-claim"))
    expect(first?.written).toBeLessThan(parts.length)
    expect(last?.parts).toMatchObject([
      { type: "source-document", sourceId: "S1", title: "Gearbox" },
      { type: "data-claim", id: "claim-0", data: { text: facts[0], status: "supported", citations: ["S1"] } },
      { type: "data-claim", id: "claim-1", data: { text: facts[1], status: "supported" } },
      { type: "text", text: `${facts[0]} [S1] ${facts[1]} [S1]` },
      { type: "data-answer", data: { answerId: expect.stringMatching(/^ans_/u) } }
    ])
  })

  it("goes on with what was said before, and shows what failed as an error", async () => {
    const answer: UIMessage = { id: "a", role: "assistant", parts: [{ type: "text", text: facts[0] ?? "" }] }
    expect(
      queryOfMessages([user("How much oil does the gearbox take?"), answer, user("And how many gears?")])
    ).toEqual({
      question: "And how many gears?",
      turns: [{ question: "How much oil does the gearbox take?", answer: facts[0] }]
    })
    const failing = async () => {
      for await (const _ of readUIMessageStream({ stream: await send([user(" ")]), terminateOnError: true }));
    }
    await expect(failing()).rejects.toThrow()
  })

  it("stops the model when its reader leaves", async () => {
    const before = model.stopped
    const reader = (await send([user("How much oil does the gearbox take?")])).getReader()
    for (;;) if (((await reader.read()).value?.type ?? "data-claim") === "data-claim") break
    await reader.cancel()
    await expect.poll(() => model.stopped, { timeout: 1000 }).toBe(before + 1)
  })
})
