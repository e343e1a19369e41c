import { DocumentStore } from "../../files/documents/index.js"
import { EntityStore } from "../../knowledge/entities/index.js"
import { GraphStore } from "../../knowledge/graph/index.js"
import { Caller, traced } from "../../platform/kernel/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import { PostingStore } from "../../search/lexical/index.js"
import { VectorStore, vectorsAreBehind } from "../../search/vectors/index.js"
import { type QueueState, queueState } from "./events.js"

/** State of a workspace. */
export interface EngineStatus {
  readonly workspace: { readonly id: string; readonly name: string }
  readonly counts: {
    readonly documents: number
    readonly chunks: number
    readonly entities: number
    readonly relations: number
  }
  readonly queue: QueueState
  readonly textIndex: {
    readonly segments: number
    readonly passages: number
    /** Removed passages that are not yet merged away. */
    readonly removed: number
    readonly sizeBytes: number
  }
  readonly vectors: {
    /** The search model; null while there is none. */
    readonly model: string | null
    readonly dimensions: number | null
    /** False while documents have changed since, or another model is being built. */
    readonly upToDate: boolean
  }
}

/** Returns the state of the caller's workspace; reads a few rows. */
export const status = traced("status")(function* () {
  const { workspace } = yield* Caller
  const { id, name } = yield* (yield* WorkspaceStore).get(workspace)
  const documents = yield* (yield* DocumentStore).counts(workspace)
  const { entities } = yield* (yield* EntityStore).counts(workspace)
  const { relations } = yield* (yield* GraphStore).counts(workspace)
  const segments = yield* (yield* PostingStore).segments(workspace)
  const models = yield* (yield* VectorStore).models(workspace)
  const active = models.find(({ state }) => state === "active")
  return {
    workspace: { id, name },
    counts: { documents: documents.documents, chunks: documents.chunks, entities, relations },
    queue: yield* queueState,
    textIndex: {
      segments: segments.length,
      passages: sum(segments.map(({ chunkCount, deadCount }) => chunkCount - deadCount)),
      removed: sum(segments.map(({ deadCount }) => deadCount)),
      sizeBytes: sum(segments.map(({ sizeBytes }) => sizeBytes))
    },
    vectors: {
      model: active?.id ?? null,
      dimensions: active?.dimensions ?? null,
      upToDate: !(yield* vectorsAreBehind(workspace))
    }
  } satisfies EngineStatus
})

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, next) => total + next, 0)
