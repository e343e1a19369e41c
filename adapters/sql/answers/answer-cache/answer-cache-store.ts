import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { AnswerCacheStore, CacheEntry } from "../../../../core/answers/answering/index.js"
import { DocumentId } from "../../../../core/platform/kernel/index.js"
import { ifReadable, toNumber } from "../../codec.js"
import { columnsOf, jsonObject, text } from "../../columns.js"
import { countCacheEvents, removeAllAnswers } from "../../content-changes.js"
import { done, inBatches, readAll, readCount } from "../../rows.js"

/** Columns of the table `answer_cache`, reusable answers by scope and question. */
const columns = columnsOf<CacheEntry>({
  id: text(),
  scope: text(),
  evidence: text(),
  versions: text(),
  question: text(),
  kept: jsonObject(),
  createdAt: text(),
  expiresAt: text()
})

interface EntryRow {
  readonly id: string
}

/** Returns the first page with a readable entry; empty at the end. */
const readableAfter = <E>(
  id: string,
  page: (last: string) => Effect.Effect<ReadonlyArray<EntryRow>, E>
): Effect.Effect<ReadonlyArray<CacheEntry>, E> =>
  Effect.flatMap(page(id), (rows) => {
    const entries = rows.flatMap((row) => ifReadable(columns.read, row) ?? [])
    const last = rows.at(-1)?.id
    return entries.length > 0 || last === undefined ? Effect.succeed(entries) : readableAfter(last, page)
  })

const bytesOf = (text: string): number => Buffer.byteLength(text)

