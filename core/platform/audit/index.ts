/** Audit trail: one append-only hash chain per workspace, in which changes and gaps are detectable. */
export { chainStart, eventOf, hashedText, linked } from "./chain.js"
export * from "./kept-heads.js"
export * from "./model.js"
export * from "./operations.js"
export * from "./service.js"
export * from "./store.js"
export * from "./verify.js"
