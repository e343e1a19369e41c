import { z } from "zod"
import { Verification } from "../../files/documents/index.js"
import {
  ChunkId,
  ContradictionId,
  DataCallId,
  DataQueryId,
  DocumentId,
  type StateTable,
  Text,
  Timestamp
} from "../../platform/kernel/index.js"

/**
 * `open` until somebody looks at it; `both_true` by a person's word; `settled` by a person, an edit of one side or its
 * deprecation; `gone` with the document of one side.
 */
export const ContradictionStatus = z.enum(["open", "both_true", "settled", "gone"])
export type ContradictionStatus = z.infer<typeof ContradictionStatus>

/** How the two sides differ. */
const ContradictionKind = z.enum(["number", "date", "negation", "category"])

/** A statement of a document. */
const PageSide = z.object({
  docId: DocumentId,
  docPath: z.string().describe("The path of the document when the contradiction was found."),
  chunkId: ChunkId,
  quote: z.string(),
  value: z.string(),
  standing: Verification.describe("The verification of the document."),
  at: Timestamp.describe("When the document, or its original, was changed last.")
})

/** A row of live data. */
const RowSide = z.object({
  dataCallId: DataCallId.describe("The execution that gave the row."),
  queryId: DataQueryId,
  queryTitle: z.string(),
  about: z.string().describe("The entity that the row was read for."),
  quote: z.string(),
  value: z.string(),
  standing: z
    .enum(["asserted", "curated", "certified"])
    .describe("The standing that the workspace gives its data."),
  at: Timestamp.describe("When the query was executed.")
})

/** One of the two statements: of a document, or a row of a named query that is bound to an entity. */
export const ContradictionSide = z.union([PageSide, RowSide])
export type ContradictionSide = z.infer<typeof ContradictionSide>

/** Returns the document of a side; null for a row. */
export const documentOfSide = (side: ContradictionSide): DocumentId | null =>
  "docId" in side ? side.docId : null

/** Returns where a side stands, for people: a path, or the title of a query. */
export const placeOfSide = (side: ContradictionSide): string =>
  "docId" in side ? side.docPath : side.queryTitle

/** Two statements of two documents, or of a document and a row, that cannot both hold. */
export const Contradiction = z.object({
  id: ContradictionId,
  kind: ContradictionKind,
  subject: z.string(),
  attribute: z.string(),
  sides: z.array(ContradictionSide).length(2),
  status: ContradictionStatus,
  reason: z.string().nullable().describe("Why it is no longer open; null while it is."),
  settledBy: z.string().nullable(),
  firstSeenAt: Timestamp
})
export type Contradiction = z.infer<typeof Contradiction>

/** A contradiction with the hash of its sides, by which it is known again. */
export interface StoredContradiction extends Contradiction {
  readonly pairKey: string
}

export const ContradictionReason = Text.trim().min(1).max(4000)

/** Triggers that change the status of a contradiction. */
type ContradictionTrigger = "mark_both_true" | "settle" | "edit" | "remove" | "find"

/** State transitions of a contradiction. */
export const contradictionTable: StateTable<ContradictionStatus, ContradictionTrigger> = {
  name: "Contradiction",
  states: ContradictionStatus.options,
  initial: ["open"],
  triggers: {
    mark_both_true: "A person says why both statements hold.",
    settle: "A person says how it was settled.",
    edit: "One side is no longer said, its document is deprecated, or the row changed.",
    remove: "The document of one side is deleted.",
    find: "Both statements are found again, and no person settled it."
  },
  steps: [
    { from: "open", on: "mark_both_true", to: "both_true" },
    { from: "open", on: "settle", to: "settled" },
    ...(["open", "both_true"] as const).flatMap((from) => [
      { from, on: "edit" as const, to: "settled" as const },
      { from, on: "remove" as const, to: "gone" as const }
    ]),
    ...(["gone", "settled"] as const).map((from) => ({ from, on: "find" as const, to: "open" as const }))
  ]
}
