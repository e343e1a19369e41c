import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Document } from "../../files/documents/index.js"
import type { EntityDetector } from "../../knowledge/entities/index.js"
import { StampedRows, StampedValue } from "../../platform/caching/index.js"
import { type DocumentId, serviceLayer } from "../../platform/kernel/index.js"
import type { DeclaredStanding } from "../conflicts/index.js"

/** Governance status of a document. */
export interface DocumentStanding extends Pick<Document, "nextVerifyAt" | "version"> {
  readonly declared: DeclaredStanding
  /** A source of the compiled page changed. */
  readonly isStale: boolean
}

/** Caches what questions read of documents beside their passages, one for each engine. */
export class EvidenceCache extends Context.Tag("kanon/EvidenceCache")<
  EvidenceCache,
  {
    /** The labels of the first passages of documents. */
    readonly firstLabels: StampedRows<DocumentId, ReadonlyArray<number>>
    readonly standings: StampedRows<DocumentId, DocumentStanding>
    /** Whether a workspace has verified documents. */
    readonly verifies: StampedValue<boolean>
    /** Whether a workspace has curated entities, by its detector: every change of an entity makes a new one. */
    readonly curates: WeakMap<EntityDetector, boolean>
  }
>() {}

/** Room for the first labels of some thousands of documents, and for the standings of some ten thousand. */
const [firstLabelsBytes, standingsBytes] = [2 * 1024 * 1024, 4 * 1024 * 1024]

/** Makes the empty cache of an engine. */
export const evidenceCache = serviceLayer(
  EvidenceCache,
  Effect.sync(() => ({
    firstLabels: new StampedRows(firstLabelsBytes, (labels) => labels.length * 8),
    standings: new StampedRows(standingsBytes, ({ declared }) => 100 + 2 * (declared.successor?.length ?? 0)),
    verifies: new StampedValue(),
    curates: new WeakMap()
  }))
)
