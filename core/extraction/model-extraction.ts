import * as Effect from "effect/Effect"
import { type Document, DocumentStore } from "../documents/index.js"
import type { DocumentId, WorkspaceScope } from "../kernel/index.js"
import type { KeptNames } from "./model-names.js"
import { NameReaders } from "./name-reader.js"
import { ExtractionRecordStore } from "./store.js"

/** Documents that are asked about at once. */
const atOnce = 4

/** What was asked about documents before they are read; null where nobody is asked. */
export type ModelNames = ReadonlyMap<DocumentId, Asked> | null

interface Asked {
  /** The text that was asked about: when the document has another one now, it is asked anew. */
  readonly contentHash: string
  /** None when the model could not be had. */
  readonly names: KeptNames | undefined
}

/**
 * Asks what these documents name, where the workspace has a model for that: those that it was not asked about before
 * with the text that they hold. Called outside of every unit of work.
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
      (yield* (yield* ExtractionRecordStore).readings(
        workspace,
        live.map(({ id }) => id)
      )).map(({ documentId, named }) => [documentId, named])
    )
    const store = yield* DocumentStore
    const asked = yield* Effect.forEach(
      live,
      (document) =>
        Effect.gen(function* () {
          const { contentHash, id } = document
          const kept = known.get(id)
          if (kept?.contentHash === contentHash && kept.modelId === reader.id)
            return [id, { contentHash, names: kept }] as const
          const names = yield* reader.read(document, yield* store.chunks(workspace, id))
          const made = names === null ? undefined : { contentHash, modelId: reader.id, names }
          return [id, { contentHash, names: made }] as const
        }),
      { concurrency: atOnce }
    )
    return new Map(asked) satisfies ModelNames
  })

/** What is to be kept of a document's names as it is read; undefined for nothing. */
export const namesOf = (asked: ModelNames, { contentHash, id }: Document): KeptNames | undefined => {
  const one = asked?.get(id)
  return one?.contentHash === contentHash ? one.names : undefined
}

/** Whether the document may be read: nobody is to be asked about it, or it was asked about as it is now. */
export const isAsked = (asked: ModelNames, { contentHash, deletedAt, id }: Document): boolean =>
  asked === null || deletedAt !== null || asked.get(id)?.contentHash === contentHash
