import type { generateText } from "ai"
import type { ChatReply } from "../../core/models/index.js"

/** AI SDK settings of one provider, under its name. */
export type ProviderOptions = NonNullable<Parameters<typeof generateText>[0]["providerOptions"]>

/** A model, or a function that makes it on first use, so that importing Kanon loads no vendor code. */
export type Lazily<Model> = Model | (() => Promise<Model>)

/** Loads a model that is given by a function. */
export const resolveModel = <Model>(model: Lazily<Model>): Promise<Model> =>
  typeof model === "function" ? (model as () => Promise<Model>)() : Promise.resolve(model)

/** Result of one call; counts that the provider did not report are undefined. */
export interface Generated {
  readonly text: string
  readonly finishReason: ChatReply["finishReason"]
  readonly input: number | undefined
  readonly cachedInput: number | undefined
  readonly output: number | undefined
}
