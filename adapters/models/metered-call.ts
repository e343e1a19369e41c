import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import {
  costOf,
  estimateTokens,
  listPriceOf,
  ModelMeter,
  type ModelUse,
  type Price
} from "../../core/platform/models/index.js"
import { modelCall, type Patience } from "./resilience.js"

/** Options common to the adapters of models. */
export interface AdapterOptions {
  readonly patience?: Partial<Patience> | undefined
  /** Texts that must never appear in a failure, such as the key. */
  readonly secrets?: ReadonlyArray<string> | undefined
  /** Limits concurrent calls to one provider, shared by its models. By default each model has its own. */
  readonly lane?: Effect.Semaphore | undefined
  /** Overrides the list price; a model without a price costs 0, which is logged once. */
  readonly price?: Price | undefined
}

/** Settings of a model behind a server. */
export interface ServerSettings extends Pick<AdapterOptions, "patience" | "lane" | "price"> {
  readonly model: string
  /** The path of the protocol is appended; by default the provider's own address. */
  readonly baseUrl?: string | undefined
  readonly apiKey?: Redacted.Redacted<string> | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** Returns the options of the adapter, which are named as the settings are. */
export const optionsOf = <Settings extends ServerSettings>(settings: Settings) => ({
  ...settings,
  secrets: settings.apiKey === undefined ? [] : [Redacted.value(settings.apiKey)]
})

/** Logs once that a model counts as free because its price is unknown. */
export const warnOfNoPrice = (modelId: string, price: Price | undefined): Effect.Effect<void> => {
  const warned = Ref.unsafeMake(price !== undefined)
  return Effect.flatMap(Ref.getAndSet(warned, true), (known) =>
    known
      ? Effect.void
      : Effect.logWarning(`No price is known for the model ${modelId}: its calls count as free.`)
  )
}

/**
 * Records the usage of each call of an embedding model or reranker; estimated when the provider does not report it.
 */
export const meterFor = (role: ModelUse["role"], modelId: string, given: Price | undefined) => {
  const price = given ?? listPriceOf(modelId)
  const warnOnce = warnOfNoPrice(modelId, price)
  return ({ calls, tokens }: Counted, texts: () => string): Effect.Effect<void> =>
    Effect.gen(function* () {
      yield* warnOnce
      const isReported = tokens !== undefined && Number.isFinite(tokens)
      const input = isReported ? tokens : estimateTokens(texts())
      const costUsd =
        price === undefined ? "0" : costOf(price, { input, cachedInput: 0, output: 0, calls: calls ?? 1 })
      yield* (yield* ModelMeter)({
        role,
        modelId,
        inputTokens: input,
        outputTokens: 0,
        costUsd,
        estimated: !isReported
      })
    })
}

/** Usage of a call as reported by the provider. */
export interface Counted {
  readonly tokens?: number | undefined
  /** Number of billed calls; one by default. */
  readonly calls?: number | undefined
}

/** Runs calls with time limits, retries and the lane of these options. */
export const callWith = ({ lane, patience, secrets = [] }: AdapterOptions) =>
  modelCall(patience ?? {}, secrets, lane)
