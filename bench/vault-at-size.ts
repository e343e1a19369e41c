import { type CorpusDocument, readCorpus } from "./data.js"
import { variations } from "./vary.js"

/** Bytes of text that make about one passage. */
const bytesPerChunk = 640

/**
 * The vault `eips` cut off, or written out again in other words, to about so many passages; null when it is not
 * there.
 */
export const vaultAtSize = (chunks: number, seed: number): ReadonlyArray<CorpusDocument> | null => {
  const base = readCorpus("eips")
  if (base === null) return null
  const vary = variations(
    base.map(({ text }) => text),
    seed
  )
  const documents: Array<CorpusDocument> = []
  let bytesLeft = chunks * bytesPerChunk
  for (let copy = 0; bytesLeft > 0; copy += 1) {
    for (const { id, text, title } of base) {
      if (bytesLeft <= 0) break
      documents.push({ id: `${copy}/${id}`, title: vary(title, copy), text: vary(text, copy) })
      bytesLeft -= text.length
    }
  }
  return documents
}
