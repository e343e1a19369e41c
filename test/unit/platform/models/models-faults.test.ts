import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { afterEach, describe, expect, it } from "vitest"
import { guardedFetch } from "../../../../adapters/models/guarded-fetch.js"
import {
  anthropicChat,
  httpReranker,
  ollamaChat,
  ollamaEmbedder,
  openAiCompatibleChat,
  openAiCompatibleEmbedder,
  type Patience,
  type RerankForm
} from "../../../../adapters/models/index.js"
import {
  type ChatRequest,
  type ModelFailed,
  type ModelUse,
  metered,
  pricePerMillion
} from "../../../../core/platform/models/index.js"
import {
  type Behaviour,
  chatReplies,
  type Misbehaving,
  misbehaving,
  says,
  transportFaults
} from "../../../support/misbehaving.js"

const secret = "sk-VeryPrivate-0123456789abcdef"
const patience: Partial<Patience> = { attempts: 2, attemptTimeoutMs: 150, callTimeoutMs: 600, baseDelayMs: 1 }
const request: ChatRequest = {
  messages: [
    { role: "system", content: "Rules." },
    { role: "user", content: "Question." }
  ],
  schema: {
    name: "reply",
    json: {
      type: "object",
      properties: { reply: { type: "string" } },
      required: ["reply"],
      additionalProperties: false
    }
  },
  maxOutputTokens: 100
}
const fetch = guardedFetch({ privateAddresses: true, responseMaxBytes: 4 * 1024 * 1024 })
const chats = {
  "openai-compatible": (baseUrl: string, more = patience) =>
    openAiCompatibleChat({ baseUrl, model: "fake", apiKey: Redacted.make(secret), patience: more, fetch }),
  anthropic: (baseUrl: string, more = patience) =>
    anthropicChat({ baseUrl, model: "fake", apiKey: Redacted.make(secret), patience: more, fetch }),
  ollama: (baseUrl: string, more = patience) =>
    ollamaChat({ baseUrl, model: "fake", apiKey: Redacted.make(secret), patience: more, fetch })
} as const
const kinds = ["openai-compatible", "anthropic", "ollama"] as const

const servers: Array<Misbehaving> = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})
const serve = async (behaviour: Behaviour) => {
  const server = await misbehaving(behaviour)
  servers.push(server)
  return server
}
const failureOf = (work: Effect.Effect<unknown, ModelFailed>) => Effect.runPromise(Effect.flip(work))

