/**
 * Vectors of passages: built-in ones, learned from the workspace by latent semantic analysis, or those of an embedder.
 * Keeps them up to date and searches them.
 */

export { vectorChannelLive } from "./active-channel.js"
export { type ScoredLabel, VectorChannel, type VectorHits } from "./channel.js"
export { persistVectors, refreshVectors, vectorsAreBehind } from "./embed.js"

export { inspectVectors, vectorFindings } from "./inspect.js"
export { chunksMin as vectorPassagesMin } from "./lsa.js"
export { fitArtefact, LsaFitter } from "./lsa-fitter.js"
export { vectorMemoryShortage } from "./memory.js"
export { seedsMax } from "./query-vectors.js"
export { remakeVectors } from "./remake-vectors.js"
export * from "./store.js"
export { bytesToVector, bytesToVectors, storedBytes, storedVector, vectorToBytes } from "./stored-vector.js"
