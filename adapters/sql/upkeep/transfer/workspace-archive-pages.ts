import { inflateRawSync } from "node:zlib"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import {
  canonicalJson,
  type InvalidExport,
  isFault,
  type WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import type { RecordKind, RecordOf, UnmadeRecord } from "../../../../core/upkeep/transfer/index.js"
import { toBytes } from "../../codec.js"
import type { Cell } from "../../columns.js"
import { insertRows } from "../../rows.js"
import { type RowsOptions, tablePages } from "../../table-pages.js"

/** Makes records of the rows of a kind. */
export type Gather = <Row extends object, Item>(
  kind: RecordKind,
  rows: ReadonlyArray<Row>,
  record: (row: Row) => Effect.Effect<Item, InvalidExport>
) => Effect.Effect<ReadonlyArray<Item>, InvalidExport>

/** All of them; a row that makes none ends it. */
export const gatherAll: Gather = (_kind, rows, record) =>
  Effect.forEach(rows, (row) => Effect.suspend(() => record(row)))

/**
 * Those that can be made. What is kept of a row and cannot be read is found by who looks for just that; of any other
 * row that makes no record is told.
 */
export const gatherSound =
  (tell: (problem: UnmadeRecord) => Effect.Effect<void>): Gather =>
  (kind, rows, record) =>
    Effect.map(
      Effect.forEach(rows, (row) =>
        Effect.suspend(() => record(row)).pipe(
          Effect.asSome,
          Effect.catchAll(() => Effect.succeedNone),
          Effect.catchAllDefect((defect) =>
            isFault(defect) && defect._tag === "DataUnreadable"
              ? Effect.succeedNone
              : Effect.as(tell({ subject: `${kind} ${keyOf(row)}`, why: messageOf(defect) }), Option.none())
          )
        )
      ),
      Arr.getSomes
    )

const keyColumns = ["id", "document_id", "entity_id", "iri", "key", "content_hash", "version"]

/** Returns the name of a row for messages: the values of its key columns. */
const keyOf = (row: object): string => {
  const cells = new Map<string, unknown>(Object.entries(row))
  return keyColumns.flatMap((name) => (cells.has(name) ? [String(cells.get(name))] : [])).join(" ")
}

const messageOf = (defect: unknown): string => (defect instanceof Error ? defect.message : String(defect))

/** Source of records: a client with a snapshot of the database, and a workspace. */
export interface Source {
  readonly sql: SqlClient.SqlClient
  readonly workspace: WorkspaceScope
  /** Handles a row that makes no record. */
  readonly gather: Gather
  readonly sha256: (bytes: Uint8Array) => string
}

/** Records of a kind, each from one row of a table. */
export const tableRecords = <Kind extends RecordKind, Row extends object>(
  source: Source,
  kind: Kind,
  { record, ...rows }: RowsOptions & { readonly record: (row: Row) => Omit<RecordOf<Kind>, "kind"> }
): Stream.Stream<RecordOf<Kind>, InvalidExport> =>
  tablePages(source, rows, (page: ReadonlyArray<Row>) =>
    source.gather(kind, page, (row) =>
      Effect.sync(() => ({ kind, ...record(row) }) as unknown as RecordOf<Kind>)
    )
  )

/** Writes records of one kind. */
type Write<Kind extends RecordKind> = (
  workspace: WorkspaceScope,
  records: ReadonlyArray<RecordOf<Kind>>
) => Effect.Effect<void, SqlError>

/** Functions that write the records of each kind. */
export type Writers = { readonly [Kind in RecordKind]: Write<Kind> }

/** Writes records as rows of a table, one for each. */
export const rowsInto =
  <Item>(sql: SqlClient.SqlClient, table: string, row: (record: Item) => Readonly<Record<string, Cell>>) =>
  (workspace: WorkspaceScope, records: ReadonlyArray<Item>): Effect.Effect<void> =>
    insertRows(
      sql,
      table,
      records.map((record) => ({ workspace_id: workspace, ...row(record) }))
    )

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
