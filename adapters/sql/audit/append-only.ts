import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { dialect, type Guard } from "../dialect.js"
import { guardedTwice } from "../errors.js"

/** Tables whose rows stay as they were written, and the keys by which one row could take another one's place. */
const histories = [
  {
    table: "audit",
    keys: [
      ["workspace_id", "seq"],
      ["workspace_id", "id"]
    ]
  },
  { table: "entity_revision", keys: [["workspace_id", "entity_id", "version"]] }
] as const

/** The names of these tables. */
export const historyTables: ReadonlySet<string> = new Set(histories.map(({ table }) => table))

/** The end of a chain of events goes forward only. */
const headGuards: ReadonlyArray<Guard> = [
  {
    name: "audit_head_forward",
    table: "audit_head",
    event: "update",
    when: "new.seq < old.seq or new.workspace_id <> old.workspace_id",
    message: "audit_head goes forward only"
  },
  {
    name: "audit_head_stays",
    table: "audit_head",
    event: "delete",
    message: "audit_head is never removed"
  }
]

const guardsOf = (replaces: boolean): ReadonlyArray<Guard> => [
  ...histories.flatMap(({ keys, table }): ReadonlyArray<Guard> => {
    const isThere = keys.map(
      (columns) =>
        `exists (select 1 from ${table} where ${columns.map((column) => `${column} = new.${column}`).join(" and ")})`
    )
    const message = `${table} is append-only`
    return [
      { name: `${table}_unchanged`, table, event: "update", message },
      { name: `${table}_kept`, table, event: "delete", message },
      ...(replaces
        ? [
            {
              name: `${table}_unreplaced`,
              table,
              event: "insert",
              when: isThere.join(" or "),
              message: `${message}: ${guardedTwice}`
            } as const
          ]
        : [])
    ]
  }),
  ...headGuards
]

/** Names of the triggers that keep history as it is. */
export const guardNames = (sql: SqlClient.SqlClient): ReadonlyArray<string> =>
  guardsOf(dialect(sql).guards.replaces).map(({ name }) => name)

/**
 * Changes rows of a history, whose guard stands again before anybody else could write: within one transaction. False,
 * and nothing is done, where this role may not lift it. For repairs of rows that nobody can read.
 */
export const withoutGuard = <E, R>(
  sql: SqlClient.SqlClient,
  table: (typeof histories)[number]["table"],
  change: Effect.Effect<unknown, E, R>
): Effect.Effect<boolean, E | SqlError, R> =>
  Effect.gen(function* () {
    const { guard, guards, mayAlter } = dialect(sql)
    if (!(yield* mayAlter(table))) return false
    const [own] = guardsOf(guards.replaces).filter(({ name }) => name === `${table}_unchanged`)
    if (own === undefined) return false
    yield* dialect(sql).unguard(own)
    yield* change
    yield* guard(own)
    return true
  }).pipe(sql.withTransaction)

/**
 * Has the database refuse to change, remove or replace history, whoever asks. Makes those guards that are not there.
 *
 * @param present Names of the triggers that there are.
 */
export const guardHistory = (sql: SqlClient.SqlClient, present: ReadonlySet<string> = new Set()) =>
  Effect.gen(function* () {
    const { guard, guards } = dialect(sql)
    yield* guards.prepare
    for (const one of guardsOf(guards.replaces)) if (!present.has(one.name)) yield* guard(one)
  })
