import { plainText } from "../documents/index.js"
import { snippetOf } from "../retrieval/index.js"
import type { EvidencePassage } from "./evidence.js"
import type { Source } from "./model.js"

/** A piece of evidence as the registry of an answer shows it. */
export const sourceOf = (
  { id, passage, text }: EvidencePassage,
  weights: ReadonlyMap<string, number>
): Source => ({
  id,
  docId: passage.documentId,
  docTitle: passage.docTitle,
  docPath: passage.docPath,
  chunkId: passage.id,
  snippet: snippetOf(plainText(text), weights)
})
