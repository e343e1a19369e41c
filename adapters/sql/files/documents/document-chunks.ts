import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Batches from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { DocumentStore, Passage } from "../../../../core/files/documents/index.js"
import {
  type DocumentId,
  forEachYielding,
  type WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import { toNumber } from "../../codec.js"
import { changingContent } from "../../content-changes.js"
import { inBatches, insertRows, readAll } from "../../rows.js"
import {
  type ChunkRow,
  chunkFromRow,
  chunkToRow,
  liveDocuments,
  type PassageRow,
  passageFromRow
} from "./document-rows.js"

/** Passages read at a time by a full scan. */
const passagesPerPage = 500
/** Passages deleted per statement: each takes tens of microseconds and blocks others. */
const removedPerStatement = 500

type ChunkMethods = Pick<
  DocumentStore["Type"],
  | "takeLabels"
  | "chunks"
  | "firstLabels"
  | "changeChunks"
  | "passages"
  | "passageById"
  | "labels"
  | "allPassages"
>

/** Methods of the document store for passages. */
export const chunkMethods = (
  sql: SqlClient.SqlClient,
  advance: WorkspaceStore["Type"]["advance"]
): ChunkMethods => {
  /** Forces SQLite to scan chunks first and look up each document; it underestimates the number of documents. */
  const chunksFirst = sql.literal("chunk c cross join document d")
  const documentsFirst = sql.literal("document d cross join chunk c")
  const passages = (
    workspace: WorkspaceScope,
    order: typeof chunksFirst,
    where: Fragment,
    rest: Fragment = sql.literal("")
  ) =>
    sql<PassageRow>`select c.label, c.id, c.document_id, c.ordinal, c.heading_path, c.text, c.start_offset,
        c.end_offset, c.page, d.title as doc_title, d.path as doc_path, d.verification as doc_verification,
        d.updated_at as doc_updated_at, d.source as doc_source
      from ${order} where c.workspace_id = ${workspace} and d.workspace_id = ${workspace} and d.id = c.document_id
        and ${where} and d.deleted_at is null ${rest}`.pipe(
      Effect.map((rows): ReadonlyArray<Passage> => rows.map(passageFromRow)),
      Effect.orDie
    )

  return {
    takeLabels: (workspace, count) =>
      Effect.map(advance(workspace, "chunk_label", count), (last) => last - count + 1),
    chunks: (workspace, id) =>
      sql<ChunkRow>`select * from chunk where workspace_id = ${workspace} and document_id = ${id}
        order by ordinal`.pipe(readAll(chunkFromRow)),
    firstLabels: (workspace, ids, count) =>
      inBatches(ids, (batch) =>
        sql<{ readonly documentId: DocumentId; readonly label: unknown }>`
          select document_id as "documentId", label from chunk where workspace_id = ${workspace}
            and ${sql.in("document_id", batch)} and ordinal < ${count} order by ordinal`.pipe(
          readAll(({ documentId, label }) => ({ documentId, label: toNumber(label) }))
        )
      ),
    changeChunks: (workspace, { added, kept, removed }) =>
      Effect.gen(function* () {
        const labels = removed.map((chunk) => chunk.label)
        const remove = (some: ReadonlyArray<number>) =>
          sql`delete from chunk where workspace_id = ${workspace} and ${sql.in("label", some)}`
        if (labels.length > removedPerStatement)
          yield* forEachYielding(Batches.chunksOf(labels, removedPerStatement), remove)
        else if (labels.length > 0) yield* remove(labels)
        yield* insertRows(
          sql,
          "chunk",
          added.map((chunk) => chunkToRow(workspace, chunk))
        )
        yield* forEachYielding(
          kept,
          (chunk) =>
            sql`update chunk set ordinal = ${chunk.ordinal}, start_offset = ${chunk.start}, end_offset = ${chunk.end}, page = ${chunk.page ?? null}
              where workspace_id = ${workspace} and label = ${chunk.label}`
        )
      }).pipe(changingContent(sql, workspace), Effect.orDie),
    passages: (workspace, labels) =>
      inBatches(labels, (batch) => passages(workspace, chunksFirst, sql.in("c.label", batch))),
    passageById: (workspace, id) =>
      Effect.map(passages(workspace, chunksFirst, sql`c.id = ${id}`), (found) =>
        Option.fromNullable(found[0])
      ),
    labels: (workspace, filter) =>
      sql<{ label: unknown }>`select c.label from chunk c
        join document d on d.workspace_id = ${workspace} and d.id = c.document_id
        where c.workspace_id = ${workspace} and ${liveDocuments(sql, workspace, filter)} order by c.label`.pipe(
        readAll((row) => toNumber(row.label))
      ),
    allPassages: (workspace) =>
      Stream.paginateEffect({ path: "", ordinal: -1 }, (after) =>
        Effect.map(
          passages(
            workspace,
            documentsFirst,
            sql.and([
              sql`(d.path > ${after.path} or (d.path = ${after.path} and c.ordinal > ${after.ordinal}))`,
              sql`d.path >= ${after.path}`,
              // Without statistics SQLite would scan all chunks for each document; this condition selects the right
              // index.
              sql`c.ordinal >= 0`
            ]),
            sql`order by d.path, c.ordinal limit ${passagesPerPage}`
          ),
          (page) => {
            const last = page[page.length - 1]
            return [
              page,
              last === undefined || page.length < passagesPerPage
                ? Option.none()
                : Option.some({ path: last.docPath, ordinal: last.ordinal })
            ]
          }
        )
      ).pipe(Stream.flatMap(Stream.fromIterable))
  }
}
