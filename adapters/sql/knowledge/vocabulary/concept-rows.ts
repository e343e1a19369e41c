import type { Grouping, StoredConcept } from "../../../../core/knowledge/vocabulary/index.js"
import { fromJson, toJson } from "../../codec.js"
import { columnsOf, json, text } from "../../columns.js"

const conceptColumns = columnsOf<StoredConcept>({ entityId: text(), iri: text(), details: json() })
/** Reads and writes rows of the table `concept`. */
export const { read: conceptFromRow, write: conceptToRow } = conceptColumns

interface GroupingRow {
  readonly iri: string
  readonly details: string
}

/** Returns the grouping of a row. */
export const groupingFromRow = ({ details, iri }: GroupingRow): Grouping => ({
  iri,
  ...fromJson<Omit<Grouping, "iri">>(details)
})

/** Returns the columns of a grouping except its workspace. */
export const groupingToRow = ({ iri, ...details }: Grouping) => ({ iri, details: toJson(details) })
