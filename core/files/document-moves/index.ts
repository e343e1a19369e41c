/** Moves of documents, and the links in all documents that follow them. */
export { LongLinks } from "./long-links.js"
export { moveDocument } from "./move.js"
export * as moveOperations from "./operations.js"
