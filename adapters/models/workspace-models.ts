import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Redacted } from "effect/Redacted"
import type { SecretsUnavailable, WorkspaceScope } from "../../core/platform/kernel/index.js"
import {
  ChatModel,
  Embedder,
  givenModels,
  listPriceOf,
  type ModelChoice,
  ModelFailed,
  type ModelPrices,
  type ModelRole,
  Models,
  type Price,
  type PricedChoices,
  pricePerMillion,
  Reranker
} from "../../core/platform/models/index.js"
import { openSecret, type Sealer } from "../../core/platform/secrets/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { anthropicChat } from "./anthropic.js"
import { guardedFetch, refusalOf, replyLimits, vectorLimits } from "./guarded-fetch.js"
import { httpReranker } from "./http-reranker.js"
import { judgeOver } from "./judge.js"
import type { ServerSettings } from "./metered-call.js"
import { ollamaChat, ollamaEmbedder } from "./ollama.js"
import { openAiCompatibleChat, openAiCompatibleEmbedder } from "./openai-compatible.js"
import { defaultPatience } from "./resilience.js"

/** Host rules for the models that workspaces choose. */
export interface ProviderRules {
  /** Whether providers in private networks are allowed; suitable for a single-user host. */
  readonly privateAddresses: boolean
  /** The host's prices; a workspace's own take precedence, list prices come last. */
  readonly prices: ModelPrices
}

/** Number of cached models with their circuits: those of some hundred workspaces. */
const modelsMax = 512

/** Lets workspaces choose their own models in addition to the host's. */
export const withChoices = (given: Context.Tag.Service<Models>, rules: ProviderRules) =>
  Effect.gen(function* () {
    const services = yield* Effect.context<WorkspaceStore | Sealer>()
    const { privateAddresses } = rules
    const chatFetch = guardedFetch({ privateAddresses, ...replyLimits })
    const vectorFetch = guardedFetch({ privateAddresses, ...vectorLimits })
    const kept = new Map<string, unknown>()
    const lanes = new Map<string, Effect.Semaphore>()

    const keep = <Model>(key: string, make: () => Model, among: Map<string, unknown> = kept): Model => {
      // A cache key includes the role, so the cached model has its type.
      const cachedModel = (among.get(key) ?? make()) as Model
      among.delete(key)
      among.set(key, cachedModel)
      const [oldest] = among.keys()
      if (among.size > modelsMax && oldest !== undefined) among.delete(oldest)
      return cachedModel
    }

    const chosen = <Model>(
      workspace: WorkspaceScope,
      role: ModelRole,
      choices: PricedChoices,
      otherwise: Option.Option<Model>,
      make: (provider: Provider) => Model,
      failing: (modelId: string, reason: string) => Model
    ): Effect.Effect<Option.Option<Model>> => {
      const choice = choices[role]
      const fetch = role === "embedding" || role === "reranker" ? vectorFetch : chatFetch
      if (choice === null) return Effect.succeed(otherwise)
      if (!choice.enabled) return Effect.succeed(Option.none())
      const key = JSON.stringify([workspace, role, choice, choices.prices?.[choice.model] ?? null])
      if (kept.has(key)) return Effect.sync(() => Option.some(keep(key, () => make({ choice, fetch }))))
      return Effect.map(credentialOf(workspace, choice), (opened) =>
        Either.match(opened, {
          onLeft: ({ message }) => Option.some(failing(choice.model, message)),
          onRight: (apiKey) => {
            const lane = keep(
              JSON.stringify([workspace, choice.provider, choice.baseUrl]),
              () => Effect.unsafeMakeSemaphore(defaultPatience.concurrency),
              lanes
            )
            const price = priceOf(choice.model, choices.prices, rules.prices)
            return Option.some(keep(key, () => make({ apiKey, choice, fetch, lane, price })))
          }
        })
      )
    }

    const credentialOf = (
      workspace: WorkspaceScope,
      { secret }: ModelChoice
    ): Effect.Effect<Either.Either<Redacted<string> | undefined, SecretsUnavailable>> =>
      secret === null
        ? Effect.succeed(Either.right(undefined))
        : Effect.either(openSecret(workspace, secret)).pipe(Effect.provide(services))

    return Models.of({
      ...given,
      refuses: (baseUrl) => refusalOf(baseUrl, rules),
      of: (workspace, choices) =>
        Effect.gen(function* () {
          const own = givenModels(given)
          return {
            builtIn: own.builtIn,
            chat: yield* chosen(workspace, "chat", choices, own.chat, chatOf, failingChat),
            judge: yield* chosen(workspace, "judge", choices, own.judge, judgeOf, failingJudge),
            embedder: yield* chosen(
              workspace,
              "embedding",
              choices,
              own.embedder,
              embedderOf,
              failingEmbedder
            ),
            reranker: yield* chosen(
              workspace,
              "reranker",
              choices,
              own.reranker,
              rerankerOf,
              failingReranker
            ),
            extraction: yield* chosen<Context.Tag.Service<ChatModel>>(
              workspace,
              "extraction",
              choices,
              Option.none(),
              chatOf,
              failingChat
            )
          }
        })
    })
  })

