import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import {
  forEachYielding,
  type Storage,
  type UnreadableRow,
  type WorkspaceScope
} from "../../core/kernel/index.js"
import { historyTables } from "../sql/audit/append-only.js"
import { numberedTables } from "../sql/id-numbers.js"

interface Column {
  readonly name: string
  /** What it is declared as. */
  readonly type: string
}

interface Misfit extends Column {
  readonly table: string
  readonly count: number
}

/**
 * SQLite keeps in a column what it is given: bytes in one of texts, a text in one of numbers or of bytes. What finds
 * such values, and makes of them what their column holds: the same bytes as a text, the number that a text spells, else
 * 0. Whether that is right is for those to say who compare the row with what it was made from.
 */
export const storedTypes = (
  sql: SqlClient.SqlClient
): Pick<Storage["Type"], "unreadable" | "emptyUnreadable"> => {
  const columnsOf = (table: string) =>
    Effect.map(sql<Column>`select name, lower(type) as type from pragma_table_info(${table})`, (columns) =>
      columns.filter(({ type }) => type in kinds)
    )

  const misfitsOf = (workspace: WorkspaceScope, table: string) =>
    Effect.gen(function* () {
      const columns = yield* columnsOf(table)
      const counts = columns.map(({ name, type }) => `sum(${misfits(name, type)}) as "${name}"`)
      const [row] = yield* sql.unsafe<Readonly<Record<string, number | null>>>(
        `select ${counts.join(", ")} from "${table}" where ${ofWorkspace(table)}`,
        [workspace]
      )
      return columns.flatMap(({ name, type }): ReadonlyArray<Misfit> => {
        const count = row?.[name] ?? 0
        return count === 0 ? [] : [{ table, name, type, count }]
      })
    })

  const castAgain = (workspace: WorkspaceScope, table: string, name: string, type: string) =>
    sql.unsafe(
      `update "${table}" set "${name}" = cast("${name}" as ${type})
        where ${ofWorkspace(table)} and ${misfits(name, type)}`,
      [workspace]
    )

  /** Bytes that spell no text would make one that no statement finds again by what was read of it. */
  const textAgain = (workspace: WorkspaceScope, table: string, name: string) =>
    Effect.gen(function* () {
      const found = yield* sql.unsafe<{ value: Uint8Array }>(
        `select distinct "${name}" as value from "${table}" where ${ofWorkspace(table)} and ${misfits(name, "text")}`,
        [workspace]
      )
      for (const { value } of found)
        yield* sql.unsafe(
          `update "${table}" set "${name}" = ? where ${ofWorkspace(table)} and "${name}" = ?`,
          [new TextDecoder().decode(value).replaceAll("\0", ""), workspace, value]
        )
    })

  const all = (workspace: WorkspaceScope) =>
    Effect.gen(function* () {
      const tables = yield* sql<{ name: string }>`select t.name from pragma_table_list t
        where t.schema = 'main' and t.type = 'table' and (t.name = 'workspace' or exists (
          select 1 from pragma_table_info(t.name) c where c.name in ('workspace_id', 'workspace_no'))) order by t.name`
      return yield* forEachYielding(tables, ({ name }) => misfitsOf(workspace, name))
    }).pipe(
      Effect.map((found) => found.flat()),
      Effect.orDie
    )

  return {
    unreadable: (workspace) =>
      Effect.map(all(workspace), (found) =>
        found.map(
          ({ count, name, table }): UnreadableRow => ({
            subject: `${table}.${name} of ${count === 1 ? "one row" : `${count} rows`}`,
            isKeptElsewhere: !historyTables.has(table),
            advice: null
          })
        )
      ),
    emptyUnreadable: (workspace) =>
      Effect.flatMap(all(workspace), (found) =>
        Effect.forEach(
          found.filter(({ table }) => !historyTables.has(table)),
          ({ name, table, type }) =>
            // One that would stand twice then stays as it is, and goes on being told.
            Effect.ignore(
              type === "text" ? textAgain(workspace, table, name) : castAgain(workspace, table, name, type)
            ),
          { discard: true }
        )
      )
  }
}

/** What a column of each kind may hold, beside nothing. */
const kinds: Readonly<Record<string, string>> = {
  text: "'text', 'null'",
  blob: "'blob', 'null'",
  integer: "'integer', 'null'",
  bigint: "'integer', 'null'",
  real: "'real', 'integer', 'null'",
  "double precision": "'real', 'integer', 'null'"
}

const misfits = (name: string, type: string): string => `typeof("${name}") not in (${kinds[type]})`

const ofWorkspace = (table: string): string =>
  table === "workspace"
    ? "id = ?"
    : numberedTables.has(table)
      ? "workspace_no = (select number from workspace where id = ?)"
      : "workspace_id = ?"
