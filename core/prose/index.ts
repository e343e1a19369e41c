/** Names and relations in English sentences. Pure. */
export * from "./model.js"
export { type Piece, readProse } from "./read-prose.js"