/** A chosen model with the data of its calls. */
interface Provider extends Omit<ServerSettings, "model" | "baseUrl" | "patience"> {
  readonly choice: ModelChoice
}

const openAiAddress = "https://api.openai.com/v1"

/** Returns the price of a model: from the first table that lists it, else from the list prices. */
export const priceOf = (
  model: string,
  ...tables: ReadonlyArray<ModelPrices | undefined>
): Price | undefined => {
  const found = tables.flatMap((table) =>
    table !== undefined && Object.hasOwn(table, model) ? [table[model]] : []
  )[0]
  if (found === undefined) return listPriceOf(model)
  const { cachedInput, input, output, perThousandCalls } = found
  return pricePerMillion({
    input,
    output,
    perThousandCalls,
    ...(cachedInput === undefined ? {} : { cachedInput })
  })
}

const common = ({ choice: { baseUrl, model }, ...settings }: Provider) => ({
  ...settings,
  model,
  baseUrl: baseUrl ?? undefined
})

const chatOf = (provider: Provider): Context.Tag.Service<ChatModel> => {
  const { choice } = provider
  const settings = common(provider)
  if (choice.provider === "anthropic") return anthropicChat(settings)
  if (choice.provider === "ollama") return ollamaChat(settings)
  return openAiCompatibleChat({ ...settings, baseUrl: settings.baseUrl ?? openAiAddress })
}

const judgeOf = (provider: Provider) => judgeOver(chatOf(provider))

const embedderOf = (provider: Provider): Context.Tag.Service<Embedder> =>
  provider.choice.provider === "ollama"
    ? ollamaEmbedder(common(provider))
    : openAiCompatibleEmbedder({ ...common(provider), baseUrl: provider.choice.baseUrl ?? openAiAddress })

const rerankerOf = (provider: Provider): Context.Tag.Service<Reranker> => {
  const { provider: form } = provider.choice
  return httpReranker({ form: form === "cohere" || form === "tei" ? form : "jina", ...common(provider) })
}

const failure = (modelId: string, message: string) => new ModelFailed({ modelId, message, retryable: false })

const failingChat = (modelId: string, reason: string) =>
  ChatModel.of({ modelId, generate: () => Effect.fail(failure(modelId, reason)) })
const failingJudge = (modelId: string, reason: string) => judgeOver(failingChat(modelId, reason))
const failingEmbedder = (modelId: string, reason: string) =>
  Embedder.of({ modelId, batchMax: 1, embed: () => Effect.fail(failure(modelId, reason)) })
const failingReranker = (modelId: string, reason: string) =>
  Reranker.of({ modelId, rerank: () => Effect.fail(failure(modelId, reason)) })