describe.each(kinds)("a chat model behind %s", (kind) => {
  it("replies with JSON of the schema, and counts tokens", async () => {
    const { received, url } = await serve((_, response) =>
      says(response, chatReplies[kind]('{"reply":"yes"}'))
    )
    const reply = await Effect.runPromise(
      chats[kind](url, { ...patience, attemptTimeoutMs: 5000, callTimeoutMs: 9000 }).generate(request)
    )
    expect(JSON.parse(reply.text)).toEqual({ reply: "yes" })
    expect(reply).toMatchObject({
      finishReason: "stop",
      usage: { inputTokens: 100, outputTokens: 20, estimated: false }
    })
    const [sent] = received
    const key = kind === "anthropic" ? sent?.headers["x-api-key"] : sent?.headers.authorization
    expect(key).toBe(kind === "anthropic" ? secret : `Bearer ${secret}`)
    expect(JSON.stringify(sent?.body)).toContain('"additionalProperties":false')
  })

  it.each(Object.entries(transportFaults))(
    "fails with a clear word, once and soon: %s",
    async (name, behaviour) => {
      const { received, url } = await serve(behaviour)
      const failure = await failureOf(chats[kind](url).generate(request))
      expect(failure._tag).toBe("ModelFailed")
      expect(failure.message.length).toBeGreaterThan(10)
      expect(failure.message.length).toBeLessThan(600)
      expect(failure.message).not.toContain(secret)
      expect(failure.message).not.toMatch(/127\.0\.0\.1|169\.254/)
      // Permanent failures are not retried; a server that refuses a form is asked for a simpler one.
      if (["status 401", "a redirect", "status 429 for long"].includes(name)) expect(received).toHaveLength(1)
      else expect(received.length).toBeLessThanOrEqual(2)
      // The page of a gateway in the place of a reply may be a reply the next time.
      if (name === "no JSON at all") expect(received).toHaveLength(2)
    }
  )

  it("says when to come back as the provider does, within an hour", async () => {
    for (const [asked, told] of [
      ["120", 120],
      ["99999", 3600],
      ["Wed, 21 Oct 2099 07:28:00 GMT", 3600]
    ] as const) {
      const { url } = await serve((_, response) => says(response, {}, 429, { "retry-after": asked }))
      const chat = chats[kind](url, { ...patience, attemptTimeoutMs: 5000, callTimeoutMs: 9000 })
      expect((await failureOf(chat.generate(request))).retryAfterSeconds).toBe(told)
    }
  })

  it("is not read beyond what an answer can be", async () => {
    const { url } = await serve((_, response) =>
      says(response, chatReplies[kind](JSON.stringify({ reply: "x".repeat(1024 * 1024) })))
    )
    const failure = await failureOf(
      chats[kind](url, { ...patience, attemptTimeoutMs: 5000, callTimeoutMs: 9000 }).generate(request)
    )
    expect(failure.message).toContain("more than are read")
    expect(failure.usage).toMatchObject({ inputTokens: 100, outputTokens: 20 })
  })

  it("is called eight times at once at most", async () => {
    let [now, most] = [0, 0]
    const { received, url } = await serve((_, response) => {
      now += 1
      most = Math.max(most, now)
      setTimeout(() => {
        now -= 1
        says(response, chatReplies[kind]('{"reply":"yes"}'))
      }, 10)
    })
    const model = chats[kind](url, { attemptTimeoutMs: 10_000, callTimeoutMs: 20_000 })
    await Effect.runPromise(
      Effect.all(
        Array.from({ length: 24 }, () => model.generate(request)),
        { concurrency: "unbounded" }
      )
    )
    expect(received).toHaveLength(24)
    expect(most).toBeLessThanOrEqual(8)
  })
})

it("Anthropic is never sent the host's own key in the place of one that is missing", async () => {
  const { received, url } = await serve((_, response) =>
    says(response, chatReplies.anthropic('{"reply":"yes"}'))
  )
  const before = process.env["ANTHROPIC_API_KEY"]
  process.env["ANTHROPIC_API_KEY"] = secret
  try {
    await Effect.runPromise(anthropicChat({ baseUrl: url, model: "fake", fetch }).generate(request))
  } finally {
    if (before === undefined) delete process.env["ANTHROPIC_API_KEY"]
    else process.env["ANTHROPIC_API_KEY"] = before
  }
  expect(JSON.stringify(received[0]?.headers)).not.toContain(secret)
})

it("Ollama is asked for room for all of a long prompt", async () => {
  const { received, url } = await serve((_, response) =>
    says(response, chatReplies.ollama('{"reply":"yes"}'))
  )
  const long = { ...request, messages: [{ role: "user" as const, content: "word ".repeat(20_000) }] }
  await Effect.runPromise(chats.ollama(url, {}).generate(long))
  expect(received[0]?.body).toMatchObject({ options: { num_ctx: 32_768, num_predict: 100 }, stream: false })
})

it("Ollama's embedder gives unit vectors in order, and refuses what is none", async () => {
  const { received, url } = await serve((_, response, before) =>
    says(response, {
      embeddings:
        before === 0
          ? [
              [3, 4],
              [0, 2]
            ]
          : [[1, 2]]
    })
  )
  const embedder = ollamaEmbedder({ baseUrl: `${url}/`, model: "fake", fetch, patience })
  const vectors = await Effect.runPromise(embedder.embed(["a", "b"], "passage"))
  expect(vectors.map((vector) => Array.from(vector, (value) => Math.round(value * 10) / 10))).toEqual([
    [0.6, 0.8],
    [0, 1]
  ])
  expect(received[0]).toMatchObject({ path: "/api/embed", body: { model: "fake", input: ["a", "b"] } })
  expect((await failureOf(embedder.embed(["a", "b"], "passage"))).message).toContain("1 vectors for 2 texts")
})

