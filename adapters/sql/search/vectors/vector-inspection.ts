import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import {
  bytesToVector,
  storedBytes,
  type VectorInspection,
  type VectorRow
} from "../../../../core/search/vectors/index.js"
import { toNumber } from "../../codec.js"
import { orphansOf } from "../../orphans.js"

/** Queries of vectors for inspection and rebuild, over SQL. */
export const vectorInspection: Effect.Effect<VectorInspection, never, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const orphans = orphansOf(sql, {
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
          from vector_model m join vector v on v.workspace_id = ${workspace}
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
      orphanCount: orphans.count,
      removeOrphans: orphans.remove
    }
  }
)

const vectorFrom = (bytes: unknown, dimensions: number): Float32Array | null =>
  bytes instanceof Uint8Array && bytes.byteLength === storedBytes(dimensions) ? bytesToVector(bytes) : null
