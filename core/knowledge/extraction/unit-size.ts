import type { Document } from "../../files/documents/index.js"

/** Documents processed in one unit of work, which blocks other writers. */
export const documentsPerUnit = 16
/** Equal to the limit of one unit of an ingest. */
const bytesPerUnit = 1024 * 1024

/** Returns the first documents whose texts fit into one unit of work; at least one. */
export const firstOfUnit = <A extends Pick<Document, "sizeBytes">>(
  documents: ReadonlyArray<A>
): ReadonlyArray<A> => {
  let bytes = 0
  const end = documents.findIndex(({ sizeBytes }) => {
    bytes += sizeBytes
    return bytes > bytesPerUnit
  })
  return end === -1 ? documents : documents.slice(0, Math.max(1, end))
}
