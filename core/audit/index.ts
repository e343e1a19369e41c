/**
 * Who did what, in one chain for each workspace that only grows: an event that was changed, or is missing, shows.
 */
export { chainStart, eventOf, hashedText, linked } from "./chain.js"
export * from "./model.js"
export * from "./operations.js"
export * from "./service.js"
export * from "./store.js"
export * from "./verify.js"
