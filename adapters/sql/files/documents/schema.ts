import * as Effect from "effect/Effect"
import { visitCrashPoint } from "../../../host/crash-points.js"
import { migration } from "../../migration.js"

/** Documents with their tags, content, passages and versions, and the file operations that are still pending. */
export default migration(({ blob, clustered, sql, tellStatistics }) => [
  sql`create table document (
    workspace_id text not null,
    id text not null,
    path text not null,
    path_key text not null,
    title text not null,
    content_hash text not null,
    version integer not null,
    size_bytes integer not null,
    mtime_ms double precision not null,
    front_matter text not null,
    media_type text,
    file_hash text,
    source text,
    verification text not null,
    verified_by text,
    verified_at text,
    next_verify_at text,
    created_at text not null,
    updated_at text not null,
    deleted_at text,
    seq integer not null,
    primary key (workspace_id, id)
  ) ${clustered}`,
  sql`create unique index document_path on document (workspace_id, path_key)
    where deleted_at is null`,
  sql`create index document_order on document (workspace_id, path)
    where deleted_at is null`,
  sql`create index document_seq on document (workspace_id, seq)`,
  sql`create index document_trash on document (workspace_id, deleted_at desc, id)
    where deleted_at is not null`,
  // Columns that the condition fixes are in the index too: without statistics SQLite uses it as covering only then.
  sql`create index document_counts on document (workspace_id, deleted_at, verification)
    where deleted_at is null`,
  sql`create index document_due on document (workspace_id, next_verify_at, id)
    where deleted_at is null and next_verify_at is not null`,
  sql`create table document_tag (
    workspace_id text not null,
    tag text not null,
    document_id text not null,
    primary key (workspace_id, tag, document_id)
  ) ${clustered}`,
  sql`create index document_tag_document on document_tag (workspace_id, document_id)`,
  sql`create table document_content (
    workspace_id text not null,
    document_id text not null,
    bytes ${blob} not null,
    primary key (workspace_id, document_id)
  )`,
  // Rows of some kilobytes waste half of every page in a clustered table.
  sql`create table chunk (
    workspace_id text not null,
    label integer not null,
    id text not null,
    document_id text not null,
    ordinal integer not null,
    heading_path text not null,
    text text not null,
    start_offset integer not null,
    end_offset integer not null,
    page integer,
    primary key (workspace_id, label)
  )`,
  sql`create index chunk_id on chunk (workspace_id, id)`,
  sql`create index chunk_document on chunk (workspace_id, document_id, ordinal)`,
  // `expects` is the hash of the file that the operation expects at its path, or the empty text for no file; `owner`
  // is the process that runs it.
  sql`create table file_intent (
    workspace_id text not null,
    id integer not null,
    kind text not null,
    document_id text not null,
    path text not null,
    source text,
    content_hash text not null,
    expects text,
    owner text,
    primary key (workspace_id, id)
  ) ${clustered}`,
  Effect.sync(() => visitCrashPoint("open.migration.insideTransaction")),
  // `verification` is null for the current version: the one of the document counts.
  sql`create table document_version (
    workspace_id text not null,
    document_id text not null,
    version integer not null,
    content_hash text not null,
    size_bytes integer not null,
    origin text not null,
    changed_by text not null,
    activity text not null,
    created_at text not null,
    verification text,
    primary key (workspace_id, document_id, version)
  ) ${clustered}`,
  // Who still needs a text. Current versions, nearly all rows, are not in it.
  sql`create index document_version_text on document_version (workspace_id, content_hash)
    where verification is not null`,
  sql`create table document_text (
    workspace_id text not null,
    content_hash text not null,
    bytes ${blob} not null,
    primary key (workspace_id, content_hash)
  )`,
  tellStatistics([
    ["chunk", "sqlite_autoindex_chunk_1", "1000000 250000 1"],
    ["chunk", "chunk_id", "1000000 250000 1"],
    ["chunk", "chunk_document", "1000000 250000 12 1"]
  ])
])
