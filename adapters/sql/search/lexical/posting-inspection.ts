import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

import type { PostingInspection } from "../../../../core/search/lexical/index.js"
import { toNumber } from "../../codec.js"
import { orphansOf } from "../../orphans.js"
import { type Checked, sound } from "./posting-parts.js"

/** Blocks read at a time: about a megabyte. */
const blocksPerPage = 64

/** Queries of postings for inspection and rebuild. */
export const postingInspection: Effect.Effect<PostingInspection, never, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const orphans = orphansOf(sql, {
      tables: ["posting_directory", "posting_dead", "posting_block"],
      key: "segment_id",
      owner: "posting_segment",
      ownerKey: "id"
    })
    return {
      segmentParts: (workspace, segment) => {
        const directory = sql<Checked>`select bytes, checksum from posting_directory
          where workspace_id = ${workspace} and segment_id = ${segment}`
        const blocks = Stream.paginateEffect(-1, (after) =>
          Effect.map(
            sql<Checked & { ordinal: unknown }>`select ordinal, bytes, checksum from posting_block
              where workspace_id = ${workspace} and segment_id = ${segment} and ordinal > ${after}
              order by ordinal limit ${blocksPerPage}`,
            (rows) => {
              const last = rows.at(-1)
              return [
                rows.map((row, place) =>
                  toNumber(row.ordinal) === after + 1 + place ? partOf(row) : noPart
                ),
                last === undefined || rows.length < blocksPerPage
                  ? Option.none<number>()
                  : Option.some(toNumber(last.ordinal))
              ]
            }
          )
        )
        return Stream.fromEffect(Effect.map(directory, (rows) => rows.map(partOf))).pipe(
          Stream.concat(blocks),
          Stream.flatMap(Stream.fromIterable),
          Stream.orDie
        )
      },
      orphanCount: orphans.count,
      removeOrphans: orphans.remove
    }
  }
)

/** Returns an empty part for bytes that a search would refuse. */
const partOf = (row: Checked): Uint8Array => sound(row) ?? noPart
const noPart = new Uint8Array(0)
