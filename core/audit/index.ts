export * from "./model.js"
export * from "./service.js"
export * from "./store.js"
