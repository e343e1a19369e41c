/** Extraction of names, mentions and relations from documents. */

export {
  builtInExtractor,
  Extractor,
  type Facts,
  hasOwnExtractor,
  includes,
  LongFacts,
  mayHold,
  readFacts,
  soughtPhrase,
  wordHash
} from "../document-facts/index.js"
export { loadTagger } from "../prose/index.js"
export * from "./documents-about.js"
export * from "./extract.js"
export { inspectGraph, inspectRanks } from "./inspect.js"
export * from "./inspection.js"
export * from "./name-claims.js"
export { NameReaders, readingNames } from "./name-reader.js"
export { extractByModelAgain, readAgain } from "./read-documents.js"
export { rulesOf } from "./reading-rules.js"
