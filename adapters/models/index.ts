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
export { type Anthropic, anthropicChat } from "./anthropic.js"
export { modelsFromEnvironment } from "./from-environment.js"
export type { GivenEmbedder, GivenReranker } from "./from-functions.js"
export { type HttpReranker, httpReranker, type RerankForm } from "./http-reranker.js"
export { judgeOver } from "./judge.js"
export { type Ollama, type OllamaChat, type OllamaEmbedder, ollamaChat, ollamaEmbedder } from "./ollama.js"
export {
  type OpenAiCompatible,
  type OpenAiCompatibleChat,
  type OpenAiCompatibleEmbedder,
  openAiCompatibleChat,
  openAiCompatibleEmbedder
} from "./openai-compatible.js"
export { defaultPatience, type Patience } from "./resilience.js"
export { type ScriptedReply, scriptedChatModel, scriptedEmbedder, scriptedReranker } from "./scripted.js"
