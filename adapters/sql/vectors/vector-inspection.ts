import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { numberMax, serviceLayer } from "../../../core/kernel/index.js"
import { bytesToVector, storedBytes, VectorInspection, type VectorRow } from "../../../core/vectors/index.js"
import { toNumber } from "../codec.js"
import { workspaceNo } from "../id-numbers.js"
import { straysOf } from "../integrity/strays.js"

/** What lies behind the store of vectors, for those who look for damage. */
export const sqlVectorInspection = serviceLayer(
  VectorInspection,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const strays = straysOf(sql, {
      tables: ["vector_artefact", "vector"],
      key: "model",
      owner: "vector_model",
      ownerKey: "model"
    })
    return {
      vectorsAfter: (workspace, model, after, limit) =>
        sql<{
          label: unknown
          document_id: VectorRow["documentId"]
          text_hash: string
          seq: unknown
          vector: unknown
          dimensions: unknown
        }>`select v.label, v.document_id, v.text_hash, v.seq, v.vector, m.dimensions
          from vector_model m join vector v on v.workspace_no = ${workspaceNo(sql, workspace)}
            and v.model = m.model
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
      feedAgain: (workspace, model, { dryRun }) =>
        Effect.gen(function* () {
          const ofModel = sql`workspace_no = ${workspaceNo(sql, workspace)} and model = (select model
            from vector_model where workspace_id = ${workspace} and id = ${model} and state <> 'dropped')`
          const isPlace = sql`seq between 1 and ${numberMax}`
          const [row] = yield* sql<{ head: unknown; last: unknown; handed: unknown }>`select
            (select feed_head from vector_model where workspace_id = ${workspace} and id = ${model}
              and state <> 'dropped') as head,
            (select max(seq) from vector where ${ofModel} and ${isPlace}) as last,
            (select value from counter where workspace_id = ${workspace} and name = 'vector_feed'
              and value <= ${numberMax}) as handed`
          const astray = yield* sql<{ label: unknown }>`select label from vector
            where ${ofModel} and not (${isPlace}) order by label`
          const [head, last] = [toNumber(row?.head), toNumber(row?.last)]
          const isHead = head >= last && head <= numberMax
          const count = astray.length + (isHead ? 0 : 1)
          if (dryRun || count === 0) return count
          // Behind all that was handed out, so that every index has what moved before it.
          const from = Math.max(last, toNumber(row?.handed), isHead ? head : 0)
          for (const [place, { label }] of astray.entries())
            yield* sql`update vector set seq = ${from + place + 1}
              where ${ofModel} and label = ${toNumber(label)}`
          yield* sql`update vector_model set feed_head = ${from + astray.length}
            where workspace_id = ${workspace} and id = ${model} and state <> 'dropped'`
          yield* sql`update counter set value = ${from + astray.length}
            where workspace_id = ${workspace} and name = 'vector_feed'`
          return count
        }).pipe(Effect.orDie),
      strayVectors: strays.count,
      removeStrayVectors: strays.remove
    }
  })
)

const vectorFrom = (bytes: unknown, dimensions: number): Float32Array | null =>
  bytes instanceof Uint8Array && bytes.byteLength === storedBytes(dimensions) ? bytesToVector(bytes) : null
