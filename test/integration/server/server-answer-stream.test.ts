// POST /api/v1/query as a stream: what is told while a chat model writes, and what may not be told.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { createClient } from "../../../server/client/index.js"
import { startServer, type TestServer } from "../../support/server.js"
import { slowModel } from "../../support/slow-model.js"

const facts = [
  "The gearbox takes four litres of oil.",
  "The oil of the gearbox is changed every two years.",
  "The drain plug of the gearbox is tightened with 25 Nm.",
  "The gearbox has five gears.",
  "The gearbox weighs 48 kg."
]
const question = "How much oil does the gearbox take?"

/** The reply of the model: parts, one after the other, with a pause. */
let reply: ReadonlyArray<string> = []
let pauseMs = 0
const { chat, seen: model } = slowModel(() => ({ parts: reply, pauseMs }))

const sentence = (text: string, citations: ReadonlyArray<string>) => JSON.stringify({ text, citations })
const json = (...sentences: ReadonlyArray<string>) => [
  '{"answerable": true, "missing": null, "sentences": [',
  ...sentences.map((one, at) => (at === 0 ? one : `, ${one}`)),
  "]}"
]

let server: TestServer
let key = ""
beforeAll(async () => {
  server = await startServer({ models: { chat } })
  key = await server.key(await server.workspace("Workshop"))
  const body = { path: "gearbox.md", content: `# Gearbox\n\n${facts.join(" ")}\n` }
  expect((await server.call("POST", "/api/v1/documents", { key, body })).status).toBe(201)
})
afterAll(() => server.close())

const Event = z.looseObject({ type: z.string(), index: z.int().optional() })
type Event = z.infer<typeof Event>

const open = (body: object, accept = "text/event-stream", signal?: AbortSignal) =>
  server.fetch(
    new Request("http://kanon.test/api/v1/query", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", accept },
      body: JSON.stringify({ question, ...body }),
      ...(signal === undefined ? {} : { signal })
    })
  )

/** Reads the events of a stream, each with the number of parts that the model had written when it came. */
async function* eventsOf(response: Response): AsyncGenerator<{ event: Event; at: number }, undefined> {
  const decoder = new TextDecoder()
  let rest = ""
  const reader = response.body?.getReader()
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
      if (done === true) return
      rest += decoder.decode(value, { stream: true })
      const messages = rest.split("\n\n")
      rest = messages.pop() ?? ""
      for (const message of messages)
        if (message.startsWith("data: "))
          yield { event: Event.parse(JSON.parse(message.slice(6))), at: model.written }
    }
  } finally {
    await reader?.cancel()
  }
}
const all = async (response: Response) => {
  const told: Array<{ event: Event; at: number }> = []
  for await (const one of eventsOf(response)) told.push(one)
  return told
}
const claimsOf = (told: ReadonlyArray<{ readonly event: Event }>) =>
  told.flatMap(({ event }) => (event.type === "claim" ? [event] : []))
const answerOf = (told: ReadonlyArray<{ readonly event: Event }>) =>
  z
    .object({
      answer: z.looseObject({ claims: z.array(z.unknown()), sources: z.unknown(), dataCalls: z.unknown() })
    })
    .parse(told.at(-1)?.event).answer

