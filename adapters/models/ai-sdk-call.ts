import type {
  EmbeddingModelV2,
  EmbeddingModelV3,
  LanguageModelV2,
  LanguageModelV3,
  SharedV3ProviderOptions
} from "@ai-sdk/provider"
import type { ChatReply } from "../../core/platform/models/index.js"
import {
  type NextEmbeddingModel,
  type NextLanguageModel,
  presentEmbeddingModel,
  presentLanguageModel
} from "./ai-sdk-next.js"

/** AI SDK settings of one provider, under its name. */
export type ProviderOptions = SharedV3ProviderOptions

/** Model objects of the AI SDK. The declarations of `ai` itself name them too, but need the types of browsers. */
export type LanguageModel = LanguageModelV2 | LanguageModelV3 | NextLanguageModel
export type EmbeddingModel = EmbeddingModelV2<string> | EmbeddingModelV3 | NextEmbeddingModel

/** A model, or a function that makes it on first use, so that importing Kanon loads no vendor code. */
export type Lazily<Model> = Model | (() => Promise<Model>)

/** Versions of the specification of models that are called: those of AI SDK 5, 6 and 7. */
const specifications: ReadonlyArray<string> = ["v2", "v3", "v4"]

/**
 * Refuses a model object of another generation of the AI SDK when it is handed over. Each call of it would fail, which
 * looks like a provider that is down.
 */
export const requireSpecification = (model: {
  readonly modelId: string
  readonly specificationVersion: string
}): void => {
  if (!specifications.includes(model.specificationVersion))
    throw new TypeError(
      `The model ${model.modelId} follows the specification ${model.specificationVersion} of the AI SDK; Kanon calls models of ${specifications.join(", ")}. Use a release of its package that is made for AI SDK 7.`
    )
}

const loaded = <Model>(model: Lazily<Model>): Promise<Model> =>
  typeof model === "function" ? (model as () => Promise<Model>)() : Promise.resolve(model)

/** Loads a model that is given by a function, in a version that the installed `ai` calls. */
export const resolveModel = async (model: Lazily<LanguageModel>) => presentLanguageModel(await loaded(model))

/** The same of an embedding model. */
export const resolveEmbeddingModel = async (model: Lazily<EmbeddingModel>) =>
  presentEmbeddingModel(await loaded(model))

/**
 * Returns the model without the warnings that the SDK prints on standard error. They tell of settings that a provider
 * ignores, such as a JSON schema; the reply is checked anyway.
 */
export const withoutWarnings = async (
  model: LanguageModelV2 | LanguageModelV3
): Promise<LanguageModelV2 | LanguageModelV3> => {
  if (model.specificationVersion !== "v3") return model
  const { wrapLanguageModel } = await import("ai")
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: "v3",
      wrapGenerate: async ({ doGenerate }) => ({ ...(await doGenerate()), warnings: [] }),
      wrapStream: async ({ doStream }) => {
        const { stream, ...rest } = await doStream()
        const quiet = new TransformStream<StreamPart, StreamPart>({
          transform: (part, controller) =>
            controller.enqueue(part.type === "stream-start" ? { ...part, warnings: [] } : part)
        })
        return { ...rest, stream: stream.pipeThrough(quiet) }
      }
    }
  })
}

type StreamPart =
  Awaited<ReturnType<LanguageModelV3["doStream"]>>["stream"] extends ReadableStream<infer Part> ? Part : never

/** Result of one call; counts that the provider did not report are undefined. */
export interface Generated {
  readonly text: string
  readonly finishReason: ChatReply["finishReason"]
  readonly input: number | undefined
  readonly cachedInput: number | undefined
  readonly output: number | undefined
}
