import * as Effect from "effect/Effect"
import {
  ClaimStore,
  type DrawnRelation,
  ExtractionStore,
  GraphStore,
  ReadingStore
} from "../../core/graph/index.js"
import { type EntityId, Ids } from "../../core/kernel/index.js"
import { lawsAt as at, makeWorkspace } from "./workspace.js"

/** More than any law stores. */
export const page = { limit: 100, offset: 0 }
/** Empty stores of a new workspace, with ids that stand for entities and documents. */
export const subject = Effect.gen(function* () {
  const ids = yield* Ids
  const entity = () => ids.make("entity")
  const fresh = { id: () => ids.make("relation"), at }
  const drawn = (
    src: EntityId,
    dst: EntityId,
    quotes: ReadonlyArray<string>,
    type = "links_to"
  ): DrawnRelation => ({
    srcId: src,
    type,
    dstId: dst,
    srcHead: src,
    dstHead: dst,
    evidence: quotes.map((quote) => ({ label: 1, quote }))
  })
  return {
    scope: yield* makeWorkspace,
    graph: yield* GraphStore,
    readingStore: yield* ReadingStore,
    claimStore: yield* ClaimStore,
    extraction: yield* ExtractionStore,
    ids,
    fresh,
    drawn,
    a: entity(),
    b: entity(),
    c: entity(),
    document: ids.make("document"),
    other: ids.make("document")
  }
})
