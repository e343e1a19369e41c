import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Chunks from "effect/Array"
import * as Effect from "effect/Effect"
import {
  type Document,
  type DocumentStamp,
  DocumentStore,
  readerVersion
} from "../../../../core/files/documents/index.js"
import { pathKey } from "../../../../core/files/markdown/index.js"
import { AccessStore } from "../../../../core/platform/access/index.js"
import {
  Conflict,
  type DocumentId,
  serviceLayer,
  type WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import { toNumber } from "../../codec.js"
import { cachedValue, changing, changingContent } from "../../content-changes.js"
import { isSqlError, isUniqueViolation } from "../../errors.js"
import { done, hasRows, inBatches, insertRows, readAll, readFirst, readPage } from "../../rows.js"
import { proposals } from "../proposals/proposal-store.js"
import { chunkMethods } from "./document-chunks.js"
import { documentInspection } from "./document-inspection.js"
import { keptMethods } from "./document-kept.js"
import { documentOrder, foldersIn, listedDocuments } from "./document-lists.js"
import { retentionMethods } from "./document-retention.js"
import { type DocumentRow, documentFromRow, documentToRow, listedFromRow, tagsOf } from "./document-rows.js"
import { versionMethods } from "./document-versions.js"

/** Three values each. */
const stampsPerStatement = 300

/** A document with its position in the change feed. */
interface Numbered {
  readonly after: Document
  readonly seq: number
}

/** A row in the shape of a stamp, to avoid conversions for large numbers of rows if the driver returns numbers. */
interface StampRow extends Omit<DocumentStamp, "sizeBytes" | "mtimeMs" | "seq" | "isOutdated"> {
  readonly isOutdated: unknown
  readonly sizeBytes: unknown
  readonly mtimeMs: unknown
  readonly seq: unknown
}
const isStamp = (row: StampRow): row is StampRow & DocumentStamp =>
  typeof row.sizeBytes === "number" &&
  typeof row.mtimeMs === "number" &&
  typeof row.seq === "number" &&
  typeof row.isOutdated === "boolean"
const stampFromRow = (row: StampRow): DocumentStamp =>
  isStamp(row)
    ? row
    : {
        ...row,
        sizeBytes: toNumber(row.sizeBytes),
        mtimeMs: toNumber(row.mtimeMs),
        seq: toNumber(row.seq),
        // SQLite has numbers for true and false.
        isOutdated: row.isOutdated === true || Number(row.isOutdated) === 1
      }

const rowsPerInsert = 32
/** A sync reads the stamps of all documents; above this number, at 300 bytes each, they are not cached. */
const stampsKeptMax = 20_000

/** Stores documents, their passages and their pending file operations in SQL. */
export const sqlDocumentStore = serviceLayer(
  DocumentStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const workspaces = yield* WorkspaceStore
    const { advance } = workspaces
    const access = yield* AccessStore
    /** Gives documents the readers of their folder; a new path may have others. */
    const applyFolders = (workspace: WorkspaceScope, moved: ReadonlyArray<DocumentId>) =>
      moved.length === 0
        ? Effect.void
        : Effect.flatMap(workspaces.get(workspace), ({ settings }) =>
            settings.access.folders.length === 0
              ? Effect.void
              : access.applyTo(workspace, moved, settings.access.folders)
          )

    const stampColumns = sql.literal(
      `id, path, coalesce(file_hash, content_hash) as "contentHash", size_bytes as "sizeBytes", mtime_ms as "mtimeMs", seq,
      (file_hash is not null and media_type <> 'text/markdown'
        and coalesce(source, '') not like '%"reader":"${readerVersion}"%') as "isOutdated"`
    )
    const stamps = cachedValue(
      sql,
      (workspace) =>
        sql<StampRow>`select ${stampColumns} from document
          where workspace_id = ${workspace} and deleted_at is null order by path`.pipe(
          Effect.map((rows) => rows.map(stampFromRow))
        ),
      ({ length }) => length <= stampsKeptMax
    )

    const counts = cachedValue(sql, (workspace) =>
      sql<{ documents: unknown; chunks: unknown }>`select
        (select count(*) from document where workspace_id = ${workspace} and deleted_at is null) as documents,
        (select count(*) from chunk where workspace_id = ${workspace}) as chunks`.pipe(
        Effect.map(([row]) => ({ documents: toNumber(row?.documents), chunks: toNumber(row?.chunks) }))
      )
    )

    const saveTags = (workspace: WorkspaceScope, before: Document | null, after: Document) => {
      const tags = tagsOf(after.frontMatter)
      if (tags.join("\n") === (before === null ? [] : tagsOf(before.frontMatter)).join("\n"))
        return Effect.void
      const rows = tags.map((tag) => ({ workspace_id: workspace, tag, document_id: after.id }))
      return Effect.zipRight(
        done(sql`delete from document_tag where workspace_id = ${workspace} and document_id = ${after.id}`),
        insertRows(sql, "document_tag", rows)
      )
    }

    const pathTaken = (paths: ReadonlyArray<string>) => (error: SqlError) =>
      isUniqueViolation(error)
        ? Effect.fail(
            new Conflict({
              message:
                paths.length === 1 ? `The path ${paths[0]} is taken.` : "One of the new paths is taken."
            })
          )
        : Effect.die(error)

    /** Inserts documents in batches of a constant small size, so that the statement is reused. */
    const insertDocuments = (workspace: WorkspaceScope, fresh: ReadonlyArray<Numbered>) =>
      Effect.forEach(
        Chunks.chunksOf(fresh, rowsPerInsert),
        (batch) =>
          sql`insert into document ${sql.insert(
            batch.map(({ after, seq }) => documentToRow(workspace, after, seq))
          )}`.pipe(Effect.catchAll(pathTaken(batch.map(({ after }) => after.path)))),
        { discard: true }
      )

    const updateDocument = (workspace: WorkspaceScope, before: Document, { after, seq }: Numbered) =>
      sql`update document set ${sql.update(documentToRow(workspace, after, seq), ["workspace_id", "id"])}
        where workspace_id = ${workspace} and id = ${after.id} and seq = ${before.seq} returning id`.pipe(
        Effect.catchAll(pathTaken([after.path])),
        Effect.filterOrFail(
          (rows) => rows.length === 1,
          () =>
            new Conflict({
              message: `${after.path} was changed by another writer in the meantime.`,
              existingId: after.id
            })
        )
      )

    return {
      inspection: yield* documentInspection,
      proposals: yield* proposals,
      find: (workspace, id) =>
        sql<DocumentRow>`select * from document where workspace_id = ${workspace} and id = ${id}`.pipe(
          readFirst(documentFromRow)
        ),
      findMany: (workspace, ids) =>
        inBatches(ids, (batch) =>
          sql<DocumentRow>`select * from document where workspace_id = ${workspace}
            and ${sql.in("id", batch)}`.pipe(readAll(documentFromRow))
        ),
      sizes: (workspace, ids) =>
        inBatches(ids, (batch) =>
          sql<{ id: Document["id"]; size_bytes: unknown }>`select id, size_bytes from document
            where workspace_id = ${workspace} and ${sql.in("id", batch)}`.pipe(
            readAll(({ id, size_bytes }) => ({ id, sizeBytes: toNumber(size_bytes) }))
          )
        ),
      findByPath: (workspace, path) =>
        sql<DocumentRow>`select * from document where workspace_id = ${workspace}
          and path_key = ${pathKey(path)} and deleted_at is null`.pipe(readFirst(documentFromRow)),
      list: (workspace, page, filter) =>
        readPage(sql, page, {
          select: sql`d.*`,
          from: sql`document d where ${listedDocuments(sql, workspace, filter)}`,
          order: documentOrder(sql, filter.sort),
          read: listedFromRow
        }),
      folders: (workspace, folder) => foldersIn(sql, workspace, folder),
      hasVerified: (workspace) =>
        sql`select 1 as found from document where workspace_id = ${workspace} and deleted_at is null
          and verification in ('verified', 'certified') limit 1`.pipe(hasRows),
      stamps: (workspace) => Effect.orDie(stamps(workspace)),
      trashStamps: (workspace) =>
        sql<StampRow>`select ${stampColumns} from document
          where workspace_id = ${workspace} and deleted_at is not null order by deleted_at desc, id`.pipe(
          readAll(stampFromRow)
        ),
      save: (workspace, changes) =>
        changes.length === 0
          ? Effect.void
          : Effect.gen(function* () {
              const last = yield* advance(workspace, "document_seq", changes.length)
              const firstSeq = last - changes.length + 1
              const numbered = changes.map((change, place) => ({ ...change, seq: firstSeq + place }))
              // Changes that free a path come before those that take it.
              for (const change of numbered)
                if (change.before !== null) yield* updateDocument(workspace, change.before, change)
              yield* insertDocuments(
                workspace,
                numbered.filter(({ before }) => before === null)
              )
              for (const { after, before } of changes) yield* saveTags(workspace, before, after)
              yield* applyFolders(
                workspace,
                changes.flatMap(({ after, before }) => (before?.path === after.path ? [] : [after.id]))
              )
            }).pipe(
              (write) =>
                changing(
                  sql,
                  workspace,
                  { content: true, documents: changes.flatMap(({ before }) => before?.id ?? []) },
                  write
                ),
              Effect.catchIf(isSqlError, Effect.die)
            ),
      touch: (workspace, stamps) =>
        Effect.forEach(
          Chunks.chunksOf(stamps, stampsPerStatement),
          (batch) =>
            sql`update document set mtime_ms = cast(stamp.column2 as double precision),
                size_bytes = cast(stamp.column3 as bigint)
              from (values ${sql.csv(batch.map(({ id, mtimeMs, sizeBytes }) => sql`(${id}, ${mtimeMs}, ${sizeBytes})`))})
                as stamp
              where document.workspace_id = ${workspace} and document.id = stamp.column1`,
          { discard: true }
        ).pipe(changingContent(sql, workspace), Effect.orDie),
      counts: (workspace) => Effect.orDie(counts(workspace)),
      changesSince: (workspace, seq, limit) =>
        sql<DocumentRow>`select * from document where workspace_id = ${workspace} and seq > ${seq}
          order by seq limit ${limit}`.pipe(readAll(documentFromRow)),
      trashed: (workspace, page) =>
        readPage(sql, page, {
          from: sql`document where workspace_id = ${workspace} and deleted_at is not null`,
          order: sql`deleted_at desc, id`,
          read: documentFromRow
        }),
      ...retentionMethods(sql),
      ...indexingMethods(sql),
      ...chunkMethods(sql, advance),
      ...keptMethods(sql, advance),
      ...versionMethods(sql)
    }
  })
)

/** Methods of the document store about a running ingest. */
const indexingMethods = (
  sql: SqlClient.SqlClient
): Pick<DocumentStore["Type"], "noteIndexing" | "indexing"> => ({
  noteIndexing: (workspace, progress) =>
    done(
      progress === null
        ? sql`delete from indexing_progress where workspace_id = ${workspace}`
        : sql`insert into indexing_progress (workspace_id, done, total, holds_until)
            values (${workspace}, ${progress.done}, ${progress.total}, ${progress.until})
            on conflict (workspace_id) do update
            set done = excluded.done, total = excluded.total, holds_until = excluded.holds_until`
    ),
  indexing: (workspace, at) =>
    sql<{ done: unknown; total: unknown }>`select done, total from indexing_progress
      where workspace_id = ${workspace} and holds_until > ${at}`.pipe(
      readFirst(({ done, total }) => ({ done: toNumber(done), total: toNumber(total) }))
    )
})
