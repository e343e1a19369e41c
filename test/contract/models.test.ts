import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { afterEach, describe, expect, it } from "vitest"
import {
  fromRerankingModel,
  modelsFromEnvironment,
  openAiCompatibleChat,
  openAiCompatibleEmbedder,
  type Patience,
  pricePerMillion,
  scriptedChatModel,
  scriptedEmbedder,
  scriptedReranker
} from "../../adapters/models/index.js"
import {
  ChatModel,
  type ChatRequest,
  Embedder,
  type ModelFailed,
  type ModelUse,
  metered,
  Reranker
} from "../../core/platform/models/index.js"
import {
  completion,
  type FakeOpenAi,
  type FakeReply,
  type FakeRequest,
  fakeOpenAi,
  refusal
} from "../support/fake-openai.js"
import { temporaryFolder } from "../support/folders.js"
import { runEffect } from "../support/run.js"
import { chatModelContract, embedderContract, rerankerContract } from "./models.js"

const key = "sk-very-secret-key-0123456789"
const quick: Partial<Patience> = { baseDelayMs: 1, attemptTimeoutMs: 2000, callTimeoutMs: 8000 }

const servers: Array<FakeOpenAi> = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

const serve = async (answer: (request: FakeRequest, before: number) => FakeReply) => {
  const server = await fakeOpenAi(answer)
  servers.push(server)
  return server
}

/** Words hashed into a few numbers: enough to tell texts apart. */
const embedding = (text: string) =>
  Array.from(
    { length: 8 },
    (_, at) =>
      1 + [...text].reduce((sum, char, place) => sum + ((char.charCodeAt(0) * (place + at + 1)) % 17), 0)
  )

const embeddings = ({ body }: FakeRequest): FakeReply => {
  const input = Array.isArray(body["input"]) ? body["input"].map(String) : []
  return {
    json: {
      object: "list",
      model: "fake",
      data: input.map((text, index) => ({ object: "embedding", index, embedding: embedding(text) })),
      usage: { prompt_tokens: 5, total_tokens: 5 }
    }
  }
}

/** The layer of an adapter over a server of its own, which closes with the layer's scope. */
const served = <Service, Id>(
  tag: { readonly Service: Service; readonly Identifier: Id } & Parameters<
    typeof Layer.scoped<Id, Service, never, never>
  >[0],
  answer: (request: FakeRequest) => FakeReply,
  make: (baseUrl: string) => Service
) =>
  Layer.scoped(
    tag,
    Effect.acquireRelease(
      Effect.promise(() => fakeOpenAi(answer)),
      (server) => Effect.promise(server.close)
    ).pipe(Effect.map(({ baseUrl }) => make(baseUrl)))
  )

const yes = '{"reply":"yes"}'
chatModelContract("scripted", () =>
  Layer.succeed(
    ChatModel,
    scriptedChatModel(() => yes)
  )
)
chatModelContract("OpenAI-compatible", () =>
  served(
    ChatModel,
    () => completion(yes),
    (baseUrl) => openAiCompatibleChat({ baseUrl, model: "fake" })
  )
)
embedderContract("scripted", () => Layer.succeed(Embedder, scriptedEmbedder(32)))
embedderContract("OpenAI-compatible", () =>
  served(Embedder, embeddings, (baseUrl) => openAiCompatibleEmbedder({ baseUrl, model: "fake" }))
)
rerankerContract("scripted", () => Layer.succeed(Reranker, scriptedReranker()))
rerankerContract("AI SDK", () =>
  Layer.succeed(
    Reranker,
    fromRerankingModel({
      specificationVersion: "v3",
      provider: "test",
      modelId: "test-reranker",
      doRerank: ({ documents, query }) => {
        const words = query.toLowerCase().split(/\W+/u)
        const score = (text: unknown) =>
          words.filter((word) => String(text).toLowerCase().includes(word)).length
        const ranking = documents.values.map((text, index) => ({ index, relevanceScore: score(text) }))
        return Promise.resolve({ ranking: ranking.sort((a, b) => b.relevanceScore - a.relevanceScore) })
      }
    })
  )
)

const request: ChatRequest = {
  messages: [
    { role: "system", content: "Rules." },
    { role: "user", content: "Question." }
  ],
  schema: { name: "reply", json: { type: "object", properties: {}, additionalProperties: false } },
  maxOutputTokens: 100
}

const chatAt = (baseUrl: string, more: { readonly patience?: Partial<Patience> } = {}) =>
  openAiCompatibleChat({ baseUrl, model: "fake", apiKey: Redacted.make(key), patience: quick, ...more })

/** The failure of a call that must fail. */
const failureOf = (model: ReturnType<typeof chatAt>): Promise<ModelFailed> =>
  runEffect(Effect.flip(model.generate(request)))

