import { crc32 } from "node:zlib"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { DataUnreadable, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { type PostingStore, SegmentGone } from "../../../../core/search/lexical/index.js"
import { toBytes, toNumber } from "../../codec.js"
import { inBatches } from "../../rows.js"

/** Returns the columns of checked bytes. */
export const checkedColumns = (bytes: Uint8Array) => ({ bytes, checksum: crc32(bytes) })

/** Bytes with their checksum; null for rows of earlier versions. */
export interface Checked {
  readonly bytes: unknown
  readonly checksum: unknown
}

/** The error for a damaged text index, which must not be searched. */
const damaged = new DataUnreadable({
  message: "The text index is damaged; 'kanon doctor --repair' makes it whole."
})

type PartMethods = Pick<PostingStore["Type"], "directory" | "blocks" | "dead">

/** Reads the parts of segments; dies with `DataUnreadable` if a part was changed or lost. */
export const partMethods = (sql: SqlClient.SqlClient): PartMethods => {
  const directoryOf = (workspace: WorkspaceScope, segment: string) =>
    Effect.map(
      sql<Checked>`select bytes, checksum from posting_directory
        where workspace_id = ${workspace} and segment_id = ${segment}`,
      ([row]) => (row === undefined ? undefined : sound(row))
    )

  const blocksOf = (workspace: WorkspaceScope, segment: string, indexes: ReadonlyArray<number>) =>
    Effect.map(
      inBatches(
        indexes,
        (batch) => sql<Checked & { ordinal: unknown }>`select ordinal, bytes, checksum from posting_block
          where workspace_id = ${workspace} and segment_id = ${segment} and ${sql.in("ordinal", [...batch])}`
      ),
      (rows) => {
        const byIndex = new Map(rows.map((row) => [toNumber(row.ordinal), sound(row)]))
        if ([...byIndex.values()].includes(null)) return null
        const found = indexes.flatMap((index) => byIndex.get(index) ?? [])
        return found.length === indexes.length ? found : undefined
      }
    )

  /** Returns the part; a missing part of an existing segment is damage. */
  const whole = <A>(
    workspace: WorkspaceScope,
    segment: string,
    read: Effect.Effect<A | null | undefined, SqlError>
  ): Effect.Effect<A, SegmentGone> =>
    Effect.gen(function* () {
      const found = yield* read
      if (found !== undefined) return found
      const listed =
        yield* sql`select 1 from posting_segment where workspace_id = ${workspace} and id = ${segment}`
      // It may have been created again meanwhile: equal content has equal names.
      return listed.length === 0 ? undefined : ((yield* read) ?? null)
    }).pipe(
      Effect.orDie,
      Effect.flatMap((found) =>
        found === undefined
          ? Effect.fail(new SegmentGone({ segment }))
          : found === null
            ? Effect.die(damaged)
            : Effect.succeed(found)
      )
    )

  return {
    directory: (workspace, segment) => whole(workspace, segment, directoryOf(workspace, segment)),
    blocks: (workspace, segment, indexes) => whole(workspace, segment, blocksOf(workspace, segment, indexes)),
    dead: (workspace, segment) =>
      sql<Checked & { dead_id: string }>`select s.dead_id, d.bytes, d.checksum from posting_segment s
        left join posting_dead d on d.workspace_id = ${workspace} and d.segment_id = s.id
        where s.workspace_id = ${workspace} and s.id = ${segment}`.pipe(
        Effect.orDie,
        Effect.flatMap(([row]) => {
          if (row === undefined) return Effect.fail(new SegmentGone({ segment }))
          if (row.dead_id === "") return Effect.succeed({ deadId: "", dead: new Uint8Array(0) })
          const dead = row.bytes === null ? null : sound(row)
          return dead === null ? Effect.die(damaged) : Effect.succeed({ deadId: row.dead_id, dead })
        })
      )
  }
}

/** Returns the bytes, or null if the checksum differs. */
export const sound = ({ bytes, checksum }: Checked): Uint8Array | null => {
  if (!(bytes instanceof Uint8Array)) return null
  const read = toBytes(bytes)
  return checksum === null || crc32(read) === toNumber(checksum) ? read : null
}
