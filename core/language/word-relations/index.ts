/** How two words are related: an extract of WordNet, lists for English, German and Spanish, and a thesaurus. */
export type { WordRelation } from "./listed-relations.js"
export { readMythes, type WordRelations } from "./mythes.js"
export { ThesaurusFiles, type ThesaurusNames, ThesaurusUnreadable, thesaurusOf } from "./thesauri.js"
export { type Thesaurus, wordRelation } from "./word-relation.js"
