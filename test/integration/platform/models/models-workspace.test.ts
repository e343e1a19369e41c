import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { StructuredAnswer } from "../../../../core/answers/answering/index.js"
import { scopeOf } from "../../../../core/platform/kernel/index.js"
import { addUsd, monthOf, parseUsd } from "../../../../core/platform/models/index.js"
import { WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import { fences } from "../../../support/docs.js"
import { temporaryFolder } from "../../../support/folders.js"
import {
  type Behaviour,
  chatReplies,
  type Misbehaving,
  misbehaving,
  says,
  transportFaults
} from "../../../support/misbehaving.js"
import { startServer, type TestServer } from "../../../support/server.js"
import { type Seed, seedWorkspace } from "../../../support/workspace-seed.js"

const reply = JSON.stringify({
  answerable: true,
  missing: null,
  sentences: [{ text: "It is kept at home.", citations: ["S1"] }]
})
const judgements = JSON.stringify({ judgements: [{ claim: 1, supported: "no", quote: "" }] })
const Texts = z.array(z.string())

/** A provider that speaks every protocol, by path. */
const provider: Behaviour = ({ body, path }, response) => {
  const field = (name: string): unknown => Reflect.get(Object(body), name)
  const text = JSON.stringify(body).includes("judgements") ? judgements : reply
  if (path.endsWith("/chat/completions")) return says(response, chatReplies["openai-compatible"](text))
  if (path.endsWith("/messages")) return says(response, chatReplies.anthropic(text))
  if (path.endsWith("/api/chat")) return says(response, chatReplies.ollama(text))
  const scored = (name: string) =>
    Texts.parse(field(name)).map((_, index) => ({ index, relevance_score: index, score: index }))
  if (path.endsWith("/rerank"))
    return says(response, field("texts") === undefined ? { results: scored("documents") } : scored("texts"))
  const vectors = z.union([Texts, z.string()]).parse(field("input") ?? [])
  const embeddings = [vectors].flat().map((one) => [one.length + 1, 1, 2])
  return path.endsWith("/api/embed")
    ? says(response, { embeddings })
    : says(response, {
        object: "list",
        model: "fake",
        data: embeddings.map((embedding, index) => ({ object: "embedding", index, embedding })),
        usage: { prompt_tokens: 1, total_tokens: 1 }
      })
}

const question = "Who keeps the secret of home?"
const path = "/api/v1/workspace"
let server: TestServer
let home: Seed
let good: Misbehaving
const keyFolder = temporaryFolder("chosen")
beforeAll(async () => {
  server = await startServer({ data: keyFolder })
  home = await seedWorkspace(server, "home")
  good = await misbehaving(provider)
})
afterAll(async () => {
  await server.close()
  await good.close()
})

const patch = async (body: unknown) => {
  const { body: said, status } = await server.call("PATCH", path, { key: home.key, body })
  expect([status, said]).toMatchObject([200, {}])
}
const ask = async () => {
  const { body, status } = await server.call("POST", "/api/v1/query", { key: home.key, body: { question } })
  return { status, body }
}
const answered = async () => StructuredAnswer.parse((await ask()).body)
const forget = { chat: null, judge: null, embedding: null, reranker: null, fallbackToExtractive: true }

describe("docs/models.md", () => {
  const examples = fences().filter(
    ({ attributes, page }) => page === "docs/models.md" && attributes["models"] !== undefined
  )
  const Body = z.object({ models: z.record(z.string(), z.record(z.string(), z.unknown())) })

  it.each(examples.map(({ attributes, text }) => [attributes["models"] ?? "", text] as const))(
    "shows a body that is taken as it stands, and whose models are called: %s",
    async (_, text) => {
      await patch({ models: forget })
      const { models } = Body.parse(JSON.parse(text))
      await patch({ models })
      const roles = Object.keys(models).filter((role) => role !== "prices")
      await patch({
        models: Object.fromEntries(
          roles.map((role) => [role, { baseUrl: good.url, credential: "sk-example-key" }])
        )
      })
      const before = good.received.length
      const answer = await answered()
      await server.call("GET", `/api/v1/search?q=secret&rerank=true`, { key: home.key })
      const asked = good.received.slice(before)
      if (roles.includes("chat")) expect(answer.model.chat).toBe(models["chat"]?.["model"])
      if (roles.includes("chat") || roles.includes("reranker")) expect(asked.length).toBeGreaterThan(0)
      for (const { headers } of asked)
        expect([headers.authorization, headers["x-api-key"]].join(" ")).toContain("sk-example-key")
    }
  )
})

describe("a model that a workspace chose", () => {
  const chosen = (baseUrl: string) => ({
    provider: "openai-compatible",
    model: "own-model",
    baseUrl,
    enabled: true
  })

  it("answers at once, costs what the workspace says, and is nobody else's", async () => {
    const foreign = await seedWorkspace(server, "foreign")
    await patch({
      models: { ...forget, chat: chosen(good.url), prices: { "own-model": { input: 1000, output: 2000 } } }
    })
    const answer = await answered()
    expect(answer).toMatchObject({
      answer: "It is kept at home. [S1]",
      model: { chat: "own-model" },
      usage: { inputTokens: 100, outputTokens: 20, costUsd: 0.14 }
    })
    const other = await server.call("POST", "/api/v1/query", { key: foreign.key, body: { question } })
    expect(StructuredAnswer.parse(other.body).model.chat).toBe("builtin/extractive-5")
    await patch({ models: { chat: { enabled: false } } })
    expect((await answered()).model.chat).toBe("builtin/extractive-5")
    // Without a choice nothing answers, neither the host's model nor the built-in one.
    await patch({ models: forget })
    await patch({ models: { chat: { enabled: false } } })
    const refused = await server.call("POST", "/api/v1/query", { key: home.key, body: { question } })
    expect([refused.status, refused.body]).toMatchObject([409, { error: "no-model-configured" }])
    const view = await server.call("GET", "/api/v1/workspace", { key: home.key })
    expect(view.body).toMatchObject({
      capabilities: { chat: false },
      settings: { models: { chatEnabled: false } }
    })
    await patch({ models: { chat: { enabled: true } } })
    expect((await answered()).model.chat).toBe("builtin/extractive-5")
  })

  it("that orders passages is counted by its calls, in searches and in answers", async () => {
    const reranker = { provider: "jina", model: "own-order", baseUrl: good.url }
    const prices = { "own-order": { perThousandCalls: 3 } }
    await patch({ models: { ...forget, reranker, prices } })
    const before = await used()
    await server.call("GET", "/api/v1/search?q=secret&rerank=true", { key: home.key })
    const searched = await used()
    expect(parseUsd(searched.costUsd) - parseUsd(before.costUsd)).toBe(parseUsd("0.003"))
    // The provider told no tokens: they are estimated.
    expect(searched.inputTokens).toBeGreaterThan(before.inputTokens)
    const answer = await answered()
    expect(answer.usage.costUsd).toBe(0.003)
    const after = await used()
    expect(after).toEqual({
      inputTokens: searched.inputTokens + answer.usage.inputTokens,
      outputTokens: searched.outputTokens,
      costUsd: addUsd(searched.costUsd, "0.003")
    })
    await patch({ models: forget })
  })

  it.each(["a reset connection", "no JSON at all", "status 401", "status 429 for long", "a redirect"])(
    "that fails leaves the built-in model to answer, or a clear 503, and writes nothing by halves: %s",
    async (name) => {
      const bad = await misbehaving(transportFaults[name] ?? provider)
      try {
        await patch({ models: { ...forget, chat: chosen(bad.url) } })
        const degraded = await answered()
        expect(degraded.model.chat).toBe("builtin/extractive-5")
        expect(degraded.claims.length).toBeGreaterThan(0)
        await patch({ models: { fallbackToExtractive: false } })
        const before = await used()
        const { body, status } = await ask()
        expect([status, body]).toMatchObject([503, { error: "model_unavailable" }])
        expect(JSON.stringify(body)).not.toMatch(/127\.0\.0\.1|169\.254/)
        expect(await used()).toEqual(before)
      } finally {
        await bad.close()
      }
    }
  )

  it("whose credential does not open any more is done without, until it is set again", async () => {
    await patch({ models: { ...forget, chat: { ...chosen(good.url), credential: "sk-first" } } })
    expect((await answered()).model.chat).toBe("own-model")
    writeFileSync(join(keyFolder, "secret.key"), `${Buffer.alloc(32, 7).toString("base64url")}\n`, {
      mode: 0o600
    })
    // Made before, it goes on; another choice has to open the credential.
    await patch({ models: { chat: { model: "own-model-2" } } })
    expect((await answered()).model.chat).toBe("builtin/extractive-5")
    await patch({ models: { chat: { credential: "sk-second" } } })
    expect((await answered()).model.chat).toBe("own-model-2")
    expect(good.received.at(-1)?.headers.authorization).toBe("Bearer sk-second")
  })

  const used = () => {
    const month = monthOf(new Date().toISOString())
    return server.as(
      home.workspace,
      Effect.flatMap(WorkspaceStore, (store) => store.usage.of(scopeOf(home.workspace), month))
    )
  }
})

describe("a credential", () => {
  const secret = "sk-NeverShown-0123456789abcdef"

  it("stands in no log, no answer and no trail, though a provider sends it back with every error", async () => {
    const logged: Array<string> = []
    const told = Logger.add(
      Logger.make(({ cause, message }) => {
        logged.push(JSON.stringify(message), Cause.pretty(cause))
      })
    )
    // In memory nothing seals a credential on Postgres.
    const data = temporaryFolder("loud")
    const loud = await startServer({ around: told, data })
    const echo = await misbehaving(({ headers }, response) =>
      says(response, { error: { message: `who is ${headers.authorization}?` } }, 401)
    )
    try {
      const seed = await seedWorkspace(loud, "loud")
      const seen: Array<string> = []
      const call = async (method: string, at: string, body?: unknown) => {
        const { body: said } = await loud.call(method, at, {
          key: seed.key,
          ...(body === undefined ? {} : { body })
        })
        seen.push(JSON.stringify(said))
      }
      const own = { model: "echo", baseUrl: echo.url, credential: secret }
      const speaks = { ...own, provider: "openai-compatible" }
      const roles = { chat: speaks, judge: speaks, embedding: speaks, extraction: speaks }
      const models = { ...roles, reranker: { ...own, provider: "jina" } }
      await call("PATCH", path, { models })
      await call("PATCH", path, { models: { chat: { provider: "none" }, judge: { credential: 7 } } })
      for (const policyMode of ["off", "enforce"])
        await call("POST", "/api/v1/query", { question, policyMode })
      await call("PATCH", path, { models: { fallbackToExtractive: false } })
      await call("POST", "/api/v1/query", { question })
      await call("POST", "/api/v1/grounding/check", { text: "The secret is kept at home.", judge: true })
      await call("GET", "/api/v1/search?q=secret&rerank=true")
      for (const at of ["workspace", "audit?limit=200", "policy/decisions", "jobs", "cache/stats"])
        await call("GET", `/api/v1/${at}`)
      expect(echo.received.map(({ headers }) => headers.authorization)).toContain(`Bearer ${secret}`)
      expect(logged.join("\n")).toContain("unavailable")
      expect([...logged, ...seen, JSON.stringify(loud.entries)].join("\n")).not.toContain(secret)
    } finally {
      await loud.close()
      await echo.close()
    }
  })
})
