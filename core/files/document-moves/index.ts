/** Moves of documents, and the links in all documents that follow them. */
export { moveDocument } from "./move.js"
export * as moveOperations from "./operations.js"
