/** Names and relations in English sentences. Pure. */
export * from "./model.js"
export { typeOfName } from "./name-type.js"
export { type Piece, readProse } from "./read-prose.js"
export {
  mayMean,
  type RelationQuestion,
  relationAsked,
  relationWords
} from "./relation-questions.js"
export type { RelationSought } from "./relation-roles.js"
export { relationTypes } from "./relation-rules.js"
export { hasEnded } from "./relation-tense.js"
export { hasRelationWords } from "./relations.js"
export { loadTagger } from "./tagged-words.js"
export { nameKeyOf, shortNames } from "./things.js"
