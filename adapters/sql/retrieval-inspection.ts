import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { bytesToVector, RetrievalInspection, type VectorRow } from "../../core/retrieval/index.js"
import { toBytes, toNumber } from "./codec.js"

/** Blocks read at a time: about a megabyte. */
const blocksPerPage = 64

const segmentTables = ["posting_directory", "posting_dead", "posting_block"] as const
const modelTables = ["vector_artefact", "vector"] as const

/** What lies behind the stores of postings and vectors, for those who look for damage. */
export const sqlRetrievalInspection = Layer.effect(
  RetrievalInspection,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const stray = (table: string, owner: string, ownerKey: string, key: string) =>
      sql`not exists (select 1 from ${sql(owner)} o where o.workspace_id = ${sql(table)}.workspace_id
        and ${sql(`o.${ownerKey}`)} = ${sql(`${table}.${key}`)})`

    const strays = (
      workspace: string,
      tables: ReadonlyArray<string>,
      where: (table: string) => ReturnType<typeof stray>
    ) =>
      Effect.map(
        Effect.forEach(
          tables,
          (table) => sql<{ n: unknown }>`select count(*) as n from ${sql(table)}
            where workspace_id = ${workspace} and ${where(table)}`
        ),
        (counts) => counts.reduce((sum, [row]) => sum + toNumber(row?.n), 0)
      )

    const remove = (
      workspace: string,
      tables: ReadonlyArray<string>,
      where: (table: string) => ReturnType<typeof stray>
    ) =>
      Effect.forEach(
        tables,
        (table) => sql`delete from ${sql(table)} where workspace_id = ${workspace} and ${where(table)}`,
        { discard: true }
      )

    const ofNoSegment = (table: string) => stray(table, "posting_segment", "id", "segment_id")
    const ofNoModel = (table: string) => stray(table, "vector_model", "model", "model")

    return {
      segmentParts: (workspace, segment) => {
        const directory = sql<{ bytes: unknown }>`select bytes from posting_directory
          where workspace_id = ${workspace} and segment_id = ${segment}`
        const blocks = Stream.paginateEffect(-1, (after) =>
          Effect.map(
            sql<{ ordinal: unknown; bytes: unknown }>`select ordinal, bytes from posting_block
              where workspace_id = ${workspace} and segment_id = ${segment} and ordinal > ${after}
              order by ordinal limit ${blocksPerPage}`,
            (rows) => {
              const last = rows.at(-1)
              return [
                rows.map(({ bytes }) => toBytes(bytes)),
                last === undefined || rows.length < blocksPerPage
                  ? Option.none<number>()
                  : Option.some(toNumber(last.ordinal))
              ]
            }
          )
        )
        return Stream.fromEffect(
          Effect.map(directory, (rows) => rows.map(({ bytes }) => toBytes(bytes)))
        ).pipe(Stream.concat(blocks), Stream.flatMap(Stream.fromIterable), Stream.orDie)
      },
      strayParts: (workspace) => Effect.orDie(strays(workspace, segmentTables, ofNoSegment)),
      removeStrayParts: (workspace) => Effect.orDie(remove(workspace, segmentTables, ofNoSegment)),
      vectorsAfter: (workspace, model, after, limit) =>
        sql<{
          label: unknown
          document_id: VectorRow["documentId"]
          text_hash: string
          seq: unknown
          vector: unknown
          dimensions: unknown
        }>`select v.label, v.document_id, v.text_hash, v.seq, v.vector, m.dimensions
          from vector_model m join vector v on v.workspace_id = m.workspace_id and v.model = m.model
          where m.workspace_id = ${workspace} and m.id = ${model} and m.state <> 'dropped'
            and v.label > ${after} and v.vector is not null order by v.label limit ${limit}`.pipe(
          Effect.map((rows) =>
            rows.map(
              ({ dimensions, document_id, label, seq, text_hash, vector }): VectorRow => ({
                label: toNumber(label),
                documentId: document_id,
                textHash: text_hash,
                seq: toNumber(seq),
                vector: vectorFrom(vector, toNumber(dimensions))
              })
            )
          ),
          Effect.orDie
        ),
      strayVectors: (workspace) => Effect.orDie(strays(workspace, modelTables, ofNoModel)),
      removeStrayVectors: (workspace) => Effect.orDie(remove(workspace, modelTables, ofNoModel))
    }
  })
)

const vectorFrom = (bytes: unknown, dimensions: number): Float32Array | null =>
  bytes instanceof Uint8Array && bytes.byteLength === 2 * dimensions ? bytesToVector(bytes) : null
