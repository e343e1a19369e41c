// `engine.ask` in its two forms: awaited, and gone through part by part.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type AskEvent, createEngine, type Engine } from "../../../../adapters/sqlite/index.js"
import { uiAnswerStream } from "../../../../server/client/index.js"
import { temporaryFolder } from "../../../support/folders.js"
import { slowModel } from "../../../support/slow-model.js"

const facts = ["The harbour crane lifts 40 tonnes.", "The harbour crane stands on the quay."]
const question = "How many tonnes does the harbour crane lift?"
const vault = temporaryFolder("parts")

// A hanging model writes its sentences and then never ends: a caller who leaves has to stop it.
let hangs = false
const sentences = facts.map((text) => JSON.stringify({ text, citations: ["S1"] }))
const parts = ['{"answerable":true,"missing":null,"sentences":[', sentences.join(","), "]}"]
const { chat, seen } = slowModel(() => ({ parts, pauseMs: 5, hangs }))

let engine: Engine
beforeAll(async () => {
  writeFileSync(join(vault, "crane.md"), `# Harbour crane\n\n${facts.join(" ")}\n`)
  engine = await createEngine({ vault, data: ":memory:", worker: false, models: { chat } })
  await engine.ingest()
})
afterAll(() => engine.close())

describe("engine.ask", () => {
  it("gives its parts and last the answer to a loop, and the answer alone to who awaits it", async () => {
    const told: Array<AskEvent> = []
    for await (const event of engine.ask(question)) told.push(event)
    expect(seen.isStreamed).toBe(true)
    const types = told.map(({ type }) => type)
    expect(types.filter((type) => type !== "stage")).toEqual(["sources", "claim", "claim", "answer"])
    const last = told.at(-1)
    if (last?.type !== "answer") throw new TypeError("The answer is not last.")
    expect(last.answerId).toMatch(/^ans_/)
    expect(told.flatMap((event) => (event.type === "claim" ? [event.claim] : []))).toEqual(last.answer.claims)
    // A chat of the AI SDK goes through them too, although it is read only later.
    const chat = uiAnswerStream("m1", engine.ask(question))
    await new Promise((resolve) => setTimeout(resolve, 5))
    const chunks: Array<string> = []
    for await (const { type } of chat) chunks.push(type)
    expect(chunks.filter((type) => type === "data-claim")).toHaveLength(facts.length)
    const awaited = await engine.ask(question)
    expect(seen.isStreamed).toBe(false)
    expect({ ...awaited, generatedAt: "" }).toEqual({ ...last.answer, generatedAt: "" })
  })

  it("tells a listener, whose errors change nothing", async () => {
    const seen: Array<string> = []
    const answer = await engine.ask(question, {
      onPart: ({ type }) => {
        seen.push(type)
        throw new Error("a mistake of the listener")
      }
    })
    expect(answer.claims).toHaveLength(2)
    expect(seen).toContain("claim")
  })

  it("stops when the loop is left, and throws in the loop what the promise is rejected with", async () => {
    hangs = true
    const before = seen.stopped
    for await (const event of engine.ask(question)) if (event.type === "claim") break
    await expect.poll(() => seen.stopped, { timeout: 5_000 }).toBe(before + 1)
    hangs = false
    const loop = async () => {
      for await (const _ of engine.ask("")) throw new Error("told something")
    }
    await expect(loop()).rejects.toMatchObject({ code: "invalid_body" })
    await expect(engine.ask("")).rejects.toMatchObject({ code: "invalid_body" })
    const signal = AbortSignal.abort(new Error("too late"))
    await expect(engine.ask(question, { signal })).rejects.toThrow("too late")
  })
})
