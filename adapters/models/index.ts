export { type Price, pricePerMillion } from "../../core/platform/models/index.js"
export { type ChatOptions, fromLanguageModel, type Structured } from "./ai-sdk-chat.js"
export { type EmbeddingOptions, fromEmbeddingModel } from "./ai-sdk-embedder.js"
export { fromRerankingModel } from "./ai-sdk-reranker.js"
export { type Anthropic, anthropicChat } from "./anthropic.js"
export { modelsFromEnvironment } from "./from-environment.js"
export type { GivenChat, GivenEmbedder, GivenReply, GivenReranker } from "./from-functions.js"
export { type HttpReranker, httpReranker, type RerankForm } from "./http-reranker.js"
export { judgeOver } from "./judge.js"
export type { AdapterOptions } from "./metered-call.js"
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
