import * as Effect from "effect/Effect"
import { DocumentStore } from "../../files/documents/index.js"
import { Caller } from "../../platform/kernel/index.js"
import { VectorStore, vectorIndexInspection } from "./store.js"

/** The vectors may take this share of the available memory: an index that grows is copied. */
const memoryShare = 0.5

/** Why the vectors of the workspace may not fit into the memory of this process; null while they do. */
export const vectorMemoryShortage = Effect.gen(function* () {
  const [store, { workspace }] = [yield* VectorStore, yield* Caller]
  const active = (yield* store.models(workspace)).find(({ state }) => state === "active")
  if (active === undefined) return null
  const { chunks } = yield* (yield* DocumentStore).counts(workspace)
  const memory = yield* (yield* vectorIndexInspection).memory(active.dimensions, chunks)
  if (memory === null || memory.needed <= memory.available * memoryShare) return null
  return `each process that searches the vectors of the ${chunks} passages holds about ${inGigabytes(memory.needed)} for them, and ${inGigabytes(memory.available)} of memory is available here: give it more, or use Postgres with pgvector, which searches them itself`
})

const inGigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`
