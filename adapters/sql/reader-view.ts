import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Caller } from "../../core/platform/kernel/index.js"
import { type Dialect, tableViews, viewedTables } from "./reader-view-tables.js"

/**
 * Wraps a connection so that a caller with a view reads only what is visible to it: every statement gets common table
 * expressions that stand for the tables and leave hidden documents out, with all that follows from them. This is the
 * one place where rights are enforced (docs/decisions/0031-rights-per-document.md). Statements of other callers pass
 * unchanged. Units of work have connections of their own and see everything: their effects are not a caller's to read.
 */
export const withReaderView = (connection: Connection, dialect: Dialect): Connection => {
  const send = <A>(
    text: string,
    values: ReadonlyArray<unknown>,
    run: (text: string, values: ReadonlyArray<unknown>) => Effect.Effect<A, SqlError>
  ): Effect.Effect<A, SqlError> =>
    Effect.withFiberRuntime((fiber) => {
      const caller = Context.getOption(fiber.currentContext, Caller)
      if (caller._tag === "None" || caller.value.principals === undefined || caller.value.view === null)
        return run(text, values)
      const { actor, view, workspace } = caller.value
      if (view === undefined)
        return viewedTables(text).length === 0
          ? run(text, values)
          : Effect.dieMessage("A caller with principals reads without a view.")
      const viewed = viewedStatement(text, dialect)
      if (viewed === null) return run(text, values)
      const bound: Readonly<Record<BoundName, string>> = {
        viewed_workspace: workspace,
        viewed_lists: JSON.stringify(view.lists),
        viewed_actor: actor
      }
      return run(viewed.text, [
        ...values,
        ...(dialect === "sqlite" ? [bound] : viewed.bound.map((name) => bound[name]))
      ])
    })
  return {
    execute: (text, values, transform) =>
      send(text, values, (sent, bound) => connection.execute(sent, bound, transform)),
    executeRaw: (text, values) => send(text, values, (sent, bound) => connection.executeRaw(sent, bound)),
    executeValues: (text, values) =>
      send(text, values, (sent, bound) => connection.executeValues(sent, bound)),
    executeUnprepared: (text, values, transform) =>
      send(text, values, (sent, bound) => connection.executeUnprepared(sent, bound, transform)),
    executeStream: () => {
      throw new Error("Rows are read in pages, not as a stream.")
    }
  }
}

/** Names of the values that views bind. */
const boundNames = ["viewed_workspace", "viewed_lists", "viewed_actor"] as const
type BoundName = (typeof boundNames)[number]

interface Viewed {
  readonly text: string
  /** The names that it binds, in order, after the values of the statement. */
  readonly bound: ReadonlyArray<BoundName>
}

/** Rewritten statements by text, of each database. */
const rewritten = new Map<string, Viewed | null>()
const rewrittenMax = 1000

/** Returns the statement over the visible rows; null where it reads no table that may be hidden. */
const viewedStatement = (text: string, dialect: Dialect): Viewed | null => {
  const key = `${dialect} ${text}`
  const known = rewritten.get(key)
  if (known !== undefined) return known
  const made = rewrite(text, dialect)
  if (rewritten.size >= rewrittenMax) rewritten.clear()
  rewritten.set(key, made)
  return made
}

const rewrite = (text: string, dialect: Dialect): Viewed | null => {
  const tables = viewedTables(text)
  if (tables.length === 0 || !/^\s*(?:select|with)\b/i.test(text)) return null
  if (/^\s*with\s+recursive\b/i.test(text))
    throw new Error("A recursive statement over documents has no view of a caller.")
  const own = tableViews(tables, dialect).map(({ name, select }) => `${name} as not materialized (${select})`)
  const rest = /^\s*with\s+/i.exec(text)
  const whole =
    rest === null ? `with ${own.join(", ")} ${text}` : `with ${own.join(", ")}, ${text.slice(rest[0].length)}`
  const bound = boundNames.filter((name) => whole.includes(`@${name}`))
  if (dialect === "sqlite") return { text: whole, bound }
  const places = text.match(/\$\d+/g)?.map((place) => Number(place.slice(1))) ?? []
  const last = places.reduce((most, place) => Math.max(most, place), 0)
  return {
    text: whole.replaceAll(
      /@viewed_[a-z]+/g,
      (name) => `$${last + 1 + bound.findIndex((one) => `@${one}` === name)}`
    ),
    bound
  }
}
