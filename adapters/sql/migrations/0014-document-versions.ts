import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"
import { noteKnownVersions } from "../documents/document-versions.js"

/**
 * Versions of documents, and the texts of those that are no longer the present one, each text once a workspace. Of
 * documents from before, the present version is the one that is known.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { blob, clustered } = dialect(sql)
  // Verification is null for the present version: that of the document counts.
  yield* sql`create table document_version (
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
  ) ${clustered}`
  // Who still needs a text; the present versions, nearly all rows, are not in it.
  yield* sql`create index document_version_text on document_version (workspace_id, content_hash)
    where verification is not null`
  yield* sql`create table document_text (
    workspace_id text not null,
    content_hash text not null,
    bytes ${blob} not null,
    primary key (workspace_id, content_hash)
  )`
  yield* noteKnownVersions(sql)
})
