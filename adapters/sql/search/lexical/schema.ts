import { migration } from "../../migration.js"

/** The segments of the lexical index. Checksums are CRC-32 of the bytes beside them. */
export default migration(({ blob, clustered, sql }) => [
  // Bytes are apart from the numbers: every search lists the numbers, every removal rewrites them.
  sql`create table posting_segment (
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
  ) ${clustered}`,
  sql`create table posting_directory (
    workspace_id text not null,
    segment_id text not null,
    bytes ${blob} not null,
    checksum bigint,
    primary key (workspace_id, segment_id)
  )`,
  sql`create table posting_dead (
    workspace_id text not null,
    segment_id text not null,
    bytes ${blob} not null,
    checksum bigint,
    primary key (workspace_id, segment_id)
  )`,
  sql`create table posting_block (
    workspace_id text not null,
    segment_id text not null,
    ordinal integer not null,
    bytes ${blob} not null,
    checksum bigint,
    primary key (workspace_id, segment_id, ordinal)
  )`
])
