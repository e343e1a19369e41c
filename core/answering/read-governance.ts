import * as Effect from "effect/Effect"
import { StampedRows, StampedValue } from "../caching/index.js"
import { declaredStanding } from "../conflicts/index.js"
import { type Document, DocumentStore } from "../documents/index.js"
import { allAliases, Detectors, type EntityDetector, EntityStore } from "../entities/index.js"
import { type DocumentId, type EntityId, now, serviceLayer, type WorkspaceScope } from "../kernel/index.js"
import type { ReadState } from "./evidence-source.js"
import { type Governance, GovernanceSource } from "./governance.js"

/** How documents and entities stand, from their rows. */
export const governanceSource = serviceLayer(
  GovernanceSource,
  Effect.gen(function* () {
    const context = yield* Effect.context<DocumentStore | EntityStore | Detectors>()
    const memory: Memory = {
      documents: new StampedRows(documentsBytes, sizeOf),
      verifies: new StampedValue(),
      curates: new WeakMap()
    }
    return {
      of: (workspace, subjects) => Effect.provide(governanceOf(workspace, subjects, memory), context)
    }
  })
)

interface Subjects {
  readonly documents: ReadonlyArray<DocumentId>
  readonly entities: ReadonlyArray<EntityId>
  readonly titles: ReadonlyArray<string>
  readonly seen?: ReadState
}

/** What is asked for of a document. */
interface Standing extends Pick<Document, "nextVerifyAt"> {
  readonly declared: ReturnType<typeof declaredStanding>
}

/** What was read of workspaces, of use as long as they are in the state that it was read in. */
interface Memory {
  readonly documents: StampedRows<DocumentId, Standing>
  readonly verifies: StampedValue<boolean>
  /** By what knows the entities of a workspace, which is another with each change of one. */
  readonly curates: WeakMap<EntityDetector, boolean>
}

/** How some ten thousand documents stand. */
const documentsBytes = 4 * 1024 * 1024
const sizeOf = ({ declared }: Standing): number => 100 + 2 * (declared.successor?.length ?? 0)

const governanceOf = (
  workspace: WorkspaceScope,
  { documents, entities, seen, titles }: Subjects,
  memory: Memory
) =>
  Effect.gen(function* () {
    const [entityStore, at] = [yield* EntityStore, yield* now]
    const detector = seen?.detector ?? (yield* (yield* Detectors).of(workspace))
    const stamp = seen?.stamp ?? null
    const standings = yield* memory.documents.of(workspace, stamp, documents, (missing) =>
      standingsOf(workspace, missing)
    )
    const due = [...standings].filter(([, { nextVerifyAt }]) => nextVerifyAt !== null && nextVerifyAt < at)
    const named = detector.detect(titles.join("\n"))
    const ids = new Set([...entities, ...named.flatMap(({ entityIds }) => entityIds)])
    const found = yield* entityStore.findMany(workspace, [...ids])
    const successors = found.flatMap(({ supersededBy }) => supersededBy ?? []).filter((id) => !ids.has(id))
    const all = [...found, ...(yield* entityStore.findMany(workspace, [...new Set(successors)]))]
    return {
      reviewDue: new Set(due.map(([id]) => id)),
      entities: all.map((one) => ({
        id: one.id,
        name: one.name,
        names: [one.name, ...allAliases(one)],
        authority: one.authority,
        lifecycle: one.lifecycle,
        supersededBy: one.supersededBy
      })),
      documents: new Map([...standings].map(([id, { declared }]) => [id, declared])),
      workspaceVerifies: documents.length > 0 && (yield* verifies(workspace, stamp, memory)),
      workspaceCurates: all.length > 0 && (yield* curates(workspace, detector, memory))
    } satisfies Governance
  })

const standingsOf = (workspace: WorkspaceScope, documents: ReadonlyArray<DocumentId>) =>
  Effect.flatMap(DocumentStore, (store) =>
    Effect.map(
      store.findMany(workspace, documents),
      (rows) =>
        new Map(
          rows.map(({ frontMatter, id, nextVerifyAt }): [DocumentId, Standing] => [
            id,
            { nextVerifyAt, declared: declaredStanding(frontMatter.other) }
          ])
        )
    )
  )

const verifies = (workspace: WorkspaceScope, stamp: string | null, memory: Memory) => {
  const held = memory.verifies.get(workspace, stamp)
  if (held !== undefined) return Effect.succeed(held)
  return Effect.flatMap(DocumentStore, (store) =>
    Effect.tap(store.hasVerified(workspace), (found) => memory.verifies.set(workspace, stamp, found))
  )
}

const curates = (workspace: WorkspaceScope, detector: EntityDetector, { curates: known }: Memory) => {
  const held = known.get(detector)
  if (held !== undefined) return Effect.succeed(held)
  return Effect.flatMap(EntityStore, (store) =>
    Effect.tap(store.hasCurated(workspace), (found) => known.set(detector, found))
  )
}
