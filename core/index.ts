/**
 * The engine without a database: ports to implement, layers to combine, operations to run. Most products want
 * `kanon/sqlite` instead, which needs no knowledge of Effect.
 */
export * from "./answering/index.js"
export * from "./audit/index.js"
export * from "./documents/index.js"
export type * from "./engine.js"
export * from "./entities/index.js"
export {
  builtInExtractor,
  Card,
  type DrawnRelation,
  type Edge,
  ExtractionStore,
  Extractor,
  type Facts,
  type GraphState,
  GraphStore,
  graphOperations,
  type KnownSurface,
  type Mention,
  MentionItem,
  MentionPage,
  MergeResult,
  Neighborhood,
  type Reading,
  type Relation,
  type RelationEvidence,
  RelationItem,
  RelationOrigin,
  RelationPage,
  RelationSaveResult
} from "./graph/index.js"
export * from "./jobs/index.js"
export { type OpenOptions, openEngine } from "./kanon.js"
export * from "./kernel/index.js"
export * from "./models/index.js"
export { operations } from "./operations.js"
export * from "./policy/index.js"
export type { Ports } from "./ports.js"
export * from "./retrieval/index.js"
export { handlers, jobKinds, type Wired, wiring } from "./wiring.js"
export * from "./workspace/index.js"
