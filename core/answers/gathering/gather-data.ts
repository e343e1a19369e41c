import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  type BoundCall,
  type BoundEntity,
  boundCalls,
  type DataQuery,
  execute,
  LiveDataStore
} from "../../connected/livedata/index.js"
import { DocumentStore } from "../../files/documents/index.js"
import { allAliases, EntityStore } from "../../knowledge/entities/index.js"
import { documentsAbout } from "../../knowledge/extraction/index.js"
import { type EntityId, now, type WorkspaceScope } from "../../platform/kernel/index.js"
import type { Settings } from "../../platform/workspace/index.js"
import type { EvidenceData } from "../evidence/index.js"
import type { GatheredEvidence } from "./gathered-evidence.js"

/** Rows that the data bindings of the entities of a question gave. */
export interface GatheredData {
  readonly data: ReadonlyArray<EvidenceData>
  /** Executions that gave no rows: refused, failed or out of time. */
  readonly failed: number
}

/** No data call was made. */
export const noData: GatheredData = { data: [], failed: 0 }

/**
 * Runs the data bindings of the entities of a question: at most three executions, in parallel, each under the deadline
 * of the workspace. Never fails: executions that gave no rows are counted.
 */
export const gatherData = Effect.fnUntraced(function* (
  workspace: WorkspaceScope,
  question: string,
  { entities, seen }: Pick<GatheredEvidence, "entities" | "seen">,
  settings: Settings
) {
  if (entities.length === 0) return noData
  const queries = (yield* (yield* LiveDataStore).queries.list(workspace)).filter(
    ({ bindings }) => bindings.length > 0
  )
  if (queries.length === 0) return noData
  const mentions = new Map<EntityId, string>()
  for (const { entityIds, surface } of seen.detector.detect(question))
    for (const id of entityIds) if (!mentions.has(id)) mentions.set(id, surface)
  return yield* boundData(
    workspace,
    queries,
    entities.map(({ id }) => id),
    settings,
    mentions
  )
})

/** Runs the bindings of queries for some entities, as `gatherData` does for those of a question. */
export const boundData = Effect.fnUntraced(function* (
  workspace: WorkspaceScope,
  queries: ReadonlyArray<DataQuery>,
  ids: ReadonlyArray<EntityId>,
  { caps, data: { standing } }: Settings,
  mentions: ReadonlyMap<EntityId, string> = new Map()
) {
  const wanted = boundCalls(queries, yield* boundEntities(workspace, ids, mentions))
  const ended = yield* Effect.forEach(
    wanted,
    (call) =>
      rowsOf(workspace, call).pipe(Effect.timeoutOption(caps.dataTimeoutMs), Effect.map(Option.flatten)),
    { concurrency: "unbounded" }
  )
  const data = ended.flatMap(Option.toArray)
  return {
    data: data.map((one, at) => ({ ...one, id: `D${at + 1}`, standing })),
    failed: wanted.length - data.length
  } satisfies GatheredData
})

const rowsOf = (workspace: WorkspaceScope, { entity, params, query }: BoundCall) =>
  Effect.gen(function* () {
    const executedAt = yield* now
    const run = yield* execute(query, params)
    const connector = yield* (yield* LiveDataStore).connectors.find(workspace, run.connectorId)
    return {
      id: "",
      queryId: query.id,
      queryTitle: query.title,
      about: entity.name,
      columns: run.columns,
      rows: run.rows,
      rowCount: run.rowCount,
      truncated: run.truncated,
      call: {
        dataCallId: run.dataCallId,
        connectorName: Option.match(connector, { onNone: () => "", onSome: ({ name }) => name }),
        executedAt
      }
    } satisfies EvidenceData
  }).pipe(
    Effect.option,
    // A defect of a driver must not take the answer with it.
    Effect.catchAllDefect((defect) =>
      Effect.as(Effect.logWarning("A data call of a question failed.", defect), Option.none())
    )
  )

/** The entities with their names and the front matter of their documents, in their order. */
const boundEntities = (
  workspace: WorkspaceScope,
  ids: ReadonlyArray<EntityId>,
  mentions: ReadonlyMap<EntityId, string>
) =>
  Effect.gen(function* () {
    const stored = new Map(
      (yield* (yield* EntityStore).findMany(workspace, ids)).map((entity) => [entity.id, entity] as const)
    )
    return yield* Effect.forEach(ids, (id) =>
      Effect.gen(function* () {
        const entity = stored.get(id)
        if (entity === undefined) return []
        const attributes = entity.claim === null ? {} : yield* attributesOf(workspace, entity.claim.key)
        const bound: BoundEntity = {
          id,
          type: entity.type,
          name: entity.name,
          mention: mentions.get(id) ?? entity.name,
          names: [...new Set([entity.name, ...allAliases(entity)])],
          attributes
        }
        return [bound]
      })
    ).pipe(Effect.map((found) => found.flat()))
  })

/** The front matter of the documents that an entity stands for; of two, the first that has a key. */
const attributesOf = (workspace: WorkspaceScope, key: string) =>
  Effect.gen(function* () {
    const own = (yield* documentsAbout(workspace, [key])).slice(0, 3)
    const documents = yield* (yield* DocumentStore).findMany(workspace, own)
    const merged: Readonly<Record<string, unknown>> = Object.assign(
      {},
      ...documents.toReversed().map(({ frontMatter: { aliases, other, tags, title, type } }) => ({
        ...other,
        aliases,
        tags,
        ...(title === null ? {} : { title }),
        ...(type === null ? {} : { type })
      }))
    )
    return merged
  })
