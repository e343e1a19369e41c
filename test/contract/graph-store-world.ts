import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { GraphStore, type LinkedRelation } from "../../core/knowledge/graph/index.js"
import {
  type DocumentId,
  type EntityId,
  Ids,
  type RelationId,
  type WorkspaceScope
} from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { lawsAt as at, makeWorkspace } from "./workspace.js"

/** More than any law stores. */
export const page = { limit: 100, offset: 0 }

/** The services that a law of the graph's stores needs. */
export type GraphStores = GraphStore | WorkspaceStore | Ids

/** Empty stores of a new workspace, with ids that stand for entities and documents. */
export interface GraphSubject {
  readonly scope: WorkspaceScope
  readonly graph: Context.Tag.Service<GraphStore>
  readonly readingStore: Context.Tag.Service<GraphStore>["records"]
  readonly claimStore: Context.Tag.Service<GraphStore>["claims"]
  readonly unresolved: Context.Tag.Service<GraphStore>["unresolved"]
  readonly extraction: Context.Tag.Service<GraphStore>["extraction"]
  readonly ids: Context.Tag.Service<Ids>
  /** How a new relation is made. */
  readonly fresh: { readonly id: () => RelationId; readonly at: string }
  /** A relation that a document carries at its first passage, with these words each time. */
  readonly drawn: (
    src: EntityId,
    dst: EntityId,
    quotes: ReadonlyArray<string>,
    type?: string
  ) => LinkedRelation
  readonly a: EntityId
  readonly b: EntityId
  readonly c: EntityId
  readonly document: DocumentId
  readonly other: DocumentId
}

/** Stores and workspace for a contract test of the graph. */
export const subject: Effect.Effect<GraphSubject, never, GraphStore | WorkspaceStore | Ids> = Effect.gen(
  function* () {
    const ids = yield* Ids
    const entity = () => ids.make("entity")
    const fresh = { id: () => ids.make("relation"), at }
    const drawn = (
      src: EntityId,
      dst: EntityId,
      quotes: ReadonlyArray<string>,
      type = "links_to"
    ): LinkedRelation => ({
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
      readingStore: (yield* GraphStore).records,
      claimStore: (yield* GraphStore).claims,
      unresolved: (yield* GraphStore).unresolved,
      extraction: (yield* GraphStore).extraction,
      ids,
      fresh,
      drawn,
      a: entity(),
      b: entity(),
      c: entity(),
      document: ids.make("document"),
      other: ids.make("document")
    }
  }
)
