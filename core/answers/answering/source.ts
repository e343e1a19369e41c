import { plainText } from "../../files/markdown/index.js"
import type { ReadPassage } from "../../language/text-analysis/index.js"
import { memoize } from "../../platform/caching/index.js"
import { defined } from "../../platform/kernel/index.js"
import { snippetLine, snippetsFor } from "../../search/retrieval/index.js"
import type { Evidence, EvidencePassage, Source } from "../evidence/index.js"
import type { Governance } from "../gathering/index.js"
import type { StructuredAnswer } from "./model.js"

/** Pieces of evidence as the registry of an answer shows them. */
export const sourcesOf = (
  sources: ReadonlyArray<EvidencePassage>,
  weights: ReadonlyMap<string, number>,
  {
    reviewDue,
    validAt,
    versions
  }: Pick<Governance, "reviewDue" | "versions"> & { readonly validAt?: ReadonlyMap<string, string> }
): Array<Source> => {
  const snippet = snippetsFor(weights)
  return sources.map(({ id, passage, read, stored }) => ({
    id,
    docId: passage.documentId,
    docTitle: passage.docTitle,
    docPath: passage.docPath,
    chunkId: passage.id,
    ...defined({ page: passage.page, sourceUrl: passage.docSourceUrl }),
    snippet: snippet(lineOf(read)),
    start: stored.start,
    end: stored.end,
    ...defined({
      docVersion: versions.get(passage.documentId),
      validAt: validAt?.get(passage.documentId)
    }),
    verification: passage.docVerification,
    reviewDue: reviewDue.has(passage.documentId)
  }))
}

/** The data calls of an answer; vocabularies give evidence without a call. */
export const dataCallsOf = (data: Evidence["data"]): StructuredAnswer["dataCalls"] =>
  data.flatMap(({ call, id, queryTitle, rowCount }) =>
    call === undefined ? [] : [{ id, ...call, queryTitle, rowCount }]
  )

const lineOf = memoize(({ text }: ReadPassage) => snippetLine(plainText(text)))
