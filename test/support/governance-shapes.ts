import { DocumentVerification } from "../../core/files/documents/index.js"
import { DocumentLineage, DuplicatePage, StewardshipPage } from "../../core/upkeep/overview/index.js"

/** Schemas of the output of document governance and stewardship, by the names of the examples in the documentation. */
export const governanceShapes = {
  verified: DocumentVerification,
  lineage: DocumentLineage,
  stewardship: StewardshipPage,
  duplicates: DuplicatePage
}