describe("clients of the stream", () => {
  it("by kanon/client go through the events, and get the error of a question without an answer", async () => {
    pauseMs = 5
    reply = json(...facts.map((fact) => sentence(fact, ["S1"])))
    const client = createClient({
      baseUrl: "http://kanon.test",
      key,
      fetch: (url, init) => server.fetch(new Request(url, init))
    })
    const told: Array<string> = []
    for await (const event of client.streamQuery({ question })) told.push(event.type)
    expect(told.filter((type) => type !== "stage")).toEqual([
      "sources",
      ...facts.map(() => "claim"),
      "answer"
    ])
    const empty = async () => {
      for await (const _ of client.streamQuery({ question: "" })) throw new Error("told something")
    }
    await expect(empty()).rejects.toMatchObject({ status: 400, code: "invalid_body" })
    // A proxy that passes the Accept header of its own gets the answer alone.
    const plain = createClient({
      baseUrl: "http://kanon.test",
      key,
      fetch: (url, init) => {
        const request = new Request(url, init)
        request.headers.set("accept", "application/json")
        return server.fetch(request)
      }
    })
    const events: Array<unknown> = []
    for await (const event of plain.streamQuery({ question })) events.push(event)
    expect(events).toMatchObject([{ type: "answer", answerId: expect.stringMatching(/^ans_/) }])
  })

  it("by MCP are told each sentence as progress while the model writes", async () => {
    pauseMs = 30
    reply = json(...facts.map((fact) => sentence(fact, ["S1"])))
    const client = new Client(
      { name: "test", version: "0.0.0" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } }
    )
    await client.connect(
      new StreamableHTTPClientTransport(new URL("http://kanon.test/api/mcp"), {
        requestInit: { headers: { authorization: `Bearer ${key}` } },
        fetch: (url, init) => server.fetch(new Request(url, init))
      })
    )
    const seen: Array<{ readonly progress: number; readonly message?: string | undefined }> = []
    await client.callTool(
      { name: "svc_query", arguments: { question } },
      { onprogress: (progress) => seen.push(progress) }
    )
    const sentences = seen.filter(({ progress }) => !Number.isInteger(progress))
    expect(sentences.length).toBeGreaterThanOrEqual(facts.length - 1)
    expect(sentences[0]?.message).toBe(`${facts[0]} [S1]`)
    const values = seen.map(({ progress }) => progress)
    expect(values).toEqual([...new Set(values)].sort((a, b) => a - b))
    await client.close()
  })
})

