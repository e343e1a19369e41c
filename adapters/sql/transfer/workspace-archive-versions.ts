import { deflateRawSync } from "node:zlib"
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { InvalidExport, type WorkspaceScope } from "../../../core/kernel/index.js"
import type { RecordOf } from "../../../core/transfer/index.js"
import { type VersionRow, versionFromRow, versionToRow } from "../documents/document-versions.js"
import { insertRows } from "../rows.js"
import { eachRecord, type Gather, inPages, keptText } from "./workspace-archive-pages.js"

/** Texts read at once, which may be large, and rows, which are small. */
const pageSizes = { text: 16, version: 500 } as const

interface TextRow {
  readonly content_hash: string
  readonly bytes: unknown
}

/** Texts of older versions, each once, then the versions. */
export const versionRecords = (
  sql: SqlClient.SqlClient,
  sha256: (bytes: Uint8Array) => string,
  workspace: WorkspaceScope,
  gather: Gather
) => Stream.concat(textRecords(sql, sha256, workspace, gather), ownVersionRecords(sql, workspace, gather))

const textRecords = (
  sql: SqlClient.SqlClient,
  sha256: (bytes: Uint8Array) => string,
  workspace: WorkspaceScope,
  gather: Gather
) =>
  inPages(
    pageSizes.text,
    (after: TextRow | undefined) => sql<TextRow>`select content_hash, bytes from document_text
      where workspace_id = ${workspace} and content_hash > ${after?.content_hash ?? ""}
      order by content_hash limit ${pageSizes.text}`,
    (rows) => gather("text", rows, (row) => textRecord(row, sha256))
  )

const textRecord = (
  { bytes, content_hash }: TextRow,
  sha256: (bytes: Uint8Array) => string
): Effect.Effect<RecordOf<"text">, InvalidExport> => {
  const content = keptText(bytes, content_hash, sha256)
  return content === undefined
    ? Effect.fail(
        new InvalidExport({
          reason: "damaged_workspace",
          line: null,
          message: "The text of an older version is damaged; kanon doctor --repair mends it."
        })
      )
    : Effect.succeed({ kind: "text", contentHash: content_hash, content })
}

const ownVersionRecords = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, gather: Gather) =>
  eachRecord(
    pageSizes.version,
    (after: VersionRow | undefined) => sql<VersionRow>`select * from document_version
      where workspace_id = ${workspace}
        and (document_id, version) > (${after?.document_id ?? ""}, ${Number(after?.version ?? 0)})
      order by document_id, version limit ${pageSizes.version}`,
    (row): RecordOf<"version"> => ({ kind: "version", ...versionFromRow(row) }),
    { kind: "version", gather }
  )

const encoder = new TextEncoder()

/** Writes what the above reads. */
export const versionWriter = (sql: SqlClient.SqlClient) => ({
  text: (scope: WorkspaceScope, records: ReadonlyArray<RecordOf<"text">>) =>
    insertRows(
      sql,
      "document_text",
      records.map(({ content, contentHash }) => ({
        workspace_id: scope,
        content_hash: contentHash,
        bytes: deflateRawSync(encoder.encode(content), { level: 1 })
      }))
    ),
  version: (scope: WorkspaceScope, records: ReadonlyArray<RecordOf<"version">>) =>
    insertRows(
      sql,
      "document_version",
      records.map((record) => versionToRow(scope, record))
    )
})
