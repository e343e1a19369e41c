import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { toBytes, toNumber } from "../codec.js"
import { dialect } from "../dialect.js"
import { packedArtefact } from "../vectors/vector-store.js"

/** Rows that are rewritten at a time. */
const rowsPerPage = 500

interface VectorRow {
  readonly workspace_id: string
  readonly model: unknown
  readonly label: unknown
  readonly document_id: string
  readonly text_hash: string
  readonly seq: unknown
  readonly vector: unknown
}

/** Vectors at two bytes a number, where earlier versions kept four; what models have learned, packed. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { blob } = dialect(sql)
  yield* sql`create table vector_small (
    workspace_id text not null,
    model integer not null,
    label integer not null,
    document_id text not null,
    text_hash text not null,
    seq integer not null,
    vector ${blob},
    primary key (workspace_id, model, label)
  )`
  let after: readonly [workspace: string, model: number, label: number] = ["", 0, 0]
  while (true) {
    const rows: ReadonlyArray<VectorRow> =
      yield* sql<VectorRow>`select workspace_id, model, label, document_id, text_hash, seq, vector
      from vector where (workspace_id, model, label) > ${sql.in(after)}
      order by workspace_id, model, label limit ${rowsPerPage}`
    const last = rows.at(-1)
    if (last === undefined) break
    yield* sql`insert into vector_small ${sql.insert(
      rows.map((row) => ({ ...row, vector: row.vector === null ? null : small(toBytes(row.vector)) }))
    )}`
    after = [last.workspace_id, toNumber(last.model), toNumber(last.label)]
  }
  yield* sql`drop table vector`
  yield* sql`alter table vector_small rename to vector`
  yield* sql`create index vector_seq on vector (workspace_id, model, seq)`
  yield* sql`create index vector_document on vector (workspace_id, model, document_id)`
  yield* sql`create index vector_removed on vector (workspace_id, model, seq) where vector is null`
  yield* packArtefacts
})

const packArtefacts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const models = yield* sql<{
    workspace_id: string
    model: unknown
  }>`select workspace_id, model from vector_artefact`
  for (const { model, workspace_id } of models) {
    const own = sql`workspace_id = ${workspace_id} and model = ${toNumber(model)}`
    const [row] = yield* sql<{ bytes: unknown }>`select bytes from vector_artefact where ${own}`
    const bytes = yield* packedArtefact(toBytes(row?.bytes))
    yield* sql`update vector_artefact set bytes = ${bytes} where ${own}`
  }
})

/** Steps between 0 and 1 of a number in two bytes. */
const steps = 32_767

const small = (bytes: Uint8Array): Uint8Array => {
  const numbers = new Float32Array(new Uint8Array(bytes).buffer, 0, Math.floor(bytes.byteLength / 4))
  return new Uint8Array(Int16Array.from(numbers, (value) => Math.round(value * steps)).buffer)
}
