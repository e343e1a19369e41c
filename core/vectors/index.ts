/**
 * Vectors of passages: built-in ones, learned from the workspace by latent semantic analysis, or those of an embedder.
 * Keeps them up to date and searches them.
 */
export { type ScoredLabel, VectorChannel, type VectorHits, type VectorQuery } from "./channel.js"
export { unseededSearch, vectorChannelLive } from "./channel-live.js"
export { persistVectors, refreshVectors, vectorsAreBehind } from "./embed.js"
export { remakeVectors } from "./embed-anew.js"
export type { VectorProgress } from "./embed-follow.js"
export { inspectVectors, vectorFindings } from "./inspect.js"
export { VectorIndexInspection, VectorInspection, type VectorRow } from "./inspection.js"
export { fitArtefact, inProcessLsaFitter, LsaFitter } from "./lsa-fitter.js"
export { seedsMax } from "./query.js"
export * from "./store.js"
export { bytesToVector, bytesToVectors, storedBytes, storedVector, vectorToBytes } from "./stored-vector.js"
