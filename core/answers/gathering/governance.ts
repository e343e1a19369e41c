import * as Effect from "effect/Effect"
import { DocumentStore } from "../../files/documents/index.js"
import { changedSources, compiledSources } from "../../files/proposals/index.js"
import { allAliases, Detectors, type EntityDetector, EntityStore } from "../../knowledge/entities/index.js"
import {
  cacheKeyOf,
  type DocumentId,
  type EntityId,
  momentOfReading,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { type ConceptStanding, type DeclaredStanding, declaredStanding } from "../conflicts/index.js"
import type { Evidence } from "../evidence/index.js"
import { type DocumentStanding, EvidenceCache } from "./evidence-cache.js"
import type { ReadState } from "./gathered-evidence.js"

/** Governance status of the documents and entities that an answer rests on. */
export interface Governance {
  /** Documents whose review is overdue, and compiled pages of which a source changed. */
  readonly reviewDue: ReadonlySet<DocumentId>
  /** The present versions of the documents. */
  readonly versions: ReadonlyMap<DocumentId, number>
  /** Entities that were asked for, that the titles name, and that replaced a retired one of these. */
  readonly entities: ReadonlyArray<ConceptStanding & { readonly name: string }>
  /** Status that the documents declare in their front matter. */
  readonly documents: ReadonlyMap<DocumentId, DeclaredStanding>
  /** Some documents of the workspace are verified or certified. */
  readonly workspaceVerifies: boolean
  /** Some entities of the workspace are more than machine-extracted. */
  readonly workspaceCurates: boolean
}

/** The documents that say of themselves that they are out of use. */
export const retiredOf = ({ documents }: Governance): ReadonlySet<DocumentId> =>
  new Set([...documents].flatMap(([id, { isRetired }]) => (isRetired ? [id] : [])))

/** Documents and entities whose governance is read. */
export interface GovernanceSubjects {
  readonly documents: ReadonlyArray<DocumentId>
  /** Titles of documents that may be about an entity. */
  readonly titles: ReadonlyArray<string>
  readonly entities: ReadonlyArray<EntityId>
}

/** Everything in the evidence that governance says something of. */
export const subjectsOf = ({ entities, sources }: Evidence): GovernanceSubjects => ({
  documents: [...new Set(sources.map(({ passage }) => passage.documentId))],
  titles: [...new Set(sources.map(({ passage }) => passage.docTitle))],
  entities: entities.map(({ id }) => id)
})

/**
 * Reads how documents and entities stand.
 *
 * @param seen The state in which they were found; without it the documents are read anew.
 */
export const readGovernance = Effect.fnUntraced(function* (
  workspace: WorkspaceScope,
  { documents, entities, titles }: GovernanceSubjects,
  seen?: ReadState
) {
  const [cache, entityStore, at] = [yield* EvidenceCache, yield* EntityStore, yield* momentOfReading]
  const detector = seen?.detector ?? (yield* (yield* Detectors).of(workspace))
  const stamp = seen?.stamp ?? null
  const standings = yield* cache.standings.of(workspace, stamp, documents, (missing) =>
    standingsOf(workspace, missing)
  )
  const due = [...standings].filter(
    ([, { isStale, nextVerifyAt }]) => isStale || (nextVerifyAt !== null && nextVerifyAt < at)
  )
  const detections = detector.detect(titles.join("\n"))
  const ids = new Set([...entities, ...detections.flatMap(({ entityIds }) => entityIds)])
  const found = yield* entityStore.findMany(workspace, [...ids])
  const successors = found.flatMap(({ supersededBy }) => supersededBy ?? []).filter((id) => !ids.has(id))
  const all = [...found, ...(yield* entityStore.findMany(workspace, [...new Set(successors)]))]
  return {
    reviewDue: new Set(due.map(([id]) => id)),
    versions: new Map([...standings].map(([id, { version }]) => [id, version])),
    entities: all.map((one) => ({
      id: one.id,
      name: one.name,
      names: [one.name, ...allAliases(one)],
      authority: one.authority,
      lifecycle: one.lifecycle,
      supersededBy: one.supersededBy
    })),
    documents: new Map([...standings].map(([id, { declared }]) => [id, declared])),
    workspaceVerifies: documents.length > 0 && (yield* verifies(workspace, stamp)),
    workspaceCurates: all.length > 0 && (yield* curates(workspace, detector))
  } satisfies Governance
})

const standingsOf = (workspace: WorkspaceScope, documents: ReadonlyArray<DocumentId>) =>
  Effect.gen(function* () {
    const store = yield* DocumentStore
    const rows = yield* store.findMany(workspace, documents)
    const sources = new Map(rows.map(({ frontMatter, id }) => [id, compiledSources(frontMatter)]))
    const present = yield* store.findMany(
      workspace,
      [...sources.values()].flatMap((some) => some.map(({ docId }) => docId))
    )
    return new Map(
      rows.map(({ frontMatter, id, nextVerifyAt, version }): [DocumentId, DocumentStanding] => [
        id,
        {
          nextVerifyAt,
          version,
          isStale: changedSources(sources.get(id) ?? [], present).length > 0,
          declared: declaredStanding(frontMatter.other)
        }
      ])
    )
  })

const verifies = Effect.fnUntraced(function* (workspace: WorkspaceScope, stamp: string | null) {
  const cache = yield* EvidenceCache
  const key = yield* cacheKeyOf(workspace)
  const cached = cache.verifies.get(key, stamp)
  if (cached !== undefined) return cached
  const found = yield* (yield* DocumentStore).hasVerified(workspace)
  cache.verifies.set(key, stamp, found)
  return found
})

const curates = Effect.fnUntraced(function* (workspace: WorkspaceScope, detector: EntityDetector) {
  const cache = yield* EvidenceCache
  const cached = cache.curates.get(detector)
  if (cached !== undefined) return cached
  const found = yield* (yield* EntityStore).hasCurated(workspace)
  cache.curates.set(detector, found)
  return found
})
