import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { serviceLayer, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { type NewSegment, PostingStore, type SegmentInfo } from "../../../../core/search/lexical/index.js"
import { asUnit } from "../../atomic.js"
import { toNumber } from "../../codec.js"
import { columnsOf, number, text } from "../../columns.js"
import { changingContent, contentStamp } from "../../content-changes.js"
import { dialect } from "../../dialect.js"
import { readAll } from "../../rows.js"
import { postingInspection } from "./posting-inspection.js"
import { checkedColumns, partMethods } from "./posting-parts.js"

/** Columns of the table `posting_segment`, the segments of the full-text index. */
const columns = columnsOf<SegmentInfo>({
  id: text(),
  chunkCount: number(),
  deadCount: number(),
  deadId: text(),
  liveLength: number(),
  firstLabel: number(),
  lastLabel: number(),
  sizeBytes: number()
})

export const sqlPostingStore = serviceLayer(
  PostingStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const write = writer(sql)
    const { turn } = dialect(sql)
    return {
      inspection: yield* postingInspection,
      stamp: (workspace) =>
        Effect.flatMap(Effect.serviceOption(SqlClient.TransactionConnection), (unitOfWork) =>
          // Do not cache within a unit of work, which may be rolled back.
          Option.isSome(unitOfWork) ? Effect.succeed(null) : Effect.orDie(contentStamp(sql, workspace))
        ),
      segments: (workspace) =>
        sql`select * from posting_segment where workspace_id = ${workspace} order by first_label, id`.pipe(
          readAll(columns.read)
        ),
      visibleLabels: (workspace) =>
        sql<{
          label: unknown
        }>`select label from chunk where workspace_id = ${workspace} order by label`.pipe(
          readAll(({ label }) => toNumber(label))
        ),
      ...partMethods(sql),
      add: (workspace, segment) =>
        write.add(workspace, segment).pipe(changingContent(sql, workspace), Effect.orDie),
      remove: (workspace, segment, before, after) =>
        Effect.gen(function* () {
          const hit = yield* sql<{ chunk_count: unknown }>`update posting_segment
            set dead_id = ${after.deadId}, dead_count = ${after.deadCount}, live_length = ${after.liveLength}
            where workspace_id = ${workspace} and id = ${segment} and dead_id = ${before.deadId}
            returning chunk_count`
          if (hit[0] === undefined) return false
          if (toNumber(hit[0].chunk_count) === after.deadCount) yield* write.drop(workspace, [segment])
          else
            yield* sql`insert into posting_dead ${sql.insert({
              workspace_id: workspace,
              segment_id: segment,
              ...checkedColumns(after.dead)
            })}
              on conflict (workspace_id, segment_id) do update
                set bytes = excluded.bytes, checksum = excluded.checksum`
          return true
        }).pipe(changingContent(sql, workspace), Effect.orDie),
      replace: (workspace, merged, by) =>
        asUnit(
          sql,
          Effect.gen(function* () {
            // A background merge is no unit of work by itself and would conflict with removals of chunks.
            yield* turn(workspace)
            const ids = merged.map(({ id }) => id)
            const unchangedConditions = merged.map(
              ({ deadId, id }) => sql`(id = ${id} and dead_id = ${deadId})`
            )
            const deletedRows = yield* sql`delete from posting_segment
              where workspace_id = ${workspace} and ${sql.in("id", ids)}
                and (select count(*) from posting_segment
                  where workspace_id = ${workspace} and ${sql.or(unchangedConditions)}) = ${ids.length}
              returning id`
            if (deletedRows.length < ids.length) return false
            yield* write.drop(workspace, ids)
            if (by !== null) yield* write.add(workspace, by)
            return true
          }).pipe(changingContent(sql, workspace), Effect.orDie)
        ),
      clear: (workspace) =>
        Effect.forEach(
          ["posting_segment", "posting_directory", "posting_dead", "posting_block"],
          (table) => sql`delete from ${sql(table)} where workspace_id = ${workspace}`,
          { discard: true }
        ).pipe(changingContent(sql, workspace), Effect.orDie)
    }
  })
)

const writer = (sql: SqlClient.SqlClient) => ({
  add: (workspace: WorkspaceScope, segment: NewSegment): Effect.Effect<void, SqlError> =>
    Effect.gen(function* () {
      const { blocks, directory, id } = segment
      const key = { workspace_id: workspace, segment_id: id }
      const row = columns.write({ ...segment, deadCount: 0, deadId: "" })
      yield* sql`insert into posting_segment ${sql.insert({ workspace_id: workspace, ...row })}`
      yield* sql`insert into posting_directory ${sql.insert({ ...key, ...checkedColumns(directory) })}`
      for (const [ordinal, bytes] of blocks.entries())
        yield* sql`insert into posting_block ${sql.insert({ ...key, ordinal, ...checkedColumns(bytes) })}`
    }),
  drop: (workspace: WorkspaceScope, segments: ReadonlyArray<string>): Effect.Effect<void, SqlError> =>
    Effect.gen(function* () {
      yield* sql`delete from posting_segment where workspace_id = ${workspace} and ${sql.in("id", segments)}`
      for (const table of ["posting_directory", "posting_dead", "posting_block"])
        yield* sql`delete from ${sql(table)} where workspace_id = ${workspace} and ${sql.in("segment_id", segments)}`
    })
})
