import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { WorkspaceScope } from "../../core/kernel/index.js"
import { type NewSegment, PostingStore, SegmentGone, type SegmentInfo } from "../../core/retrieval/index.js"
import { toBytes, toNumber } from "./codec.js"
import { inBatches } from "./rows.js"

interface SegmentRow {
  readonly id: string
  readonly chunk_count: unknown
  readonly dead_count: unknown
  readonly dead_id: string
  readonly live_length: unknown
  readonly first_label: unknown
  readonly last_label: unknown
  readonly size_bytes: unknown
}

export const sqlPostingStore = Layer.effect(
  PostingStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const write = writer(sql)
    return {
      segments: (workspace) =>
        sql<SegmentRow>`select id, chunk_count, dead_count, dead_id, live_length, first_label, last_label, size_bytes
          from posting_segment where workspace_id = ${workspace} order by first_label, id`.pipe(
          Effect.map((rows) => rows.map(fromRow)),
          Effect.orDie
        ),
      directory: (workspace, segment) =>
        sql<{ bytes: unknown }>`select bytes from posting_directory
          where workspace_id = ${workspace} and segment_id = ${segment}`.pipe(
          Effect.orDie,
          Effect.flatMap(([row]) =>
            row === undefined ? Effect.fail(new SegmentGone({ segment })) : Effect.succeed(toBytes(row.bytes))
          )
        ),
      blocks: (workspace, segment, indexes) =>
        inBatches(
          indexes,
          (batch) => sql<{ ordinal: unknown; bytes: unknown }>`select ordinal, bytes from posting_block
            where workspace_id = ${workspace} and segment_id = ${segment} and ${sql.in("ordinal", [...batch])}`
        ).pipe(
          Effect.orDie,
          Effect.flatMap((rows) => {
            const byIndex = new Map(rows.map((row) => [toNumber(row.ordinal), toBytes(row.bytes)]))
            const found = indexes.flatMap((index) => byIndex.get(index) ?? [])
            return found.length === indexes.length
              ? Effect.succeed(found)
              : Effect.fail(new SegmentGone({ segment }))
          })
        ),
      dead: (workspace, segment) =>
        sql<{ dead_id: string; bytes: unknown }>`select s.dead_id, d.bytes from posting_segment s
          left join posting_dead d on d.workspace_id = s.workspace_id and d.segment_id = s.id
          where s.workspace_id = ${workspace} and s.id = ${segment}`.pipe(
          Effect.orDie,
          Effect.flatMap(([row]) =>
            row === undefined
              ? Effect.fail(new SegmentGone({ segment }))
              : Effect.succeed({
                  deadId: row.dead_id,
                  dead: row.bytes === null ? new Uint8Array(0) : toBytes(row.bytes)
                })
          )
        ),
      add: (workspace, segment) => Effect.orDie(write.add(workspace, segment)),
      remove: (workspace, segment, before, after) =>
        Effect.gen(function* () {
          const hit = yield* sql<{ chunk_count: unknown }>`update posting_segment
            set dead_id = ${after.deadId}, dead_count = ${after.deadCount}, live_length = ${after.liveLength}
            where workspace_id = ${workspace} and id = ${segment} and dead_id = ${before.deadId}
            returning chunk_count`
          if (hit[0] === undefined) return false
          if (toNumber(hit[0].chunk_count) === after.deadCount) yield* write.drop(workspace, segment)
          else
            yield* sql`insert into posting_dead (workspace_id, segment_id, bytes)
              values (${workspace}, ${segment}, ${after.dead})
              on conflict (workspace_id, segment_id) do update set bytes = excluded.bytes`
          return true
        }).pipe(Effect.orDie),
      replace: (workspace, merged, by) =>
        Effect.gen(function* () {
          for (const { deadId, id } of merged) {
            const hit = yield* sql`delete from posting_segment
              where workspace_id = ${workspace} and id = ${id} and dead_id = ${deadId} returning id`
            if (hit.length === 0) return yield* new SegmentGone({ segment: id })
            yield* write.drop(workspace, id)
          }
          if (by !== null) yield* write.add(workspace, by)
          return true
        }).pipe(
          sql.withTransaction,
          Effect.catchTag("SegmentGone", () => Effect.succeed(false)),
          Effect.orDie
        ),
      clear: (workspace) =>
        Effect.forEach(
          ["posting_segment", "posting_directory", "posting_dead", "posting_block"],
          (table) => sql`delete from ${sql(table)} where workspace_id = ${workspace}`,
          { discard: true }
        ).pipe(Effect.orDie)
    }
  })
)

const writer = (sql: SqlClient.SqlClient) => ({
  add: (workspace: WorkspaceScope, segment: NewSegment): Effect.Effect<void, SqlError> =>
    Effect.gen(function* () {
      const { blocks, chunkCount, directory, firstLabel, id, lastLabel, liveLength, sizeBytes } = segment
      const key = { workspace_id: workspace, segment_id: id }
      yield* sql`insert into posting_segment ${sql.insert({
        workspace_id: workspace,
        id,
        chunk_count: chunkCount,
        dead_count: 0,
        dead_id: "",
        live_length: liveLength,
        first_label: firstLabel,
        last_label: lastLabel,
        size_bytes: sizeBytes
      })}`
      yield* sql`insert into posting_directory ${sql.insert({ ...key, bytes: directory })}`
      for (const [ordinal, bytes] of blocks.entries())
        yield* sql`insert into posting_block ${sql.insert({ ...key, ordinal, bytes })}`
    }),
  drop: (workspace: WorkspaceScope, segment: string): Effect.Effect<void, SqlError> =>
    Effect.gen(function* () {
      yield* sql`delete from posting_segment where workspace_id = ${workspace} and id = ${segment}`
      for (const table of ["posting_directory", "posting_dead", "posting_block"])
        yield* sql`delete from ${sql(table)} where workspace_id = ${workspace} and segment_id = ${segment}`
    })
})

const fromRow = (row: SegmentRow): SegmentInfo => ({
  id: row.id,
  chunkCount: toNumber(row.chunk_count),
  deadCount: toNumber(row.dead_count),
  deadId: row.dead_id,
  liveLength: toNumber(row.live_length),
  firstLabel: toNumber(row.first_label),
  lastLabel: toNumber(row.last_label),
  sizeBytes: toNumber(row.size_bytes)
})
