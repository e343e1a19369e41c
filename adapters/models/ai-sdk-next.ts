import type {
  EmbeddingModelV2,
  EmbeddingModelV3,
  LanguageModelV2,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3StreamResult,
  RerankingModelV3
} from "@ai-sdk/provider"

/**
 * Models of AI SDK 7 (`@ai-sdk/provider` 4, specification v4), as far as Kanon calls them. Their packages need not be
 * installed. `never` takes their own options, which are ours with parts that Kanon does not send.
 */
export interface NextLanguageModel {
  readonly specificationVersion: "v4"
  readonly provider: string
  readonly modelId: string
  readonly supportedUrls: LanguageModelV3["supportedUrls"]
  doGenerate(options: never): PromiseLike<object>
  doStream(options: never): PromiseLike<object>
}

/** The same of an embedding model. */
export interface NextEmbeddingModel extends Omit<EmbeddingModelV3, "specificationVersion" | "doEmbed"> {
  readonly specificationVersion: "v4"
  doEmbed(options: never): PromiseLike<{ readonly embeddings: Array<Array<number>> }>
}

/** The same of a reranking model. */
export interface NextRerankingModel extends Omit<RerankingModelV3, "specificationVersion" | "doRerank"> {
  readonly specificationVersion: "v4"
  doRerank(
    options: never
  ): PromiseLike<{ readonly ranking: Array<{ index: number; relevanceScore: number }> }>
}

/** Parts of a reply that both versions have; files and parts of a vendor's own are left out, as no answer reads them. */
const sharedParts: ReadonlySet<string> = new Set(["text", "reasoning", "source", "tool-call", "tool-result"])
const foreignParts: ReadonlySet<string> = new Set([
  "custom",
  "file",
  "reasoning-file",
  "ping",
  "tool-approval-request"
])

type Finish = LanguageModelV3GenerateResult["finishReason"]
const finishReasons: ReadonlySet<string> = new Set<Finish["unified"]>([
  "stop",
  "length",
  "content-filter",
  "tool-calls",
  "error"
])

const finishOf = ({ raw, unified }: Finish): Finish => ({
  raw,
  unified: finishReasons.has(unified) ? unified : "other"
})

interface NextResult extends LanguageModelV3GenerateResult {
  readonly structuredOutputText?: string
}

const resultOf = ({
  content,
  structuredOutputText,
  ...result
}: NextResult): LanguageModelV3GenerateResult => {
  const shared = content.filter(({ type }) => sharedParts.has(type))
  const isWritten = shared.some((part) => part.type === "text" && part.text !== "")
  // Some vendors give a reply by schema beside the content.
  const written: ReadonlyArray<LanguageModelV3Content> =
    isWritten || structuredOutputText === undefined ? [] : [{ type: "text", text: structuredOutputText }]
  return {
    ...result,
    content: [...shared, ...written],
    finishReason: finishOf(result.finishReason),
    warnings: []
  }
}

const streamOf = ({ stream, ...rest }: LanguageModelV3StreamResult): LanguageModelV3StreamResult => ({
  ...rest,
  stream: stream.pipeThrough(
    new TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart>({
      transform: (part, controller) => {
        if (foreignParts.has(part.type)) return
        controller.enqueue(
          part.type === "finish"
            ? { ...part, finishReason: finishOf(part.finishReason) }
            : part.type === "stream-start"
              ? { ...part, warnings: [] }
              : part
        )
      }
    })
  )
})

/** A language model in a version that the installed AI SDK calls. */
export const presentLanguageModel = (
  model: LanguageModelV2 | LanguageModelV3 | NextLanguageModel
): LanguageModelV2 | LanguageModelV3 => {
  if (model.specificationVersion !== "v4") return model
  const { doGenerate, doStream } = model
  const [generate, stream] = [doGenerate.bind(model), doStream.bind(model)] as unknown as readonly [
    (options: LanguageModelV3CallOptions) => PromiseLike<NextResult>,
    (options: LanguageModelV3CallOptions) => PromiseLike<LanguageModelV3StreamResult>
  ]
  return {
    specificationVersion: "v3",
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: async (options) => resultOf(await generate(options)),
    doStream: async (options) => streamOf(await stream(options))
  }
}

/** An embedding model in a version that the installed AI SDK calls. */
export const presentEmbeddingModel = (
  model: EmbeddingModelV2<string> | EmbeddingModelV3 | NextEmbeddingModel
): EmbeddingModelV2<string> | EmbeddingModelV3 => {
  if (model.specificationVersion !== "v4") return model
  const embed = model.doEmbed.bind(model) as unknown as EmbeddingModelV3["doEmbed"]
  return {
    specificationVersion: "v3",
    provider: model.provider,
    modelId: model.modelId,
    maxEmbeddingsPerCall: model.maxEmbeddingsPerCall,
    supportsParallelCalls: model.supportsParallelCalls,
    doEmbed: async (options) => ({ ...(await embed(options)), warnings: [] })
  }
}

/** A reranking model in a version that the installed AI SDK calls. */
export const presentRerankingModel = (model: RerankingModelV3 | NextRerankingModel): RerankingModelV3 => {
  if (model.specificationVersion !== "v4") return model
  const rerank = model.doRerank.bind(model) as unknown as RerankingModelV3["doRerank"]
  return {
    specificationVersion: "v3",
    provider: model.provider,
    modelId: model.modelId,
    doRerank: async (options) => ({ ...(await rerank(options)), warnings: [] })
  }
}
