export * from "./model.js"
