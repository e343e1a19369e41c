/**
 * What a confidence is worth: fitted from questions whose answers are known, with a threshold whose risk is bounded.
 */
export * from "./confidence.js"
export * from "./fit.js"
export * from "./isotonic.js"
export * from "./logistic.js"
export * from "./measures.js"
export * from "./model.js"
export * from "./risk.js"
export * from "./shipped.js"
export * from "./split.js"
export * from "./store.js"
