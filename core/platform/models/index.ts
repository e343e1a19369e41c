/** Ports of chat, judge, embedding and reranking models, the models that a workspace has chosen, and their costs. */

export { boundedCalls, repliedCallsMax } from "./bounded-calls.js"
export { modelsFor, withoutTemplateTokens, withTemplateTokens } from "./checked.js"
export * from "./choices.js"
export * from "./meter.js"
export * from "./model.js"
export * from "./prices.js"
export { withoutReasoning } from "./reasoning.js"
export * from "./store.js"
export * from "./usage.js"
