/** How two words are related: an extract of WordNet, lists for English, German and Spanish, and a thesaurus. */
export { readMythes, type WordRelations } from "./mythes.js"
export { ThesaurusFiles, ThesaurusUnreadable, thesaurusOf } from "./thesauri.js"
export { type Thesaurus, type WordRelation, wordRelation } from "./word-relation.js"
