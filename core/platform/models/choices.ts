import { z } from "zod"
import { SecretId } from "../kernel/index.js"

/** Roles for which a workspace may choose a model. */
export const modelRoles = ["chat", "judge", "embedding", "reranker", "extraction"] as const
/** Role of a model: answer, judge claims, embed, rerank, or extract names. */
export type ModelRole = (typeof modelRoles)[number]

/** Providers of each role, named after their protocol. */
export const modelProviders = {
  chat: ["openai", "openai-compatible", "anthropic", "ollama"],
  judge: ["openai", "openai-compatible", "anthropic", "ollama"],
  embedding: ["openai", "openai-compatible", "ollama"],
  reranker: ["cohere", "jina", "tei"],
  extraction: ["openai", "openai-compatible", "anthropic", "ollama"]
} as const satisfies { readonly [Role in ModelRole]: ReadonlyArray<string> }
/** Provider of a model, named after its protocol. */
export type ModelProvider = (typeof modelProviders)[ModelRole][number]

const name = z.string().trim().min(1).max(200)

/** URL of a provider: http or https, without credentials. */
export const ProviderUrl = z
  .url({ protocol: /^https?$/, error: "Expected an http or https address." })
  .max(2000)
  .refine((given) => isBare(given), "A URL must not contain a user, password, query or fragment.")

/** Returns whether a URL has no credentials; also true for a malformed URL, which another check reports. */
const isBare = (given: string): boolean => {
  if (!URL.canParse(given)) return true
  const { hash, password, search, username } = new URL(given)
  return username === "" && password === "" && search === "" && hash === ""
}

const choiceOf = <const Providers extends ReadonlyArray<string>>(providers: Providers) =>
  z
    .object({
      provider: z.enum(providers),
      model: name,
      /** Null: the provider's default URL. */
      baseUrl: ProviderUrl.nullable().default(null),
      enabled: z.boolean().default(true),
      /** Id of the sealed credential, not secret itself. Null: calls are made without a credential. */
      secret: SecretId.nullable().default(null)
    })
    .nullable()
    .default(null)

/** The models that a workspace has chosen; null uses the host's model for a role. */
export const ModelChoices = z.object({
  chat: choiceOf(modelProviders.chat),
  judge: choiceOf(modelProviders.judge),
  embedding: choiceOf(modelProviders.embedding),
  reranker: choiceOf(modelProviders.reranker),
  extraction: choiceOf(modelProviders.extraction)
})
export type ModelChoices = z.infer<typeof ModelChoices>
/** A model that a workspace has chosen for a role, without its credential. */
export type ModelChoice = NonNullable<ModelChoices[ModelRole]>

const readableOf = <const Providers extends ReadonlyArray<string>>(providers: Providers) =>
  z
    .object({
      provider: z.enum(providers),
      model: z.string(),
      baseUrl: z.string().nullable().describe("Null: the provider's own address."),
      enabled: z.boolean(),
      hasCredential: z.boolean()
    })
    .nullable()
    .describe("Null: what the server was given.")

/** Choices in readable form: of a credential only whether there is one. */
export const ReadableChoices = z.object({
  chat: readableOf(modelProviders.chat),
  judge: readableOf(modelProviders.judge),
  embedding: readableOf(modelProviders.embedding),
  reranker: readableOf(modelProviders.reranker),
  extraction: readableOf(modelProviders.extraction)
})

/** Returns choices in readable form. */
export const readableChoices = (choices: ModelChoices): z.infer<typeof ReadableChoices> => ({
  chat: readable(choices.chat),
  judge: readable(choices.judge),
  embedding: readable(choices.embedding),
  reranker: readable(choices.reranker),
  extraction: readable(choices.extraction)
})

const readable = <Provider extends ModelProvider>(
  choice: (Omit<ModelChoice, "provider"> & { readonly provider: Provider }) | null
) => {
  if (choice === null) return null
  const { baseUrl, enabled, model, provider, secret } = choice
  return { provider, model, baseUrl, enabled, hasCredential: secret !== null }
}

/** Returns choices without the ids of their credentials, which never leave the host. */
export const withoutSecrets = <Choices extends ModelChoices>(choices: Choices): Choices => ({
  ...choices,
  ...Object.fromEntries(
    modelRoles.flatMap((role) => {
      const choice = choices[role]
      return choice === null ? [] : [[role, { ...choice, secret: null }]]
    })
  )
})

const Usd = z.number().min(0).max(1_000_000)

/**
 * Prices by model, in US dollars per million tokens, or per thousand calls if calls are billed; they override the
 * host's prices and the list prices.
 */
export const ModelPrices = z.record(
  name,
  z.object({
    input: Usd.default(0),
    cachedInput: Usd.optional(),
    output: Usd.default(0),
    perThousandCalls: Usd.optional().describe("For rerankers that are paid for by the call.")
  })
)
export type ModelPrices = z.infer<typeof ModelPrices>
