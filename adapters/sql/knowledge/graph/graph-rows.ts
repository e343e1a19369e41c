import { wordHash } from "../../../../core/knowledge/extraction/index.js"
import type { Mention, NameClaim, Relation } from "../../../../core/knowledge/graph/index.js"
import { columnsOf, number, text } from "../../columns.js"

const claimColumns = columnsOf<NameClaim>({
  documentId: text(),
  key: text(),
  role: text(),
  type: text(),
  name: text(),
  subject: text(),
  prose: number("prose_count"),
  headings: number("heading_count")
})
export const claimFromRow = claimColumns.read
/** Returns the columns of a claim except its document. */
export const claimToRow = ({ documentId: _, ...claim }: NameClaim) => ({
  ...claimColumns.write(claim),
  word_hash: wordHash(claim.key)
})

const mentionColumns = columnsOf<Omit<Mention, "documentId">>({
  label: number(),
  start: number("start_offset"),
  end: number("end_offset"),
  entityId: text(),
  key: text(),
  confidence: number(),
  runId: text()
})
/** Returns the fields of a mention without its document. */
export const mentionFields = mentionColumns.read

const relationColumns = columnsOf<Relation>({
  id: text(),
  srcId: text(),
  type: text(),
  dstId: text(),
  origin: text(),
  note: text(),
  srcHead: text(),
  dstHead: text(),
  evidenceCount: number(),
  deletedAt: text(),
  createdAt: text()
})
export const { read: relationFromRow, write: relationToRow } = relationColumns
