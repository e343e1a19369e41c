import { inflateRawSync } from "node:zlib"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { DocumentInspection, Orphan } from "../../../../core/files/documents/index.js"
import { pathKey } from "../../../../core/files/markdown/index.js"
import { numberMax, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { toBytes, toNumber } from "../../codec.js"
import { changingContent } from "../../content-changes.js"
import { idNumberCounter } from "../../id-numbers.js"
import { done, hasRows, inBatches, insertRows, readAll } from "../../rows.js"
import { type ChunkRow, chunkFromRow, type DocumentRow, documentFromRow, tagsOf } from "./document-rows.js"

/** The table of each kind of orphan. */
const tables = { passages: "chunk", content: "document_content", tags: "document_tag" } as const

/** The counters with the columns that use their numbers. */
const counters = [
  { name: "document_seq", table: "document", column: "seq" },
  { name: "chunk_label", table: "chunk", column: "label" },
  { name: "file_intent", table: "file_intent", column: "id" },
  { name: "entity.seq", table: "entity", column: "seq" },
  { name: "vector_feed", table: "vector", column: "seq" },
  { name: "vector_model", table: "vector_model", column: "model" },
  { name: idNumberCounter, table: "id_number", column: "number" }
] as const

/** Queries of documents for inspection and rebuild, over SQL. */
export const documentInspection: Effect.Effect<DocumentInspection, never, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient

    const orphansOf = (workspace: WorkspaceScope, kind: Orphan["kind"], limit: number) => {
      const owner = sql.literal(kind === "passages" ? "and d.deleted_at is null" : "")
      return sql<{ document_id: Orphan["documentId"]; n: unknown }>`
        select o.document_id, count(*) as n from ${sql(tables[kind])} o where o.workspace_id = ${workspace}
          and not exists (select 1 from document d
            where d.workspace_id = ${workspace} and d.id = o.document_id ${owner})
        group by o.document_id limit ${limit}`.pipe(
        Effect.map((rows) =>
          rows.map(({ document_id, n }): Orphan => ({ kind, documentId: document_id, count: toNumber(n) }))
        )
      )
    }

    return {
      documentsAfter: (workspace, after, limit) =>
        sql<DocumentRow>`select * from document where workspace_id = ${workspace} and id > ${after}
          order by id limit ${limit}`.pipe(readAll(documentFromRow)),
      content: (workspace, id) =>
        sql<{ bytes: unknown }>`select bytes from document_content
          where workspace_id = ${workspace} and document_id = ${id}`.pipe(
          Effect.map(([row]) => (row === undefined ? Option.none() : inflated(row.bytes))),
          Effect.orDie
        ),
      filing: (workspace, id) =>
        Effect.gen(function* () {
          const [row] = yield* sql<{ path_key: string }>`select path_key from document
            where workspace_id = ${workspace} and id = ${id}`
          if (row === undefined) return Option.none()
          const tags = yield* sql<{ tag: string }>`select tag from document_tag
            where workspace_id = ${workspace} and document_id = ${id} order by tag`
          return Option.some({ pathKey: row.path_key, tags: tags.map(({ tag }) => tag).sort() })
        }).pipe(Effect.orDie),
      refile: (workspace, { deletedAt, frontMatter, id, path }) =>
        Effect.gen(function* () {
          const key = pathKey(path)
          // Another live document may hold this key by mistake; it gets a temporary key until it is refiled.
          const holders = yield* sql<{ id: string; path: string }>`select id, path from document
            where workspace_id = ${workspace} and path_key = ${key} and id <> ${id} and deleted_at is null`
          for (const holder of deletedAt === null ? holders : [])
            if (pathKey(holder.path) !== key)
              yield* sql`update document set path_key = ${`/${holder.id}`}
                where workspace_id = ${workspace} and id = ${holder.id}`
          yield* sql`update document set path_key = ${key}
            where workspace_id = ${workspace} and id = ${id}`
          yield* sql`delete from document_tag where workspace_id = ${workspace} and document_id = ${id}`
          const rows = tagsOf(frontMatter).map((tag) => ({ workspace_id: workspace, tag, document_id: id }))
          yield* insertRows(sql, "document_tag", rows)
        }).pipe(changingContent(sql, workspace), Effect.orDie),
      passagesOfIds: (workspace, ids) =>
        inBatches(
          ids,
          (batch) =>
            sql<ChunkRow>`select * from chunk where workspace_id = ${workspace} and ${sql.in("id", batch)}`
        ).pipe(readAll(chunkFromRow)),
      labelsAfter: (workspace, after, limit) =>
        sql<{ label: unknown }>`select label from chunk where workspace_id = ${workspace} and label > ${after}
          order by label limit ${limit}`.pipe(readAll(({ label }) => toNumber(label))),
      feedEnd: (workspace) =>
        // The last position may belong to a purged document.
        sql<{ seq: unknown; handed: unknown }>`select
            (select max(seq) from document where workspace_id = ${workspace}) as seq,
            (select value from counter where workspace_id = ${workspace}
              and name = 'document_seq') as handed`.pipe(
          Effect.map(([row]) => Math.max(toNumber(row?.seq), toNumber(row?.handed))),
          Effect.orDie
        ),
      orphans: (workspace, limit) =>
        Effect.forEach(["passages", "content", "tags"] as const, (kind) =>
          orphansOf(workspace, kind, limit)
        ).pipe(
          Effect.map((found) => found.flat().slice(0, limit)),
          Effect.orDie
        ),
      removeOrphan: (workspace, { documentId, kind }) =>
        done(sql`delete from ${sql(tables[kind])}
          where workspace_id = ${workspace} and document_id = ${documentId}`),
      hasText: (workspace, contentHash) =>
        sql`select 1 from document where workspace_id = ${workspace} and content_hash = ${contentHash}
          union all select 1 from document_text where workspace_id = ${workspace}
            and content_hash = ${contentHash} limit 1`.pipe(hasRows),
      raiseCounters: (workspace, { dryRun }) =>
        Effect.gen(function* () {
          let behind = 0
          for (const { column, name, table } of counters) {
            const [row] = yield* sql<{ most: unknown; value: unknown }>`select
              (select max(${sql(column)}) from ${sql(table)} where workspace_id = ${workspace}
                and ${sql(column)} <= ${numberMax}) as most,
              (select value from counter where workspace_id = ${workspace} and name = ${name}) as value`
            const most = toNumber(row?.most)
            const value = toNumber(row?.value)
            if (most <= value && value <= numberMax) continue
            behind += 1
            if (dryRun) continue
            yield* sql`insert into counter (workspace_id, name, value) values (${workspace}, ${name}, ${most})
              on conflict (workspace_id, name) do update set value = excluded.value`
          }
          return behind
        }).pipe(Effect.orDie)
    }
  }
)

const inflated = (bytes: unknown): Option.Option<Uint8Array> | null => {
  try {
    return Option.some(new Uint8Array(inflateRawSync(toBytes(bytes))))
  } catch {
    return null
  }
}
