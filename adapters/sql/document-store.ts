import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type Document, DocumentStore, pathKey } from "../../core/documents/index.js"
import { Conflict, nameNorm, type WorkspaceScope } from "../../core/kernel/index.js"
import { WorkspaceStore } from "../../core/workspace/index.js"
import { toNumber } from "./codec.js"
import { dialect } from "./dialect.js"
import { chunkMethods } from "./document-chunks.js"
import { liveDocuments } from "./document-filter.js"
import { keptMethods } from "./document-kept.js"
import { type DocumentRow, documentFromRow, documentToRow } from "./document-rows.js"
import { isUniqueViolation } from "./errors.js"
import { insertRows } from "./rows.js"

export const sqlDocumentStore = Layer.effect(
  DocumentStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { advance } = yield* WorkspaceStore
    const { byBytes } = dialect(sql)

    const first = (query: Effect.Effect<ReadonlyArray<DocumentRow>, SqlError>) =>
      Effect.orDie(Effect.map(query, (rows) => Option.map(Option.fromNullable(rows[0]), documentFromRow)))

    const saveTags = (workspace: WorkspaceScope, before: Document | null, after: Document) => {
      const tags = [...new Set(after.frontMatter.tags.map(nameNorm))].filter((tag) => tag !== "")
      const old = before === null ? [] : before.frontMatter.tags.map(nameNorm)
      if (tags.join("\n") === [...new Set(old)].join("\n")) return Effect.void
      const rows = tags.map((tag) => ({ workspace_id: workspace, tag, document_id: after.id }))
      return Effect.zipRight(
        Effect.orDie(
          sql`delete from document_tag where workspace_id = ${workspace} and document_id = ${after.id}`
        ),
        insertRows(sql, "document_tag", rows)
      )
    }

    const saveOne = (workspace: WorkspaceScope, before: Document | null, after: Document, seq: number) => {
      const row = documentToRow(workspace, after, seq)
      const write =
        before === null
          ? Effect.as(sql`insert into document ${sql.insert(row)}`, true)
          : Effect.map(
              sql`update document set ${sql.update(row, ["workspace_id", "id"])}
                where workspace_id = ${workspace} and id = ${after.id} and seq = ${before.seq} returning id`,
              (rows) => rows.length === 1
            )
      return write.pipe(
        Effect.catchAll((error) =>
          isUniqueViolation(error)
            ? Effect.fail(new Conflict({ message: `The path ${after.path} is taken.` }))
            : Effect.die(error)
        ),
        Effect.filterOrFail(
          (won) => won,
          () =>
            new Conflict({
              message: `${after.path} was changed by somebody else meanwhile.`,
              existingId: after.id
            })
        ),
        Effect.zipRight(saveTags(workspace, before, after))
      )
    }

    return {
      find: (workspace, id) =>
        first(sql<DocumentRow>`select * from document where workspace_id = ${workspace} and id = ${id}`),
      findByPath: (workspace, path) =>
        first(
          sql<DocumentRow>`select * from document where workspace_id = ${workspace}
            and path_key = ${pathKey(path)} and deleted_at is null`
        ),
      list: (workspace, { limit, offset }, filter) =>
        Effect.all({
          items: sql<DocumentRow>`select d.* from document d where ${liveDocuments(sql, workspace, filter)}
            order by d.path ${byBytes} limit ${limit} offset ${offset}`.pipe(
            Effect.map((rows) => rows.map(documentFromRow))
          ),
          total: sql<{
            n: unknown
          }>`select count(*) as n from document d where ${liveDocuments(sql, workspace, filter)}`.pipe(
            Effect.map((rows) => toNumber(rows[0]?.n))
          )
        }).pipe(Effect.orDie),
      stamps: (workspace) =>
        sql<Pick<DocumentRow, "id" | "path" | "content_hash" | "size_bytes" | "mtime_ms">>`
          select id, path, content_hash, size_bytes, mtime_ms from document
          where workspace_id = ${workspace} and deleted_at is null order by path ${byBytes}`.pipe(
          Effect.map((rows) =>
            rows.map((row) => ({
              id: row.id,
              path: row.path,
              contentHash: row.content_hash,
              sizeBytes: toNumber(row.size_bytes),
              mtimeMs: toNumber(row.mtime_ms)
            }))
          ),
          Effect.orDie
        ),
      save: (workspace, changes) =>
        changes.length === 0
          ? Effect.void
          : Effect.gen(function* () {
              const last = yield* advance(workspace, "document_seq", changes.length)
              const firstSeq = last - changes.length + 1
              yield* Effect.forEach(
                changes,
                ({ after, before }, place) => saveOne(workspace, before, after, firstSeq + place),
                { discard: true }
              )
            }),
      touch: (workspace, stamps) =>
        Effect.forEach(
          stamps,
          ({ id, mtimeMs, sizeBytes }) =>
            sql`update document set mtime_ms = ${mtimeMs}, size_bytes = ${sizeBytes}
              where workspace_id = ${workspace} and id = ${id}`,
          { discard: true }
        ).pipe(Effect.orDie),
      counts: (workspace) =>
        sql<{ documents: unknown; chunks: unknown }>`select
          (select count(*) from document where workspace_id = ${workspace} and deleted_at is null) as documents,
          (select count(*) from chunk where workspace_id = ${workspace}) as chunks`.pipe(
          Effect.map(([row]) => ({ documents: toNumber(row?.documents), chunks: toNumber(row?.chunks) })),
          Effect.orDie
        ),
      changesSince: (workspace, seq, limit) =>
        sql<DocumentRow>`select * from document where workspace_id = ${workspace} and seq > ${seq}
          order by seq limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(documentFromRow)),
          Effect.orDie
        ),
      trashed: (workspace, { limit, offset }) =>
        Effect.all({
          items: sql<DocumentRow>`select * from document
            where workspace_id = ${workspace} and deleted_at is not null
            order by deleted_at desc, id limit ${limit} offset ${offset}`.pipe(
            Effect.map((rows) => rows.map(documentFromRow))
          ),
          total: sql<{ n: unknown }>`select count(*) as n from document
            where workspace_id = ${workspace} and deleted_at is not null`.pipe(
            Effect.map((rows) => toNumber(rows[0]?.n))
          )
        }).pipe(Effect.orDie),
      ...chunkMethods(sql, advance),
      ...keptMethods(sql, advance)
    }
  })
)
