import * as Effect from "effect/Effect"
import type { DocumentId, WorkspaceScope } from "../../platform/kernel/index.js"
import { GraphStore } from "../graph/index.js"

/** A relation as a sentence of a document states it. */
export interface ReadRelation {
  readonly documentId: DocumentId
  readonly type: string
  readonly sentence: string
}

/** Returns the rule by which each relation was read; null where a model, a link or front matter states it. */
export const rulesOf = (workspace: WorkspaceScope, relations: ReadonlyArray<ReadRelation>) =>
  Effect.gen(function* () {
    const records = yield* (yield* GraphStore).records.readings(workspace, [
      ...new Set(relations.map(({ documentId }) => documentId))
    ])
    const statedIn = new Map(records.map(({ documentId, stated }) => [documentId, stated]))
    return relations.map(({ documentId, sentence, type }) => {
      const alike = (statedIn.get(documentId) ?? []).filter((one) => one.type === type)
      const namesInSentence = ({ from, to }: { readonly from: string; readonly to: string }) =>
        Number(sentence.includes(from)) + Number(sentence.includes(to))
      return (
        alike.reduce<(typeof alike)[number] | null>(
          (best, one) => (best === null || namesInSentence(one) > namesInSentence(best) ? one : best),
          null
        )?.rule ?? null
      )
    })
  })
