import type { Document } from "../documents/index.js"

/** Documents that are read or drawn in one unit of work, during which nobody else writes. */
export const documentsPerUnit = 16
/** As large as what an ingest takes in with one unit. */
const bytesPerUnit = 1024 * 1024

/** The first of them whose texts one unit of work may hold; one at least. */
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
