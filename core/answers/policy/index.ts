/**
 * The answer gate: features of question, evidence and answer give a confidence, caveats and a decision, which is
 * logged. The decision itself is pure.
 */
export { calibrations } from "./active-calibration.js"
export * from "./calibration.js"
export * from "./decide.js"
export * from "./decision.js"
export * from "./features.js"
export * from "./gate-features.js"
export * from "./model.js"
export { truncatedCaveat } from "./post-gate.js"
export * from "./pre-gate.js"
export * from "./stats.js"
export * from "./store.js"
