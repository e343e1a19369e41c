import { promisify } from "node:util"
import { deflateRaw, deflateRawSync, inflateRawSync } from "node:zlib"
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Chunks from "effect/Array"
import * as Effect from "effect/Effect"
import type { DocumentStore, FileIntent } from "../../../../core/files/documents/index.js"
import type { WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import { ownerState, processOwner } from "../../../host/process-owner.js"
import { toBytes, toNumber } from "../../codec.js"
import { columnsOf, number, text } from "../../columns.js"
import { done, inBatches, insertRows, readAll, readFirst } from "../../rows.js"

type KeptMethods = Pick<
  DocumentStore["Type"],
  "keepContent" | "content" | "contents" | "openIntent" | "closeIntent" | "openIntents" | "lastIntent"
>

/** Name of the counter for file operations. */
const intentCounter = "file_intent"
/** Low, because each may be megabytes. */
const contentsPerInsert = 16
/** Larger contents are compressed in another thread. */
const packedElsewhereBytes = 128 * 1024

const packElsewhere = promisify(deflateRaw)
/**
 * Compression level: 6 % smaller than the fastest level for twenty microseconds per document; the next level takes
 * the same again for 1.7 %.
 */
const packing = { level: 4 }

const packed = (bytes: Uint8Array): Effect.Effect<Uint8Array> =>
  bytes.byteLength < packedElsewhereBytes
    ? Effect.succeed(deflateRawSync(bytes, packing))
    : Effect.promise(() => packElsewhere(bytes, packing))

const intentColumns = columnsOf<Omit<FileIntent, "holder"> & { owner: string | null }>({
  id: number(),
  kind: text(),
  documentId: text(),
  path: text(),
  from: text("source"),
  contentHash: text(),
  expects: text(),
  owner: text()
})

const unpacked = (bytes: unknown): Uint8Array => new Uint8Array(inflateRawSync(toBytes(bytes)))

/** Methods of the document store for contents and pending file operations. */
export const keptMethods = (
  sql: SqlClient.SqlClient,
  advance: WorkspaceStore["Type"]["advance"]
): KeptMethods => ({
  keepContent: (workspace, contents) =>
    Effect.forEach(
      Chunks.chunksOf(contents, contentsPerInsert),
      (batch) =>
        Effect.flatMap(
          Effect.forEach(batch, ({ bytes, id }) =>
            Effect.map(packed(bytes), (kept) => ({
              workspace_id: workspace,
              document_id: id,
              bytes: kept
            }))
          ),
          (rows) => sql`insert into document_content ${sql.insert(rows)}
            on conflict (workspace_id, document_id) do update set bytes = excluded.bytes`
        ),
      { discard: true }
    ).pipe(Effect.orDie),
  content: (workspace, id) =>
    sql<{ bytes: unknown }>`select bytes from document_content
      where workspace_id = ${workspace} and document_id = ${id}`.pipe(
      readFirst((row) => unpacked(row.bytes))
    ),
  contents: (workspace, ids) =>
    inBatches(
      ids,
      (batch) =>
        sql<{ document_id: FileIntent["documentId"]; bytes: unknown }>`select document_id, bytes
          from document_content where workspace_id = ${workspace} and ${sql.in("document_id", batch)}`
    ).pipe(readAll(({ bytes, document_id }) => ({ id: document_id, bytes: unpacked(bytes) }))),
  openIntent: (workspace, intent) =>
    Effect.gen(function* () {
      const id = yield* advance(workspace, intentCounter, 1)
      const row = intentColumns.write({ ...intent, id, owner: processOwner() })
      yield* insertRows(sql, "file_intent", [{ workspace_id: workspace, ...row }])
      return id
    }),
  closeIntent: (workspace, ...ids) =>
    done(
      inBatches(
        ids,
        (batch) => sql`delete from file_intent where workspace_id = ${workspace} and ${sql.in("id", batch)}`
      )
    ),
  lastIntent: (workspace) =>
    sql<{ value: unknown }>`select value from counter
      where workspace_id = ${workspace} and name = ${intentCounter}`.pipe(
      Effect.map(([row]) => toNumber(row?.value)),
      Effect.orDie
    ),
  openIntents: (workspace, { documentId, id } = {}) =>
    sql`select * from file_intent
      where ${sql.and([
        sql`workspace_id = ${workspace}`,
        ...(id === undefined ? [] : [sql`id = ${id}`]),
        ...(documentId === undefined ? [] : [sql`document_id = ${documentId}`])
      ])} order by id`.pipe(
      Effect.map((rows) => {
        // Cached, because an import leaves thousands of one owner, and each check is a system call.
        const known = new Map<string | null, FileIntent["holder"]>([[null, "unknown"]])
        const holderOf = (owner: string | null): FileIntent["holder"] => {
          const holder = known.get(owner) ?? ownerState(owner ?? "")
          known.set(owner, holder)
          return holder
        }
        return rows.map((row) => {
          const { owner, ...intent } = intentColumns.read(row)
          return { ...intent, holder: holderOf(owner) }
        })
      }),
      Effect.orDie
    )
})
