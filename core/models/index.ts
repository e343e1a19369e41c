export * from "./model.js"
export * from "./store.js"
