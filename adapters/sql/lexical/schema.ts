import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/** The segments of the lexical index. Checksums are CRC-32 of the bytes beside them. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { blob, clustered } = dialect(sql)
  // Bytes are apart from the numbers: every search lists the numbers, every removal rewrites them.
  yield* sql`create table posting_segment (
    workspace_id text not null,
    id text not null,
    chunk_count integer not null,
    dead_count integer not null,
    dead_id text not null,
    live_length bigint not null,
    first_label integer not null,
    last_label integer not null,
    size_bytes bigint not null,
    primary key (workspace_id, id)
  ) ${clustered}`
  yield* sql`create table posting_directory (
    workspace_id text not null,
    segment_id text not null,
    bytes ${blob} not null,
    checksum bigint,
    primary key (workspace_id, segment_id)
  )`
  yield* sql`create table posting_dead (
    workspace_id text not null,
    segment_id text not null,
    bytes ${blob} not null,
    checksum bigint,
    primary key (workspace_id, segment_id)
  )`
  yield* sql`create table posting_block (
    workspace_id text not null,
    segment_id text not null,
    ordinal integer not null,
    bytes ${blob} not null,
    checksum bigint,
    primary key (workspace_id, segment_id, ordinal)
  )`
})
