import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { vectorToBytes } from "../../../core/vectors/index.js"
import { toBytes, toNumber } from "../codec.js"
import { dialect } from "../dialect.js"

/** Rows that are rewritten at a time. */
const rowsPerPage = 500

/** Steps between 0 and 1 of a number in two bytes. */
const steps = 32_767

interface VectorRow {
  readonly workspace_id: string
  readonly number: unknown
  readonly model: unknown
  readonly label: unknown
  readonly document_id: string
  readonly text_hash: string
  readonly seq: unknown
  readonly vector: unknown
}

/**
 * Vectors in rows that name their workspace by its number, at twelve bits a number and with half of the digest of their
 * text. Vectors whose workspace is gone are left behind.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { blob, tellStatistics } = dialect(sql)
  yield* sql`create table vector_packed (
    workspace_no integer not null,
    model integer not null,
    label integer not null,
    document_id text not null,
    text_hash text not null,
    seq integer not null,
    vector ${blob},
    primary key (workspace_no, model, label)
  )`
  let after: readonly [workspace: string, model: number, label: number] = ["", 0, 0]
  while (true) {
    const rows: ReadonlyArray<VectorRow> =
      yield* sql<VectorRow>`select v.workspace_id, w.number, v.model, v.label,
        v.document_id, v.text_hash, v.seq, v.vector
      from vector v join workspace w on w.id = v.workspace_id
      where (v.workspace_id, v.model, v.label) > ${sql.in(after)}
      order by v.workspace_id, v.model, v.label limit ${rowsPerPage}`
    const last = rows.at(-1)
    if (last === undefined) break
    yield* sql`insert into vector_packed ${sql.insert(
      rows.map(({ number, text_hash, vector, workspace_id: _, ...row }) => ({
        workspace_no: toNumber(number),
        ...row,
        text_hash: text_hash.slice(0, 16),
        vector: vector === null ? null : repacked(toBytes(vector))
      }))
    )}`
    after = [last.workspace_id, toNumber(last.model), toNumber(last.label)]
  }
  yield* sql`drop table vector`
  yield* sql`alter table vector_packed rename to vector`
  yield* sql`create index vector_seq on vector (workspace_no, model, seq)`
  yield* sql`create index vector_document on vector (workspace_no, model, document_id)`
  yield* sql`create index vector_removed on vector (workspace_no, model, seq) where vector is null`
  yield* tellStatistics([
    ["vector", "sqlite_autoindex_vector_1", "1000000 250000 250000 1"],
    ["vector", "vector_seq", "1000000 250000 250000 1"],
    ["vector", "vector_document", "1000000 250000 250000 12"],
    ["vector", "vector_removed", "1000 250 250 1"]
  ])
})

/** Bytes that are no vector stay such: whoever looks for damage finds them. */
const repacked = (bytes: Uint8Array): Uint8Array => {
  if (bytes.byteLength % 2 !== 0) return bytes
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const vector = new Float32Array(bytes.byteLength / 2)
  for (let i = 0; i < vector.length; i += 1) vector[i] = view.getInt16(2 * i, true) / steps
  return vectorToBytes(vector)
}