describe("the stream of an answer", () => {
  it("tells each sentence when it is checked, while the model writes the next", async () => {
    pauseMs = 30
    reply = json(...facts.map((fact) => sentence(fact, ["S1"])))
    const told = await all(await open({}))
    const types = told.map(({ event }) => event.type)
    expect(types.indexOf("sources")).toBeLessThan(types.indexOf("claim"))
    const claims = claimsOf(told)
    expect(claims.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4])
    // The first came while the model was at the third sentence at most.
    const first = told.find(({ event }) => event.type === "claim")
    expect(first?.at).toBeLessThanOrEqual(4)
    const answer = answerOf(told)
    expect(claims.map(({ claim }) => claim)).toEqual(answer.claims)
    expect(claims).toMatchObject(
      facts.map((text) => ({ claim: { text, citations: ["S1"], status: "supported" } }))
    )
    const sources = told.find(({ event }) => event.type === "sources")?.event
    expect({ sources: sources?.["sources"], dataCalls: sources?.["dataCalls"] }).toEqual({
      sources: answer.sources,
      dataCalls: answer.dataCalls
    })
  })

  it("ends with the answer as JSON has it", async () => {
    pauseMs = 0
    reply = json(...facts.map((fact) => sentence(fact, ["S1"])))
    const streamed = answerOf(await all(await open({})))
    const plain = z.looseObject({}).parse(await (await open({}, "application/json")).json())
    expect({ ...streamed, generatedAt: "" }).toEqual({ ...plain, generatedAt: "" })
  })

  it("tells sentences of prose, with the markers behind them", async () => {
    pauseMs = 10
    reply = facts.flatMap((fact) => [`${fact.slice(0, 10)}`, `${fact.slice(10, -1)} [S1].`, " "])
    const told = await all(await open({}))
    const claims = claimsOf(told)
    expect(claims.map(({ claim }) => claim)).toEqual(answerOf(told).claims)
    expect(claims).toHaveLength(facts.length)
    expect(told.find(({ event }) => event.type === "claim")?.at).toBeLessThan(reply.length)
  })

  it("shows of a sentence with markup and unknown markers only what the answer shows", async () => {
    pauseMs = 5
    reply = json(sentence(`${facts[0]} <b onclick=x>![](https://evil.example/x.png)</b>`, ["S1", "S99"]))
    const told = await all(await open({}))
    expect(claimsOf(told).map(({ claim }) => claim)).toEqual(answerOf(told).claims)
    expect(JSON.stringify(claimsOf(told))).not.toMatch(/evil|S99|onclick/)
  })

  it("tells no sentence before the gate has decided where it enforces", async () => {
    pauseMs = 10
    reply = json(...facts.map((fact) => sentence(fact, ["S1"])))
    const told = await all(await open({ policyMode: "enforce" }))
    const claims = told.filter(({ event }) => event.type === "claim")
    expect(claims.every(({ at }) => at === reply.length)).toBe(true)
    const judged = told.findIndex(({ event }) => event["name"] === "judge")
    expect(told.findIndex(({ event }) => event.type === "claim")).toBeGreaterThan(judged)
    expect(claimsOf(told).map(({ claim }) => claim)).toEqual(answerOf(told).claims)
    expect(claims).toHaveLength(facts.length)
  })

  it("tells nothing of an answer that the gate refuses, or of a reply that refuses", async () => {
    pauseMs = 5
    const invented = "The gearbox was painted green by Ms Adler in 1987."
    reply = json(sentence(invented, ["S1"]), sentence("Its colour is RAL 6011.", ["S1"]))
    const refused = await all(await open({ policyMode: "enforce" }))
    expect(claimsOf(refused)).toEqual([])
    expect(JSON.stringify(refused)).not.toContain("Adler")
    reply = json(
      sentence("The documents do not say anything about that.", []),
      sentence("I cannot answer.", [])
    )
    expect(claimsOf(await all(await open({})))).toEqual([])
    reply = ['{"answerable": false, "missing": "all", "sentences": [', sentence(facts[0] ?? "", ["S1"]), "]}"]
    expect(claimsOf(await all(await open({})))).toEqual([])
  })

  it("words the answer as it was wished, as JSON, as a stream and by MCP, and has bounds for wishes", async () => {
    pauseMs = 0
    reply = json(...facts.slice(0, 2).map((fact) => sentence(fact, ["S1"])))
    const wished = { question, answerFormat: "bullets", instructions: "Be brief.", language: "en" }
    const list = facts
      .slice(0, 2)
      .map((fact) => `- ${fact} [S1]`)
      .join("\n")
    const told = await all(await open(wished))
    expect(answerOf(told)).toMatchObject({ answer: list })
    expect(claimsOf(told)).toHaveLength(2)
    const asked = await server.call("POST", "/api/v1/query", { key, body: wished })
    expect(asked.body).toMatchObject({ answer: list })
    const client = new Client({ name: "test", version: "1.0.0" })
    await client.connect(
      new StreamableHTTPClientTransport(new URL("http://kanon.test/api/mcp"), {
        requestInit: { headers: { authorization: `Bearer ${key}` } },
        fetch: (url, init) => server.fetch(new Request(url, init))
      })
    )
    const called = await client.callTool({ name: "svc_query", arguments: wished })
    expect(called.structuredContent).toMatchObject({ answer: list })
    await client.close()
    const tooMuch = { ...wished, instructions: "x".repeat(2001) }
    const refused = await server.call("POST", "/api/v1/query", { key, body: tooMuch })
    expect(refused).toMatchObject({ status: 400, body: { error: "invalid_body" } })
  })

  it("leaves out sentences without support where the workspace withholds them", async () => {
    pauseMs = 5
    const change = (unsupported: string) =>
      server.call("PATCH", "/api/v1/workspace", { key, body: { policy: { unsupported } } })
    expect((await change("withhold")).status).toBe(200)
    reply = json(sentence("The gearbox was painted green in 1987.", ["S1"]), sentence(facts[3] ?? "", ["S1"]))
    const told = await all(await open({}))
    expect((await change("show")).status).toBe(200)
    expect(JSON.stringify(told)).not.toContain("1987")
    expect(claimsOf(told)).toMatchObject([{ index: 0, claim: { text: facts[3] } }])
    expect(claimsOf(told).map(({ claim }) => claim)).toEqual(answerOf(told).claims)
  })

  it("stops the model within two of its sentences when its reader leaves", async () => {
    pauseMs = 50
    reply = json(...Array.from({ length: 40 }, () => sentence(facts[0] ?? "", ["S1"])))
    const before = model.stopped
    const response = await open({})
    let left = 0
    for await (const { event } of eventsOf(response)) {
      left = model.written
      if (event.type === "claim") break
    }
    await expect.poll(() => model.stopped, { interval: 5 }).toBe(before + 1)
    // A sentence takes 50 ms, on a busy machine too.
    expect(model.written - left).toBeLessThanOrEqual(2)
  })

  it("loses and doubles nothing in a hundred streams at once", async () => {
    pauseMs = 2
    reply = json(...facts.map((fact) => sentence(fact, ["S1"])))
    const streams = await Promise.all(Array.from({ length: 100 }, async () => all(await open({}))))
    for (const told of streams) {
      expect(claimsOf(told).map(({ index }) => index)).toEqual([0, 1, 2, 3, 4])
      expect(told.filter(({ event }) => event.type === "answer")).toHaveLength(1)
      expect(claimsOf(told).map(({ claim }) => claim)).toEqual(answerOf(told).claims)
    }
  })
})