describe("the OpenAI-compatible chat model", () => {
  it("adds the path, sends key, rules and a strict schema, and reads usage and price", async () => {
    const usage = {
      prompt_tokens: 1000,
      completion_tokens: 100,
      total_tokens: 1100,
      prompt_tokens_details: { cached_tokens: 400 }
    }
    const server = await serve(() => completion(yes, { usage }))
    const price = pricePerMillion({ input: 2.5, cachedInput: 1.25, output: 10 })
    const model = openAiCompatibleChat({
      baseUrl: `${server.baseUrl}/`,
      model: "fake",
      apiKey: Redacted.make(key),
      price
    })
    const reply = await runEffect(model.generate(request))
    expect(reply).toEqual({
      text: yes,
      modelId: "fake",
      finishReason: "stop",
      usage: { inputTokens: 1000, outputTokens: 100, costUsd: "0.003", estimated: false }
    })
    const [sent] = server.requests
    expect(sent?.path).toBe("/v1/chat/completions")
    expect(sent?.authorization).toBe(`Bearer ${key}`)
    expect(sent?.body["messages"]).toEqual([
      { role: "system", content: "Rules." },
      { role: "user", content: "Question." }
    ])
    expect(sent?.body["response_format"]).toMatchObject({
      type: "json_schema",
      json_schema: { name: "reply", strict: true }
    })
    expect(sent?.body["max_tokens"]).toBe(100)
  })

  it("goes down to JSON mode and to the prompt where response_format is refused, and remembers it", async () => {
    const server = await serve(({ body }) =>
      "response_format" in body ? refusal(400, "response_format is not supported") : completion(yes)
    )
    const model = chatAt(server.baseUrl)
    await runEffect(model.generate(request))
    await runEffect(model.generate(request))
    const formats = server.requests.map(({ body }) => JSON.stringify(body["response_format"])?.slice(0, 22))
    expect(formats).toEqual(['{"type":"json_schema",', '{"type":"json_object"}', undefined, undefined])
    expect(JSON.stringify(server.requests[2]?.body["messages"])).toContain("JSON Schema")
  })

  it("tries again after 429 and 5xx, and obeys Retry-After", async () => {
    const server = await serve((_, before) =>
      before === 0
        ? refusal(429, "slow down", { "retry-after": "1" })
        : before === 1
          ? refusal(503, "busy")
          : completion(yes)
    )
    const startedAt = performance.now()
    expect((await runEffect(chatAt(server.baseUrl).generate(request))).text).toBe(yes)
    expect(server.requests).toHaveLength(3)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(990)
  })

  it("does not begin a wait that ends after the deadline, and tells when to come back", async () => {
    const server = await serve(() => refusal(429, "slow down", { "retry-after": "60" }))
    expect(await failureOf(chatAt(server.baseUrl))).toMatchObject({ retryable: true, retryAfterSeconds: 60 })
    expect(server.requests).toHaveLength(1)
  })

  it("tries three times, then fails; after five failures in a row it pauses", async () => {
    const server = await serve(() => refusal(500, "broken"))
    const model = chatAt(server.baseUrl)
    expect(await failureOf(model)).toMatchObject({ modelId: "fake", retryable: true })
    expect(server.requests).toHaveLength(3)
    await failureOf(model)
    expect(server.requests).toHaveLength(5)
    expect(await failureOf(model)).toMatchObject({ retryable: true, retryAfterSeconds: 30 })
    expect(server.requests).toHaveLength(5)
  })

  it("does not repeat a refusal", async () => {
    const server = await serve(() => refusal(401, "no such key"))
    expect(await failureOf(chatAt(server.baseUrl))).toMatchObject({ retryable: false })
    expect(server.requests).toHaveLength(1)
  })

  it.each(["hang", "drop"] as const)("gives up on a server that does nothing but %s", async (what) => {
    const server = await serve(() => what)
    const patience = { ...quick, attemptTimeoutMs: 300 }
    expect(await failureOf(chatAt(server.baseUrl, { patience }))).toMatchObject({ retryable: true })
    expect(server.requests).toHaveLength(3)
  })

  it("says when a reply was cut off, and estimates tokens that nobody counted", async () => {
    const server = await serve(() => completion('{"reply":', { finish: "length", usage: null }))
    const reply = await runEffect(chatAt(server.baseUrl).generate(request))
    expect(reply.finishReason).toBe("length")
    expect(reply.usage).toEqual({ inputTokens: 4, outputTokens: 3, costUsd: "0", estimated: true })
  })

  it.each([
    ["in a message", () => refusal(401, `Incorrect API key provided: ${key}.`)],
    ["half hidden", () => refusal(403, "Key sk-very-s***6789 is not allowed")],
    ["in a 500", () => refusal(500, `header was Bearer ${key}`)],
    ["in something that is no JSON", () => ({ json: key }) satisfies FakeReply]
  ])("never shows the key: %s", async (_, answer) => {
    const server = await serve(answer)
    const failure = await failureOf(chatAt(server.baseUrl))
    const shown = [
      failure.message,
      String(failure),
      JSON.stringify(failure),
      failure.stack ?? "",
      String(failure.cause ?? "")
    ].join("\n")
    expect(shown).not.toContain(key)
    expect(shown).not.toContain("very-s")
    expect(shown).not.toContain(server.baseUrl)
  })
})

