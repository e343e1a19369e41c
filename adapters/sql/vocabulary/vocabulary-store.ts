import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { type ChangeRequestId, type EntityId, type JobId, serviceLayer } from "../../../core/kernel/index.js"
import {
  type Grouping,
  type ImportRun,
  noReport,
  type StagedConcept,
  type StoredConcept,
  VocabularyStore
} from "../../../core/vocabulary/index.js"
import { fromJson, toJson, toNumber } from "../codec.js"
import { inBatches, insertRows, readAll } from "../rows.js"

export interface ConceptRow {
  readonly entity_id: EntityId
  readonly iri: string
  readonly details: string
}

export const conceptFromRow = ({ details, entity_id, iri }: ConceptRow): StoredConcept => ({
  entityId: entity_id,
  iri,
  details: fromJson(details)
})

/** Returns the columns of a concept except its workspace. */
export const conceptToRow = ({ details, entityId, iri }: StoredConcept) => ({
  entity_id: entityId,
  iri,
  details: toJson(details)
})

interface RunRow {
  readonly id: JobId
  readonly options: string
  readonly total: number
  readonly asked_by: string
  readonly activity: string
  readonly next_concept: number
  readonly next_link: number
  readonly report: string
}

const runFromRow = (row: RunRow): ImportRun => ({
  id: row.id,
  options: fromJson(row.options),
  total: toNumber(row.total),
  askedBy: row.asked_by,
  activity: row.activity,
  nextConcept: toNumber(row.next_concept),
  nextLink: toNumber(row.next_link),
  // Reports of imports started by an older version lack fields.
  report: { ...noReport(), ...fromJson<Partial<ImportRun["report"]>>(row.report) }
})

const runToRow = (run: ImportRun) => ({
  id: run.id,
  options: toJson(run.options),
  total: run.total,
  asked_by: run.askedBy,
  activity: run.activity,
  next_concept: run.nextConcept,
  next_link: run.nextLink,
  report: toJson(run.report)
})

export interface GroupingRow {
  readonly iri: string
  readonly details: string
}

export const groupingFromRow = ({ details, iri }: GroupingRow): Grouping => ({
  iri,
  ...fromJson<Omit<Grouping, "iri">>(details)
})

/** Returns the columns of a grouping except its workspace. */
export const groupingToRow = ({ iri, ...details }: Grouping) => ({ iri, details: toJson(details) })

interface StagedRow {
  readonly place: number
  readonly concept: string
  readonly request_id: ChangeRequestId | null
  readonly made: number
}

const stagedFromRow = ({ concept, made, place, request_id }: StagedRow): StagedConcept => ({
  place: toNumber(place),
  concept: fromJson(concept),
  requestId: request_id,
  made: toNumber(made) === 1
})

export const sqlVocabularyStore = serviceLayer(
  VocabularyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const isOver = sql.literal(`next_link >= total and not exists (select 1 from vocabulary_staged s
      where s.workspace_id = vocabulary_import.workspace_id and s.import_id = vocabulary_import.id)`)
    return {
      byIri: (workspace, iris) =>
        inBatches(
          [...new Set(iris)],
          (batch) =>
            sql<ConceptRow>`select * from concept where workspace_id = ${workspace} and ${sql.in("iri", batch)}`
        ).pipe(readAll(conceptFromRow)),
      byEntity: (workspace, ids) =>
        inBatches(
          [...new Set(ids)],
          (batch) =>
            sql<ConceptRow>`select * from concept where workspace_id = ${workspace} and ${sql.in("entity_id", batch)}`
        ).pipe(readAll(conceptFromRow)),
      add: (workspace, concepts) =>
        insertRows(
          sql,
          "concept",
          concepts.map((concept) => ({ workspace_id: workspace, ...conceptToRow(concept) }))
        ),
      begin: (workspace, run, { concepts, groupings }) =>
        Effect.gen(function* () {
          yield* sql`delete from vocabulary_import where workspace_id = ${workspace} and ${isOver}`
          yield* sql`insert into vocabulary_import ${sql.insert({ workspace_id: workspace, ...runToRow(run) })}`
          yield* insertRows(
            sql,
            "vocabulary_staged",
            concepts.map((concept, place) => ({
              workspace_id: workspace,
              import_id: run.id,
              place,
              iri: concept.iri,
              concept: toJson(concept),
              request_id: null,
              made: 0
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
        sql<RunRow>`select * from vocabulary_import where workspace_id = ${workspace} and id = ${id}`.pipe(
          Effect.map(([row]) => (row === undefined ? null : runFromRow(row))),
          Effect.orDie
        ),
      waiting: (workspace) =>
        sql<RunRow>`select * from vocabulary_import where workspace_id = ${workspace} and next_link >= total
          and not (${isOver}) order by id`.pipe(readAll(runFromRow)),
      saveRun: (workspace, run) =>
        sql`update vocabulary_import set ${sql.update(runToRow(run))}
          where workspace_id = ${workspace} and id = ${run.id}`.pipe(Effect.asVoid, Effect.orDie),
      staged: (workspace, run, from, limit) =>
        sql<StagedRow>`select place, concept, request_id, made from vocabulary_staged
          where workspace_id = ${workspace} and import_id = ${run} and place >= ${from}
          order by place limit ${limit}`.pipe(readAll(stagedFromRow)),
      note: (workspace, run, staged) =>
        Effect.forEach(
          staged,
          ({ made, place, requestId }) => sql`update vocabulary_staged
            set made = ${made ? 1 : 0}, request_id = ${requestId}
            where workspace_id = ${workspace} and import_id = ${run} and place = ${place}`,
          { discard: true }
        ).pipe(Effect.orDie),
      proposed: (workspace, iris) =>
        inBatches(
          [...new Set(iris)],
          (batch) => sql<{ iri: string }>`select distinct iri from vocabulary_staged
            where workspace_id = ${workspace} and request_id is not null and ${sql.in("iri", batch)}`
        ).pipe(
          Effect.map((rows) => [...new Set(rows.map(({ iri }) => iri))]),
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
