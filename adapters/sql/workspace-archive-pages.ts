import { inflateRawSync } from "node:zlib"
import type { SqlError } from "@effect/sql/SqlError"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { canonicalJson, type InvalidExport } from "../../core/kernel/index.js"
import { toBytes } from "./codec.js"
import { isSqlError } from "./errors.js"

/** Makes one list of records in the making. */
export type Gather = <Item>(
  records: ReadonlyArray<Effect.Effect<Item, InvalidExport>>
) => Effect.Effect<ReadonlyArray<Item>, InvalidExport>

/** Pages of rows, each asked for by the last row of the one before. */
export const inPages = <Row, Item, E>(
  size: number,
  query: (after: Row | undefined) => Effect.Effect<ReadonlyArray<Row>, SqlError>,
  items: (rows: ReadonlyArray<Row>) => Effect.Effect<ReadonlyArray<Item>, E | SqlError>
): Stream.Stream<Item, Exclude<E, SqlError>> => {
  const page = (after: Row | undefined) =>
    Effect.gen(function* () {
      const rows = yield* query(after)
      const found = yield* items(rows)
      const last = rows.at(-1)
      const next = last === undefined || rows.length < size ? Option.none() : Option.some(last)
      return [Chunk.unsafeFromArray(found), next] as const
    }).pipe(
      // Broken storage is a defect.
      Effect.catchAll((error) =>
        isSqlError(error) ? Effect.die(error) : Effect.fail(error as Exclude<E, SqlError>)
      )
    )
  return Stream.paginateChunkEffect(undefined as Row | undefined, page)
}

/** The same where each row is a record. */
export const eachRow = <Row, Item>(
  size: number,
  query: (after: Row | undefined) => Effect.Effect<ReadonlyArray<Row>, SqlError>,
  item: (row: Row) => Item
): Stream.Stream<Item> => inPages(size, query, (rows) => Effect.succeed(rows.map(item)))

/** Order of texts by UTF-16 units. */
export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The order of a list that has none of its own. */
export const inOrder = <Item>(items: ReadonlyArray<Item>): Array<Item> =>
  items
    .map((item) => ({ item, text: canonicalJson(item) }))
    .sort((a, b) => compare(a.text, b.text))
    .map(({ item }) => item)

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The text of packed bytes; undefined when they are damaged, or not those of the hash. */
export const keptText = (
  kept: unknown,
  hash: string,
  sha256: (bytes: Uint8Array) => string
): string | undefined => {
  try {
    const bytes = new Uint8Array(inflateRawSync(toBytes(kept)))
    return sha256(bytes) === hash ? decoder.decode(bytes) : undefined
  } catch {
    return undefined
  }
}
