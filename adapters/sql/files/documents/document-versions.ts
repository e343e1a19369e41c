import { inflateRawSync } from "node:zlib"
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Document, DocumentStore, KeptVersion } from "../../../../core/files/documents/index.js"
import type { WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { toBytes } from "../../codec.js"
import { columnsOf, number, text } from "../../columns.js"
import { insertRows, readPage } from "../../rows.js"

/** Columns of the table `document_version`: every version of a document, its text compressed. */
const columns = columnsOf<KeptVersion>({
  documentId: text(),
  version: number(),
  contentHash: text(),
  sizeBytes: number(),
  origin: text(),
  changedBy: text(),
  activity: text(),
  createdAt: text(),
  verification: text()
})

export const { read: versionFromRow, write: versionToRow } = columns

export const versionMethods = (
  sql: SqlClient.SqlClient
): Pick<DocumentStore["Type"], "addVersions" | "versions" | "version"> => {
  /** Moves the stored text as it is, still compressed. */
  const archiveText = (workspace: WorkspaceScope, { contentHash, id, verification, version }: Document) =>
    Effect.zipRight(
      sql`insert into document_text (workspace_id, content_hash, bytes)
        select workspace_id, ${contentHash}, bytes from document_content
        where workspace_id = ${workspace} and document_id = ${id}
        on conflict (workspace_id, content_hash) do nothing`,
      sql`update document_version set verification = ${verification}
        where workspace_id = ${workspace} and document_id = ${id} and version = ${version}`
    )

  const prune = (workspace: WorkspaceScope, { documentId, version }: KeptVersion, keptMax: number) =>
    Effect.gen(function* () {
      const removedVersions = yield* sql<{ content_hash: string }>`delete from document_version
        where workspace_id = ${workspace} and document_id = ${documentId} and version <= ${version - keptMax}
        returning content_hash`
      for (const hash of new Set(removedVersions.map((row) => row.content_hash)))
        yield* dropUnusedText(sql, workspace, hash)
    })

  return {
    addVersions: (workspace, added, keptMax) =>
      Effect.gen(function* () {
        for (const { before } of added) if (before !== null) yield* archiveText(workspace, before)
        yield* insertRows(
          sql,
          "document_version",
          added.map(({ version }) => ({ workspace_id: workspace, ...versionToRow(version) }))
        )
        for (const { before, version } of added)
          if (before !== null && version.version > keptMax) yield* prune(workspace, version, keptMax)
      }).pipe(Effect.orDie),
    versions: (workspace, id, page) =>
      readPage(sql, page, {
        from: sql`document_version where workspace_id = ${workspace} and document_id = ${id}`,
        order: sql`version desc`,
        read: versionFromRow
      }),
    version: (workspace, id, number) =>
      Effect.gen(function* () {
        const [row] = yield* sql`select * from document_version
          where workspace_id = ${workspace} and document_id = ${id} and version = ${number}`
        if (row === undefined) return Option.none()
        const [text] = yield* row.verification === null
          ? sql<{ bytes: unknown }>`select bytes from document_content
              where workspace_id = ${workspace} and document_id = ${id}`
          : sql<{ bytes: unknown }>`select bytes from document_text
              where workspace_id = ${workspace} and content_hash = ${row.content_hash}`
        const bytes = text === undefined ? null : new Uint8Array(inflateRawSync(toBytes(text.bytes)))
        return Option.some({ version: versionFromRow(row), bytes })
      }).pipe(Effect.orDie)
  }
}

/** Deletes a text that no version needs any more. */
export const dropUnusedText = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, hash: string) =>
  sql`delete from document_text where workspace_id = ${workspace} and content_hash = ${hash}
    and not exists (select 1 from document_version v where v.workspace_id = ${workspace}
      and v.content_hash = ${hash} and v.verification is not null)`
