import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Governance, GovernanceSource } from "./answering/index.js"
import { declaredStanding } from "./conflicts/index.js"
import { DocumentStore } from "./documents/index.js"
import { allAliases, type Detectors, detectEntities, EntityStore } from "./entities/index.js"
import { type DocumentId, type EntityId, now, type WorkspaceScope } from "./kernel/index.js"

/** How documents and entities stand, from their rows. */
export const governanceSource = Layer.effect(
  GovernanceSource,
  Effect.gen(function* () {
    const context = yield* Effect.context<DocumentStore | EntityStore | Detectors>()
    return {
      of: (workspace, subjects) => Effect.provide(governanceOf(workspace, subjects), context)
    }
  })
)

interface Subjects {
  readonly documents: ReadonlyArray<DocumentId>
  readonly entities: ReadonlyArray<EntityId>
  readonly titles: ReadonlyArray<string>
}

const governanceOf = (workspace: WorkspaceScope, { documents, entities, titles }: Subjects) =>
  Effect.gen(function* () {
    const [documentStore, entityStore, at] = [yield* DocumentStore, yield* EntityStore, yield* now]
    const rows = yield* documentStore.findMany(workspace, documents)
    const due = rows.filter(({ nextVerifyAt }) => nextVerifyAt !== null && nextVerifyAt < at)
    const named = yield* detectEntities(workspace, titles.join("\n"))
    const ids = new Set([...entities, ...named.flatMap(({ entityIds }) => entityIds)])
    const found = yield* entityStore.findMany(workspace, [...ids])
    const successors = found.flatMap(({ supersededBy }) => supersededBy ?? []).filter((id) => !ids.has(id))
    const all = [...found, ...(yield* entityStore.findMany(workspace, [...new Set(successors)]))]
    return {
      reviewDue: new Set(due.map(({ id }) => id)),
      entities: all.map((one) => ({
        id: one.id,
        name: one.name,
        names: [one.name, ...allAliases(one)],
        authority: one.authority,
        lifecycle: one.lifecycle,
        supersededBy: one.supersededBy
      })),
      documents: new Map(rows.map(({ frontMatter, id }) => [id, declaredStanding(frontMatter.other)])),
      workspaceVerifies: documents.length > 0 && (yield* documentStore.hasVerified(workspace)),
      workspaceCurates: all.length > 0 && (yield* entityStore.hasCurated(workspace))
    } satisfies Governance
  })
