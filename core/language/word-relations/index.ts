/** How two words are related: an extract of WordNet, lists for English, German and Spanish, and a thesaurus. Pure. */
export { type Thesaurus, type WordRelation, wordRelation } from "./word-relation.js"
