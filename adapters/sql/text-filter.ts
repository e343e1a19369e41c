import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"

/**
 * Returns the condition that one of the columns holds a text, without regard to case. SQLite itself knows upper and lower
 * case of ASCII only, so a text with other letters is looked for in the usual spellings.
 */
export const containsText = (
  sql: SqlClient.SqlClient,
  columns: ReadonlyArray<string>,
  text: string
): Fragment => {
  const lower = text.trim().toLowerCase()
  const first = [...lower][0] ?? ""
  const spellings = new Set([lower, first.toUpperCase() + lower.slice(first.length), lower.toUpperCase()])
  return sql.or(
    columns.flatMap((column) => [
      sql`lower(${sql.literal(column)}) like ${patternOf(lower)} escape '!'`,
      ...(/^[\0-\x7f]*$/.test(lower)
        ? []
        : [...spellings].map((one) => sql`${sql.literal(column)} like ${patternOf(one)} escape '!'`))
    ])
  )
}

const patternOf = (text: string): string => `%${text.replace(/[!%_]/g, "!$&")}%`
