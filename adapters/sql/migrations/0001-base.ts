import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/** Workspaces, their counters, the audit trail, documents, chunks and owed file operations. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { blob, clustered } = dialect(sql)
  yield* sql`create table workspace (
    id text primary key,
    name text not null,
    settings text not null,
    created_at text not null,
    updated_at text not null
  )`
  yield* sql`create table counter (
    workspace_id text not null,
    name text not null,
    value integer not null,
    primary key (workspace_id, name)
  ) ${clustered}`
  yield* sql`create table audit (
    workspace_id text not null,
    id text not null,
    action text not null,
    actor text not null,
    activity text not null,
    subject_id text not null,
    at text not null,
    details text not null,
    primary key (workspace_id, id)
  ) ${clustered}`
  yield* sql`create index audit_subject on audit (workspace_id, subject_id, id)`
  yield* sql`create table document (
    workspace_id text not null,
    id text not null,
    path text not null,
    path_key text not null,
    title text not null,
    content_hash text not null,
    version integer not null,
    size_bytes integer not null,
    mtime_ms real not null,
    front_matter text not null,
    verification text not null,
    verified_by text,
    verified_at text,
    next_verify_at text,
    created_at text not null,
    updated_at text not null,
    deleted_at text,
    seq integer not null,
    primary key (workspace_id, id)
  ) ${clustered}`
  yield* sql`create unique index document_path on document (workspace_id, path_key) where deleted_at is null`
  yield* sql`create index document_order on document (workspace_id, path) where deleted_at is null`
  yield* sql`create index document_seq on document (workspace_id, seq)`
  yield* sql`create table document_tag (
    workspace_id text not null,
    tag text not null,
    document_id text not null,
    primary key (workspace_id, tag, document_id)
  ) ${clustered}`
  yield* sql`create index document_tag_document on document_tag (workspace_id, document_id)`
  yield* sql`create table document_content (
    workspace_id text not null,
    document_id text not null,
    bytes ${blob} not null,
    primary key (workspace_id, document_id)
  )`
  // Rows of some kilobytes waste half of every page in a clustered table.
  yield* sql`create table chunk (
    workspace_id text not null,
    label integer not null,
    id text not null,
    document_id text not null,
    ordinal integer not null,
    heading_path text not null,
    text text not null,
    start_offset integer not null,
    end_offset integer not null,
    primary key (workspace_id, label)
  )`
  yield* sql`create unique index chunk_id on chunk (workspace_id, id)`
  yield* sql`create index chunk_document on chunk (workspace_id, document_id, ordinal)`
  yield* sql`create table file_intent (
    workspace_id text not null,
    id integer not null,
    kind text not null,
    document_id text not null,
    path text not null,
    source text,
    content_hash text not null,
    primary key (workspace_id, id)
  ) ${clustered}`
})
