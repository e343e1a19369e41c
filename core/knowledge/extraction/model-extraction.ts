import * as Effect from "effect/Effect"
import { type Document, DocumentStore } from "../../files/documents/index.js"
import type { DocumentId, WorkspaceScope } from "../../platform/kernel/index.js"
import { GraphStore, type KeptNames } from "../graph/index.js"
import { NameReaders } from "./name-reader.js"

/** Number of concurrent model calls. */
const atOnce = 4

/** Model results by document, obtained before the documents are read; null without an extraction model. */
export type ModelNames = ReadonlyMap<DocumentId, ModelResult> | null

interface ModelResult {
  /** Hash of the text sent to the model; a changed document is sent again. */
  readonly contentHash: string
  /** Undefined if the model was unavailable. */
  readonly names: KeptNames | undefined
}

/**
 * Calls the workspace's extraction model, if any, for those documents whose present text it has not seen. Must run
 * outside of any unit of work.
 */
export const extractNamesByModel = <E, R>(
  workspace: WorkspaceScope,
  documents: Effect.Effect<ReadonlyArray<Document>, E, R>
) =>
  Effect.gen(function* () {
    const reader = yield* (yield* NameReaders)(workspace)
    if (reader === null) return null
    const live = (yield* documents).filter(({ deletedAt }) => deletedAt === null)
    const known = new Map(
      (yield* (yield* GraphStore).records.readings(
        workspace,
        live.map(({ id }) => id)
      )).map(({ documentId, named }) => [documentId, named])
    )
    const store = yield* DocumentStore
    const readingResults = yield* Effect.forEach(
      live,
      (document) =>
        Effect.gen(function* () {
          const { contentHash, id } = document
          const storedNames = known.get(id)
          if (storedNames?.contentHash === contentHash && storedNames.modelId === reader.id)
            return [id, { contentHash, names: storedNames }] as const
          const read = yield* reader.read(document, yield* store.chunks(workspace, id))
          const made = read === null ? undefined : { contentHash, modelId: reader.id, ...read }
          return [id, { contentHash, names: made }] as const
        }),
      { concurrency: atOnce }
    )
    return new Map(readingResults) satisfies ModelNames
  })

/** Returns the model's names to store with a document, or undefined. */
export const namesOf = (asked: ModelNames, { contentHash, id }: Document): KeptNames | undefined => {
  const one = asked?.get(id)
  return one?.contentHash === contentHash ? one.names : undefined
}

/** Returns whether the document may be read: there is no extraction model, or it has seen the present text. */
export const isAsked = (asked: ModelNames, { contentHash, deletedAt, id }: Document): boolean =>
  asked === null || deletedAt !== null || asked.get(id)?.contentHash === contentHash
