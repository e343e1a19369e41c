export * from "./model.js"
export * from "./money.js"
export * from "./prices.js"
export * from "./store.js"