describe("the OpenAI-compatible embedder", () => {
  it("adds the path and puts the prefix of the purpose before each text", async () => {
    const server = await serve(embeddings)
    const model = openAiCompatibleEmbedder({
      baseUrl: server.baseUrl,
      model: "fake",
      prefixes: { query: "query: ", passage: "passage: " }
    })
    await runEffect(model.embed(["a"], "query"))
    await runEffect(model.embed(["a", "b"], "passage"))
    expect(server.requests.map(({ body, path }) => [path, body["input"]])).toEqual([
      ["/v1/embeddings", ["query: a"]],
      ["/v1/embeddings", ["passage: a", "passage: b"]]
    ])
  })

  it("is another model with other prefixes, so that vectors of the two never mix", () => {
    const idOf = (prefixes?: { readonly query: string; readonly passage: string }) =>
      openAiCompatibleEmbedder({
        baseUrl: "http://127.0.0.1:1/v1",
        model: "fake",
        ...(prefixes === undefined ? {} : { prefixes })
      }).modelId
    const ids = [idOf(), idOf({ query: "q: ", passage: "p: " }), idOf({ query: "q: p: ", passage: "" })]
    expect(ids[0]).toBe("fake")
    expect(new Set(ids).size).toBe(3)
    expect(idOf({ query: "q: ", passage: "p: " })).toBe(ids[1])
  })

  it.each([
    ["too few vectors", [[1, 0]]],
    [
      "vectors of unequal length",
      [
        [1, 0],
        [1, 0, 0]
      ]
    ],
    [
      "a zero vector",
      [
        [1, 0],
        [0, 0]
      ]
    ],
    ["an empty vector", [[], []]]
  ])("refuses %s", async (_, vectors) => {
    const server = await serve(() => ({
      json: { data: vectors.map((one, index) => ({ index, embedding: one })), usage: { prompt_tokens: 1 } }
    }))
    const model = openAiCompatibleEmbedder({ baseUrl: server.baseUrl, model: "fake", patience: quick })
    expect(await runEffect(Effect.flip(model.embed(["a", "b"], "passage")))).toMatchObject({
      retryable: false
    })
  })
})

describe("models from the environment", () => {
  const read = (env: Readonly<Record<string, string>>) =>
    Effect.withConfigProvider(modelsFromEnvironment, ConfigProvider.fromMap(new Map(Object.entries(env))))

  it("is empty without names", async () => {
    const models = await runEffect(read({ KANON_CHAT_API_KEY: "x", KANON_CHAT_MODEL: " " }))
    expect([
      Option.isNone(models.chat),
      Option.isNone(models.embedder),
      Option.isNone(models.reranker)
    ]).toEqual([true, true, true])
  })

  it("makes the models that are named", async () => {
    const server = await serve(() => completion(yes))
    const models = await runEffect(
      read({
        KANON_CHAT_BASE_URL: server.baseUrl,
        KANON_CHAT_MODEL: "m1",
        KANON_CHAT_API_KEY: key,
        KANON_EMBEDDING_BASE_URL: server.baseUrl,
        KANON_EMBEDDING_MODEL: "m2"
      })
    )
    expect(Option.getOrThrow(models.chat).modelId).toBe("m1")
    expect(Option.getOrThrow(models.embedder).modelId).toBe("m2")
    await runEffect(Option.getOrThrow(models.chat).generate(request))
    expect(server.requests[0]?.authorization).toBe(`Bearer ${key}`)
  })

  it("cost what the file of the host's prices says", async () => {
    const folder = temporaryFolder("prices")
    const file = join(folder, "prices.json")
    writeFileSync(file, JSON.stringify({ m1: { input: 1000, output: 0 }, m2: { input: 2000 } }))
    const server = await serve((asked) =>
      asked.path.endsWith("/embeddings") ? embeddings(asked) : completion(yes)
    )
    const at = { KANON_CHAT_BASE_URL: server.baseUrl, KANON_EMBEDDING_BASE_URL: server.baseUrl }
    const models = await runEffect(
      read({ ...at, KANON_CHAT_MODEL: "m1", KANON_EMBEDDING_MODEL: "m2", KANON_PRICES: file })
    )
    const { usage } = await runEffect(Option.getOrThrow(models.chat).generate(request))
    expect(Number(usage.costUsd)).toBeCloseTo(usage.inputTokens / 1000, 9)
    const uses: Array<ModelUse> = []
    await runEffect(metered(Option.getOrThrow(models.embedder).embed(["a"], "query"), uses))
    expect(uses.map(({ costUsd, inputTokens }) => [inputTokens, costUsd])).toEqual([[5, "0.01"]])
  })

  it.each([
    { KANON_CHAT_MODEL: "m", KANON_CHAT_API_KEY: key },
    { KANON_CHAT_BASE_URL: "http://127.0.0.1:1/v1", KANON_CHAT_API_KEY: key },
    { KANON_EMBEDDING_BASE_URL: "ftp://x", KANON_EMBEDDING_MODEL: "m", KANON_CHAT_API_KEY: key }
  ])("refuses half a name, without showing the key: %#", async (env) => {
    const failure = await runEffect(Effect.flip(read(env)))
    expect(String(failure)).toContain("KANON_")
    expect(String(failure)).not.toContain(key)
  })
})