/** Returns the uses that a model reported for its calls. */
const usesOf = async (work: Effect.Effect<unknown, ModelFailed>) => {
  const uses: Array<ModelUse> = []
  await Effect.runPromise(metered(work, uses))
  return uses
}

it("embedding models tell what their calls used, estimated where the provider does not", async () => {
  const { url } = await serve(({ path }, response, before) =>
    says(
      response,
      path.endsWith("/api/embed")
        ? { embeddings: [[1]], ...(before === 0 ? { prompt_eval_count: 7 } : {}) }
        : { data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 9 } }
    )
  )
  const price = pricePerMillion({ input: 2, output: 0 })
  const own = ollamaEmbedder({ baseUrl: url, model: "fake", fetch, patience, price })
  const use = { role: "embedding", modelId: "fake", outputTokens: 0 }
  expect(await usesOf(own.embed(["abcdefgh"], "passage"))).toEqual([
    { ...use, inputTokens: 7, costUsd: "0.000014", estimated: false }
  ])
  expect(await usesOf(own.embed(["abcdefgh"], "passage"))).toEqual([
    { ...use, inputTokens: 2, costUsd: "0.000004", estimated: true }
  ])
  const other = openAiCompatibleEmbedder({ baseUrl: url, model: "fake", fetch, patience, price })
  expect(await usesOf(other.embed(["abcdefgh"], "query"))).toEqual([
    { ...use, inputTokens: 9, costUsd: "0.000018", estimated: false }
  ])
})

it.each([
  [
    "cohere",
    { meta: { billed_units: { search_units: 2 } } },
    { inputTokens: 1, costUsd: "0.004002", estimated: true }
  ],
  ["jina", { usage: { total_tokens: 30 } }, { inputTokens: 30, costUsd: "0.00206", estimated: false }],
  ["jina", { usage: { total_tokens: "many" } }, { inputTokens: 1, estimated: true }]
] as const)("a reranker of the form of %s is counted as it tells: %j", async (form, told, use) => {
  const { url } = await serve((_, response) =>
    says(response, { results: [{ index: 0, relevance_score: 1 }], ...told })
  )
  const price = pricePerMillion({ input: 2, output: 0, perThousandCalls: 2 })
  const model = httpReranker({ form, baseUrl: url, model: "fake", fetch, price })
  expect(await usesOf(model.rerank("q", ["abc"]))).toMatchObject([
    { role: "reranker", outputTokens: 0, ...use }
  ])
})

const results: Readonly<Record<RerankForm, (scores: ReadonlyArray<readonly [number, number]>) => unknown>> = {
  cohere: (scores) => ({ results: scores.map(([index, relevance_score]) => ({ index, relevance_score })) }),
  jina: (scores) => ({
    results: scores.map(([index, relevance_score]) => ({ index, relevance_score })),
    usage: {}
  }),
  tei: (scores) => scores.map(([index, score]) => ({ index, score }))
}

describe.each(["cohere", "jina", "tei"] as const)("a reranker of the form of %s", (form) => {
  const rerankerAt = (baseUrl: string) =>
    httpReranker({
      form,
      baseUrl,
      model: "fake",
      apiKey: Redacted.make(secret),
      fetch,
      patience: { attemptTimeoutMs: 150 }
    })

  it("scores in the order of the passages; what it leaves out comes last", async () => {
    const { received, url } = await serve((_, response) =>
      says(
        response,
        results[form]([
          [2, 0.9],
          [0, 0.1]
        ])
      )
    )
    expect(await Effect.runPromise(rerankerAt(url).rerank("q", ["a", "b", "c"]))).toEqual([0.1, -1, 0.9])
    expect(received[0]).toMatchObject({ path: "/rerank", body: { query: "q" } })
    expect(received[0]?.headers.authorization).toBe(`Bearer ${secret}`)
  })

  it.each(Object.entries(transportFaults))("fails after one attempt: %s", async (_, behaviour) => {
    const { received, url } = await serve(behaviour)
    const failure = await failureOf(rerankerAt(url).rerank("q", ["a"]))
    expect(failure.message).not.toContain(secret)
    expect(received).toHaveLength(1)
  })
})
