import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import {
  type ImportRun,
  noReport,
  type StagedConcept,
  VocabularyStore
} from "../../../../core/knowledge/vocabulary/index.js"
import {
  type ChangeRequestId,
  serviceLayer,
  type WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import { fromJson, toJson } from "../../codec.js"
import { columnsOf, flag, json, number, text } from "../../columns.js"
import { done, inBatches, insertRows, readAll } from "../../rows.js"
import { conceptFromRow, conceptToRow, groupingToRow } from "./concept-rows.js"
import { vocabularyReader } from "./vocabulary-reader.js"

const runColumns = columnsOf<ImportRun>({
  id: text(),
  options: json(),
  total: number(),
  askedBy: text(),
  activity: text(),
  nextConcept: number(),
  nextLink: number(),
  // Fields may be missing: the doctor empties a report that cannot be read.
  report: { read: (cell) => ({ ...noReport(), ...fromJson<object>(cell) }), write: toJson }
})

interface ProposedRow {
  readonly iri: string
  readonly request_id: ChangeRequestId
}

const stagedColumns = columnsOf<StagedConcept>({
  place: number(),
  concept: json(),
  requestId: text(),
  made: flag()
})

/**
 * Stores the IRIs and texts of imported concepts, and imports, in SQL.
 *
 * @param snapshot As for `vocabularyReader`.
 */
export const sqlVocabularyStore = (snapshot: Parameters<typeof vocabularyReader>[0]) =>
  serviceLayer(
    VocabularyStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const isOver = (
        workspace: WorkspaceScope
      ) => sql`(next_link >= total and not exists (select 1 from vocabulary_staged s
      where s.workspace_id = ${workspace} and s.import_id = vocabulary_import.id))`
      return {
        reader: yield* vocabularyReader(snapshot),
        byIri: (workspace, iris) =>
          inBatches(
            [...new Set(iris)],
            (batch) =>
              sql`select * from concept where workspace_id = ${workspace} and ${sql.in("iri", batch)}`
          ).pipe(readAll(conceptFromRow)),
        byEntity: (workspace, ids) =>
          inBatches(
            [...new Set(ids)],
            (batch) =>
              sql`select * from concept where workspace_id = ${workspace} and ${sql.in("entity_id", batch)}`
          ).pipe(readAll(conceptFromRow)),
        add: (workspace, concepts) =>
          insertRows(
            sql,
            "concept",
            concepts.map((concept) => ({ workspace_id: workspace, ...conceptToRow(concept) }))
          ),
        replace: (workspace, { entityId, ...concept }) =>
          done(sql`update concept set ${sql.update(conceptToRow(concept))}
          where workspace_id = ${workspace} and entity_id = ${entityId}`),
        page: (workspace, after, limit) =>
          sql`select * from concept where workspace_id = ${workspace} and iri > ${after}
          order by iri limit ${limit}`.pipe(readAll(conceptFromRow)),
        begin: (workspace, run, { concepts, groupings }) =>
          Effect.gen(function* () {
            yield* sql`delete from vocabulary_import where workspace_id = ${workspace} and ${isOver(workspace)}`
            yield* sql`insert into vocabulary_import ${sql.insert({ workspace_id: workspace, ...runColumns.write(run) })}`
            yield* insertRows(
              sql,
              "vocabulary_staged",
              concepts.map((concept, place) => ({
                workspace_id: workspace,
                import_id: run.id,
                iri: concept.iri,
                ...stagedColumns.write({ place, concept, requestId: null, made: false })
              }))
            )
            yield* inBatches(
              groupings.map(({ iri }) => iri),
              (batch) => sql`delete from vocabulary_grouping
              where workspace_id = ${workspace} and ${sql.in("iri", batch)}`
            )
            yield* insertRows(
              sql,
              "vocabulary_grouping",
              groupings.map((one) => ({ workspace_id: workspace, ...groupingToRow(one) }))
            )
          }).pipe(Effect.orDie),
        run: (workspace, id) =>
          sql`select * from vocabulary_import where workspace_id = ${workspace} and id = ${id}`.pipe(
            Effect.map(([row]) => (row === undefined ? null : runColumns.read(row))),
            Effect.orDie
          ),
        waiting: (workspace) =>
          sql`select * from vocabulary_import where workspace_id = ${workspace} and next_link >= total
          and not ${isOver(workspace)} order by id`.pipe(readAll(runColumns.read)),
        saveRun: (workspace, run) =>
          done(sql`update vocabulary_import set ${sql.update(runColumns.write(run), ["id"])}
          where workspace_id = ${workspace} and id = ${run.id}`),
        staged: (workspace, run, from, limit) =>
          sql`select place, concept, request_id, made from vocabulary_staged
          where workspace_id = ${workspace} and import_id = ${run} and place >= ${from}
          order by place limit ${limit}`.pipe(readAll(stagedColumns.read)),
        note: (workspace, run, staged) =>
          Effect.forEach(
            staged,
            ({ made, place, requestId }) => sql`update vocabulary_staged
            set ${sql.update(stagedColumns.write({ made, requestId }))}
            where workspace_id = ${workspace} and import_id = ${run} and place = ${place}`,
            { discard: true }
          ).pipe(Effect.orDie),
        proposed: (workspace, iris) =>
          inBatches(
            [...new Set(iris)],
            (batch) => sql<ProposedRow>`select iri, min(request_id) as request_id from vocabulary_staged
            where workspace_id = ${workspace} and request_id is not null and ${sql.in("iri", batch)}
            group by iri`
          ).pipe(
            Effect.map((rows) => rows.map(({ iri, request_id }) => ({ iri, requestId: request_id }))),
            Effect.orDie
          ),
        unstage: (workspace, run, places) =>
          inBatches(
            places,
            (batch) => sql`delete from vocabulary_staged
            where workspace_id = ${workspace} and import_id = ${run} and ${sql.in("place", batch)}`
          ).pipe(Effect.asVoid, Effect.orDie)
      }
    })
  )
