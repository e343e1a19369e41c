import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { DocumentStore } from "../../../../core/files/documents/index.js"
import { toNumber } from "../../codec.js"
import { changing } from "../../content-changes.js"
import { readAll } from "../../rows.js"
import { type DocumentRow, documentFromRow } from "./document-rows.js"
import { dropUnusedText } from "./document-versions.js"
import { eraseQuotes } from "./erase-quotes.js"

type Retention = Pick<DocumentStore["Type"], "trashedBefore" | "purge" | "pruneVersions">

/** Methods of the document store that delete permanently. */
export const retentionMethods = (sql: SqlClient.SqlClient): Retention => ({
  trashedBefore: (workspace, before, limit) =>
    sql<DocumentRow>`select * from document
      where workspace_id = ${workspace} and deleted_at is not null and deleted_at < ${before}
      order by deleted_at, id limit ${limit}`.pipe(readAll(documentFromRow)),
  purge: (workspace, ids, before) =>
    Effect.gen(function* () {
      if (ids.length === 0) return []
      const deletedRows = yield* sql<DocumentRow>`delete from document where workspace_id = ${workspace}
        and ${sql.in("id", [...ids])} and deleted_at is not null and deleted_at < ${before} returning *`
      for (const { id } of deletedRows) {
        yield* eraseQuotes(sql, workspace, id)
        yield* sql`delete from document_tag where workspace_id = ${workspace} and document_id = ${id}`
        yield* sql`delete from document_content where workspace_id = ${workspace} and document_id = ${id}`
        const texts = yield* sql<{ content_hash: string }>`delete from document_version
          where workspace_id = ${workspace} and document_id = ${id} returning content_hash`
        for (const hash of new Set(texts.map((row) => row.content_hash)))
          yield* dropUnusedText(sql, workspace, hash)
      }
      return deletedRows.map(documentFromRow)
    }).pipe((write) => changing(sql, workspace, { content: true, documents: [...ids] }, write), Effect.orDie),
  pruneVersions: (workspace, keptMax, limit) =>
    Effect.gen(function* () {
      // Few documents have this many versions; others are skipped by their version number.
      const prunedRows = yield* sql<{ document_id: string; version: unknown; content_hash: string }>`
        select v.document_id, v.version, v.content_hash from document d
        join document_version v on v.workspace_id = ${workspace} and v.document_id = d.id
        where d.workspace_id = ${workspace} and d.version > ${keptMax} and v.version <= d.version - ${keptMax}
        limit ${limit}`
      for (const { content_hash, document_id, version } of prunedRows) {
        yield* sql`delete from document_version where workspace_id = ${workspace}
          and document_id = ${document_id} and version = ${toNumber(version)}`
        yield* dropUnusedText(sql, workspace, content_hash)
      }
      return prunedRows.length
    }).pipe(Effect.orDie)
})