export const answerCache: Effect.Effect<AnswerCacheStore, never, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    /** Stores the dependencies of an entry with their present feed positions; returns how many exist. */
    const storeDependencies = (
      workspace: string,
      entry: string,
      what: "document" | "entity",
      ids: ReadonlyArray<string>
    ) =>
      inBatches([...new Set(ids)], (batch) => {
        // Nothing can conflict; under row-level security Citus refuses what returns rows without such a clause.
        const [table, column] = [sql(`answer_cache_${what}`), sql(`${what}_id`)]
        return sql`insert into ${table} (workspace_id, ${column}, entry_id, seq)
          select workspace_id, id, cast(${entry} as text), seq from ${sql(what)}
          where workspace_id = ${workspace} and ${sql.in("id", batch)} and deleted_at is null
          on conflict do nothing returning entry_id`
      }).pipe(Effect.map((rows) => rows.length === new Set(ids).size))

    const remove = (workspace: string, ids: ReadonlyArray<string>) =>
      inBatches(
        ids,
        (batch) =>
          sql`delete from answer_cache_entry where workspace_id = ${workspace} and ${sql.in("id", batch)}`
      )

    const expire = (workspace: string, at: string) =>
      Effect.map(
        sql`delete from answer_cache_entry where workspace_id = ${workspace} and expires_at <= ${at}
          returning id`,
        (rows) => rows.length
      )

    /** Returns the least recently used entries beyond the limits of number or size. */
    const evict = (workspace: string, bounds: { readonly entries: number; readonly bytes: number }) =>
      sql`delete from answer_cache_entry where workspace_id = ${workspace} and id in (
        select id from (
          select id, row_number() over newest as place, sum(size_bytes) over newest as total
          from answer_cache_entry where workspace_id = ${workspace}
          window newest as (order by used_at desc, created_at desc, id rows unbounded preceding)
        ) as kept where place > ${bounds.entries} or total > ${bounds.bytes})`

    const size = (workspace: string) =>
      Effect.map(
        sql<{ n: unknown; bytes: unknown }>`select count(*) as n, sum(size_bytes) as bytes
          from answer_cache_entry where workspace_id = ${workspace}`,
        ([row]) => ({ entries: toNumber(row?.n), bytes: toNumber(row?.bytes) })
      )

    return {
      like: (workspace, { at, evidence, scope }, limit) =>
        sql`select * from answer_cache_entry where workspace_id = ${workspace} and scope = ${scope}
            and evidence = ${evidence} and expires_at > ${at}
          order by used_at desc, id limit ${limit}`.pipe(readAll(columns.read)),
      put: (workspace, entry, { documents, entities }, bounds) =>
        Effect.gen(function* () {
          const { createdAt, id, question } = entry
          const row = columns.write(entry)
          yield* remove(workspace, [id])
          yield* expire(workspace, createdAt)
          yield* sql`insert into answer_cache_entry ${sql.insert({
            workspace_id: workspace,
            ...row,
            size_bytes: bytesOf(String(row["kept"])) + bytesOf(question),
            used_at: createdAt
          })}`
          const isWhole =
            documents.length > 0 &&
            (yield* storeDependencies(workspace, id, "document", documents)) &&
            (yield* storeDependencies(workspace, id, "entity", entities))
          if (!isWhole) {
            yield* remove(workspace, [id])
            return false
          }
          const { bytes, entries } = yield* size(workspace)
          if (entries > bounds.entries || bytes > bounds.bytes) yield* evict(workspace, bounds)
          return true
        }).pipe(Effect.orDie),
      use: (workspace, id, at) =>
        done(sql`update answer_cache_entry set used_at = ${at}
          where workspace_id = ${workspace} and id = ${id} and used_at < ${at}`),
      add: (workspace, counts) => Effect.orDie(countCacheEvents(sql, workspace, counts)),
      counts: (workspace) =>
        sql<{ name: string; value: unknown }>`select name, value from answer_cache_count
          where workspace_id = ${workspace}`.pipe(
          Effect.map((rows) => Object.fromEntries(rows.map(({ name, value }) => [name, toNumber(value)]))),
          Effect.orDie
        ),
      summary: (workspace, { at, versions }) =>
        sql<{ n: unknown; stale: unknown; bytes: unknown; oldest: string | null; newest: string | null }>`
          select count(*) as n, sum(size_bytes) as bytes, min(created_at) as oldest, max(created_at) as newest,
            sum(case when expires_at <= ${at} or versions <> ${versions} then 1 else 0 end) as stale
          from answer_cache_entry where workspace_id = ${workspace}`.pipe(
          Effect.map(([row]) => ({
            entries: toNumber(row?.n),
            stale: toNumber(row?.stale),
            bytes: toNumber(row?.bytes),
            oldestAt: row?.oldest ?? null,
            newestAt: row?.newest ?? null
          })),
          Effect.orDie
        ),
      countOf: (workspace, id) => {
        const what = DocumentId.safeParse(id).success ? "document" : "entity"
        return sql<{ n: unknown }>`select count(*) as n from ${sql(`answer_cache_${what}`)}
          where workspace_id = ${workspace} and ${sql(`${what}_id`)} = ${id}`.pipe(readCount)
      },
      clear: (workspace) => Effect.orDie(removeAllAnswers(sql, workspace)),
      expire: (workspace, at) => Effect.orDie(expire(workspace, at)),
      astray: (workspace, limit) =>
        sql<{ id: string }>`select id from answer_cache_entry e where workspace_id = ${workspace} and (
          not exists (select 1 from answer_cache_document r
            where r.workspace_id = ${workspace} and r.entry_id = e.id)
          or exists (select 1 from answer_cache_document r left join document d
              on d.workspace_id = ${workspace} and d.id = r.document_id and d.seq = r.seq
                and d.deleted_at is null
            where r.workspace_id = ${workspace} and r.entry_id = e.id and d.id is null)
          or exists (select 1 from answer_cache_entity r left join entity n
              on n.workspace_id = ${workspace} and n.id = r.entity_id and n.seq = r.seq
                and n.deleted_at is null
            where r.workspace_id = ${workspace} and r.entry_id = e.id and n.id is null)
        ) order by id limit ${limit}`.pipe(readAll(({ id }) => id)),
      after: (workspace, id, limit) =>
        readableAfter(
          id,
          (last) =>
            sql<EntryRow>`select * from answer_cache_entry where workspace_id = ${workspace} and id > ${last}
            order by id limit ${limit}`
        ).pipe(Effect.orDie),
      remove: (workspace, ids) => Effect.orDie(Effect.asVoid(remove(workspace, ids)))
    }
  }
)
