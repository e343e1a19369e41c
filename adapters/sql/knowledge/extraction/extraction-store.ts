import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type {
  ExtractionStore,
  GraphState,
  KnownSurface,
  UnresolvedNames
} from "../../../../core/knowledge/graph/index.js"
import type { DocumentId } from "../../../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import { columnsOf, flag, number, text } from "../../columns.js"
import { idNo } from "../../id-numbers.js"
import { done, inBatches, insertRows, readAll } from "../../rows.js"
import { rebuildAllEdges } from "../graph/edges.js"
import { replaceRelationEvidence, writeMentions } from "../graph/mention-writes.js"

/** Stores the name keys that extraction has to resolve again, in SQL. */
export const unresolvedNames: Effect.Effect<UnresolvedNames, never, SqlClient.SqlClient> = Effect.map(
  SqlClient.SqlClient,
  (sql) => ({
    add: (workspace, keys) =>
      Effect.gen(function* () {
        const wanted = [...new Set(keys)]
        const known = yield* inBatches(
          wanted,
          (batch) => sql<{ key: string }>`select key from graph_undecided
            where workspace_id = ${workspace} and ${sql.in("key", batch)}`
        )
        const have = new Set(known.map(({ key }) => key))
        yield* insertRows(
          sql,
          "graph_undecided",
          wanted.filter((key) => !have.has(key)).map((key) => ({ workspace_id: workspace, key }))
        )
      }).pipe(Effect.orDie),
    list: (workspace, limit) =>
      sql<{
        key: string
      }>`select key from graph_undecided where workspace_id = ${workspace} order by key limit ${limit}`.pipe(
        readAll(({ key }) => key)
      ),
    remove: (workspace, keys) =>
      inBatches(
        keys,
        (batch) =>
          sql`delete from graph_undecided where workspace_id = ${workspace} and ${sql.in("key", batch)}`
      ).pipe(Effect.asVoid, Effect.orDie)
  })
)

const surfaceColumns = columnsOf<KnownSurface>({ entityId: text(), key: text(), headId: text() })

const stateColumns = columnsOf<GraphState>({
  documentCursor: number(),
  entityCursor: number(),
  relink: flag()
})

/** The progress of extraction and its results. */
export const extraction: Effect.Effect<ExtractionStore, never, SqlClient.SqlClient | WorkspaceStore> =
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      state: (workspace) =>
        sql`select * from graph_state where workspace_id = ${workspace}`.pipe(
          Effect.map(([row]) =>
            row === undefined ? { documentCursor: 0, entityCursor: 0, relink: false } : stateColumns.read(row)
          ),
          Effect.orDie
        ),
      setState: (workspace, state) => {
        const row = stateColumns.write(state)
        return done(sql`insert into graph_state ${sql.insert({ workspace_id: workspace, ...row })}
          on conflict (workspace_id) do update set ${sql.update(row)}`)
      },
      clear: (workspace) =>
        Effect.gen(function* () {
          for (const table of cleared) yield* sql`delete from ${sql(table)} where workspace_id = ${workspace}`
          yield* sql`delete from relation
            where workspace_id = ${workspace} and origin = 'extraction' and deleted_at is null`
          yield* sql`update relation set evidence_count = 0 where workspace_id = ${workspace}`
          yield* rebuildAllEdges(sql, workspace)
        }).pipe(Effect.orDie),
      surfaces: (workspace, ids) =>
        inBatches(
          [...new Set(ids)],
          (batch) => sql`select entity_id, key, head_id from graph_surface
            where workspace_id = ${workspace} and ${sql.in("entity_id", batch)}`
        ).pipe(readAll(surfaceColumns.read)),
      changeSurfaces: (workspace, { added, removed }) =>
        Effect.gen(function* () {
          for (const { entityId, key } of removed) {
            yield* sql`delete from graph_surface
              where workspace_id = ${workspace} and entity_id = ${entityId} and key = ${key}`
          }
          yield* insertRows(
            sql,
            "graph_surface",
            added.map((surface) => ({ workspace_id: workspace, ...surfaceColumns.write(surface) }))
          )
        }).pipe(Effect.orDie),
      mentioning: (workspace, surfaces) =>
        Effect.forEach(
          surfaces,
          ({ entityId, key }) => sql<{ document_id: DocumentId }>`select id as document_id from id_number
            where workspace_id = ${workspace} and number in (select document_no from mention
              where workspace_id = ${workspace} and entity_no = ${idNo(sql, workspace, entityId)}
                and key = ${key})`
        ).pipe(
          Effect.map((pages) => [...new Set(pages.flat().map(({ document_id }) => document_id))]),
          Effect.orDie
        ),
      setMentions: writeMentions(sql, yield* WorkspaceStore),
      setRelations: replaceRelationEvidence(sql)
    }
  })

/** Tables that hold only extraction results. */
const cleared = [
  "graph_state",
  "graph_document",
  "graph_target",
  "graph_claim",
  "graph_surface",
  "graph_undecided",
  "mention",
  "id_number",
  "extraction_run",
  "relation_evidence"
]
