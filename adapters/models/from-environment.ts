import { readFileSync } from "node:fs"
import * as Config from "effect/Config"
import * as ConfigError from "effect/ConfigError"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { ModelPrices, type Models } from "../../core/platform/models/index.js"
import { openAiCompatibleChat, openAiCompatibleEmbedder } from "./openai-compatible.js"
import { priceOf } from "./workspace-models.js"

/** Reads a variable of the environment; one that is set to blanks counts as not set. */
const blankAsNone = <A>(config: Config.Config<A>, isBlank: (value: A) => boolean) =>
  Config.map(
    Config.option(config),
    Option.filter((value) => !isBlank(value))
  )

const text = (name: string) => blankAsNone(Config.string(name), (value) => value.trim() === "")

const endpoint = (prefix: string) =>
  Config.all({
    baseUrl: text(`${prefix}_BASE_URL`),
    model: text(`${prefix}_MODEL`),
    apiKey: Config.option(Config.redacted(`${prefix}_API_KEY`)),
    timeoutMs: Config.option(
      Config.validate(Config.integer(`${prefix}_TIMEOUT_MS`), {
        message: "Expected a number of milliseconds from 1 to 3600000",
        validation: (value) => value >= 1 && value <= 3_600_000
      })
    )
  }).pipe(
    Config.mapOrFail(({ apiKey, baseUrl, model, timeoutMs }) => {
      if (Option.isNone(baseUrl) && Option.isNone(model)) return Either.right(Option.none())
      if (Option.isNone(baseUrl)) return Either.left(missing(`${prefix}_BASE_URL`, `${prefix}_MODEL`))
      if (Option.isNone(model)) return Either.left(missing(`${prefix}_MODEL`, `${prefix}_BASE_URL`))
      if (!/^https?:\/\/[^\s/]/u.test(baseUrl.value))
        return Either.left(
          ConfigError.InvalidData([`${prefix}_BASE_URL`], "Expected an http or https address")
        )
      return Either.right(
        Option.some({
          baseUrl: baseUrl.value,
          model: model.value,
          ...(Option.isNone(apiKey) ? {} : { apiKey: apiKey.value }),
          ...(Option.isNone(timeoutMs)
            ? {}
            : { patience: { attemptTimeoutMs: timeoutMs.value, callTimeoutMs: timeoutMs.value } })
        })
      )
    })
  )

const missing = (absent: string, present: string) =>
  ConfigError.MissingData([absent], `${present} is set, so ${absent} must be set, too`)

/** The host's own prices: `KANON_PRICES` names a JSON file of US dollars per million tokens, by model. */
export const pricesFromEnvironment: Effect.Effect<ModelPrices, ConfigError.ConfigError> = Effect.flatMap(
  text("KANON_PRICES"),
  Option.match({
    onNone: () => Effect.succeed({}),
    onSome: (file) =>
      Effect.try({
        try: () => ModelPrices.parse(JSON.parse(readFileSync(file, "utf8"))),
        catch: () =>
          ConfigError.InvalidData(
            ["KANON_PRICES"],
            'Expected a JSON file such as {"gpt-5": {"input": 1.25, "cachedInput": 0.125, "output": 10}}'
          )
      })
  })
)

/**
 * Reads the models from the environment: `KANON_CHAT_BASE_URL`, `KANON_CHAT_MODEL`, `KANON_CHAT_API_KEY`, and the same
 * three with `KANON_EMBEDDING_`; `_TIMEOUT_MS` limits the time of a call. Models that are not named are absent; an incomplete set is an error.
 */
export const modelsFromEnvironment: Effect.Effect<
  Context.Tag.Service<Models>,
  ConfigError.ConfigError
> = Effect.gen(function* () {
  const chat = yield* endpoint("KANON_CHAT")
  const embedding = yield* endpoint("KANON_EMBEDDING")
  const prices = yield* pricesFromEnvironment
  const priced = <Settings extends { readonly model: string }>(settings: Settings) => {
    const price = priceOf(settings.model, prices)
    return price === undefined ? settings : { ...settings, price }
  }
  return {
    chat: Option.map(chat, (settings) => openAiCompatibleChat(priced(settings))),
    embedder: Option.map(embedding, (settings) => openAiCompatibleEmbedder(priced(settings))),
    reranker: Option.none()
  }
})
