export { type Price, pricePerMillion } from "../../core/models/index.js"
export {
  type AdapterOptions,
  type ChatOptions,
  type EmbeddingOptions,
  fromEmbeddingModel,
  fromLanguageModel,
  fromRerankingModel,
  type Structured
} from "./ai-sdk.js"
export { modelsFromEnvironment } from "./from-environment.js"
export {
  type OpenAiCompatible,
  type OpenAiCompatibleChat,
  type OpenAiCompatibleEmbedder,
  openAiCompatibleChat,
  openAiCompatibleEmbedder
} from "./openai-compatible.js"
export { defaultPatience, type Patience } from "./resilience.js"
export { type ScriptedReply, scriptedChatModel, scriptedEmbedder, scriptedReranker } from "./scripted.js"
