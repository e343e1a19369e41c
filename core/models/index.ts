/**
 * The ports of chat, judging, embedding and reranking models, which of them a workspace has chosen, and what they
 * cost. Whoever uses a model comes here; none of them owns it.
 */
export * from "./choices.js"
export * from "./meter.js"
export * from "./model.js"
export * from "./money.js"
export * from "./prices.js"
export * from "./store.js"
export * from "./usage.js"
