/**
 * Cache of answers: an entry is used only for an equivalent question while everything that it depends on is
 * unchanged.
 */

export { answerCache, cacheBounds } from "./answer-cache.js"
export { type GuardName, guardNames, refusedBy } from "./guards.js"
export { answerCacheFindings, inspectAnswerCache } from "./inspect.js"
export * from "./model.js"
export { getCacheStats } from "./operations.js"
export { parseWording, questionKey } from "./question-key.js"
export { cacheStats, clearCache, forgetExpired } from "./service.js"
