import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Storage } from "../../core/kernel/index.js"
import { guardHistory, guardNames } from "../sql/append-only.js"

const findingsMax = 100

/** What SQLite says of its own file. Table by table, so that others have their turn in between. */
export const sqliteStorage = Layer.effect(
  Storage,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    /** A page that cannot be read at all ends the check with an error: that is a finding too. */
    const told = <A>(check: Effect.Effect<ReadonlyArray<string>, A>) =>
      check.pipe(
        Effect.catchAll((error) => Effect.succeed([messageOf(error)])),
        Effect.catchAllDefect((defect) => Effect.succeed([messageOf(defect)]))
      )
    const checkTable = (name: string) =>
      Effect.map(
        sql<{ integrity_check: string }>`pragma integrity_check(${sql.literal(`"${name}"`)})`,
        (rows) => rows.map((row) => row.integrity_check).filter((line) => line !== "ok")
      )
    const tables = Effect.map(
      sql<{ name: string }>`select name from sqlite_schema where type = 'table' order by name`,
      (rows) => rows.map(({ name }) => name)
    )
    const triggers = Effect.map(
      sql<{ name: string }>`select name from sqlite_schema where type = 'trigger'`,
      (rows) => new Set(rows.map(({ name }) => name))
    )
    const unguarded = Effect.map(triggers, (present) =>
      guardNames(sql)
        .filter((name) => !present.has(name))
        .map((name) => `history can be changed: the trigger ${name} is gone`)
    )
    const foreignKeys = Effect.map(sql<{ table: string; parent: string }>`pragma foreign_key_check`, (rows) =>
      rows.map(({ parent, table }) => `a row of ${table} names one of ${parent} that is not there`)
    )
    return {
      integrity: Effect.gen(function* () {
        const found = [...(yield* told(foreignKeys)), ...(yield* told(unguarded))]
        const names = yield* tables.pipe(Effect.orElseSucceed(() => []))
        for (const name of names) {
          found.push(...(yield* told(checkTable(name))))
          yield* Effect.sleep(0)
        }
        return [...new Set(found)].slice(0, findingsMax)
      }),
      rebuildIndexes: Effect.orDie(
        Effect.zipRight(
          sql`reindex`,
          Effect.flatMap(triggers, (present) => guardHistory(sql, present))
        )
      ),
      unreadable: (workspace) =>
        Effect.forEach(structured, ({ column, empty, key, table, what }) =>
          Effect.map(
            sql<{ key: string }>`select ${sql.literal(key)} as key from ${sql(table)}
              where workspace_id = ${workspace} and json_valid(${sql(column)}) = 0 limit ${findingsMax}`,
            (rows) => rows.map((row) => ({ subject: `${what} ${row.key}`, isKeptElsewhere: empty !== null }))
          )
        ).pipe(
          Effect.map((found) => found.flat()),
          Effect.orDie
        ),
      emptyUnreadable: (workspace) =>
        Effect.forEach(
          structured,
          ({ column, empty, table }) =>
            empty === null
              ? Effect.void
              : sql`update ${sql(table)} set ${sql(column)} = ${empty}
                  where workspace_id = ${workspace} and json_valid(${sql(column)}) = 0`,
          { discard: true }
        ).pipe(Effect.orDie)
    }
  })
)

interface Structured {
  readonly table: string
  readonly column: string
  readonly what: string
  /** The id of the row, in SQL. */
  readonly key: string
  /** A value that says nothing, where what the column says is kept elsewhere too. */
  readonly empty: string | null
}

const ofDocument = { what: "document", key: "id" }
const ofEntity = { table: "entity", what: "entity", key: "id", empty: "[]" }
const ofReading = { table: "graph_document", what: "reading of", key: "document_id" }
const ofRevision = {
  table: "entity_revision",
  what: "revision",
  key: "version || ' of ' || entity_id",
  empty: null
}
const noFrontMatter = '{"title":null,"aliases":[],"tags":[],"type":null,"other":{}}'

const noDetails = '{"schemes":[],"topOf":[],"nameLanguage":null,"described":null,"texts":[]}'

/** Columns that hold JSON. */
const structured: ReadonlyArray<Structured> = [
  { table: "document", column: "front_matter", ...ofDocument, empty: noFrontMatter },
  { table: "chunk", column: "heading_path", what: "passage", key: "id", empty: "[]" },
  { ...ofEntity, column: "steward_ids" },
  { ...ofEntity, column: "person_fields" },
  { ...ofEntity, column: "merged_ids" },
  { ...ofReading, column: "aliases", empty: "[]" },
  { ...ofReading, column: "facts", empty: '{"references":[],"tags":[],"hidden":[]}' },
  { ...ofReading, column: "targets", empty: "[]" },
  { ...ofRevision, column: "snapshot" },
  { ...ofRevision, column: "diff" },
  { table: "answer", column: "answer", what: "answer", key: "id", empty: null },
  { table: "change_request", column: "payload", what: "change request", key: "id", empty: null },
  { table: "concept", column: "details", what: "concept of", key: "entity_id", empty: noDetails },
  { table: "audit", column: "details", what: "audit event", key: "id", empty: null }
]

const messageOf = (error: unknown): string => {
  const cause: unknown = error instanceof Error && error.cause !== undefined ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}
