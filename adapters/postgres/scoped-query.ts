import type { Connection } from "pg"
import pg from "pg"
import type { Reach } from "../sql/workspace-in-force.js"

declare module "pg" {
  /** A driver interface for queries that its types omit. */
  interface Query<R, I> {
    handleDataRow: (message: unknown) => void
    handleCommandComplete: (message: unknown, connection: Connection) => void
  }
}

/** Sets the policy variables until the transaction ends, which without a unit of work is after this statement. */
const setting = "select set_config('kanon.workspace', $1, true), set_config('kanon.reach', $2, true)"

/** First value of a statement with a reach; `AnyTextClient` sends both together. */
export class Reached {
  constructor(readonly reach: Reach) {}
}

/** Returns a submittable query that sets the reach and runs the statement in one round trip. */
export const reachedQuery = (
  { isHost, workspace }: Reach,
  text: string,
  values: ReadonlyArray<unknown>
): pg.Query => {
  const asked = { text, values: values.map(encodeValue), queryMode: "extended" }
  const query = new pg.Query(asked)
  const { handleCommandComplete, handleDataRow, submit } = query
  // The first result is that of `set_config`.
  let isSet = false
  return Object.assign(query, {
    submit: (connection: Connection) => {
      connection.stream.cork()
      try {
        connection.parse({ text: setting, name: "", types: [] }, true)
        connection.bind({ values: [workspace ?? "", isHost ? "host" : ""] }, true)
        connection.execute({}, true)
        return submit.call(query, connection)
      } finally {
        connection.stream.uncork()
      }
    },
    handleDataRow: (message: unknown) => {
      if (isSet) handleDataRow.call(query, message)
    },
    handleCommandComplete: (message: unknown, connection: Connection) => {
      if (isSet) handleCommandComplete.call(query, message, connection)
      isSet = true
    }
  })
}

/**
 * Escape character for U+0000, which Postgres cannot store in text but names, notes and filters may contain. U+0000
 * and the escape character U+10FFFF (a noncharacter) are written as U+10FFFF and a digit, so that any text is read
 * back unchanged.
 */
const mark = "\u{10ffff}"
const [nul, self] = [`${mark}0`, `${mark}1`]

/** Encodes a value for Postgres. */
export const encodeValue = (value: unknown): unknown =>
  typeof value === "string" && (value.includes("\0") || value.includes(mark))
    ? value.replaceAll(mark, self).replaceAll("\0", nul)
    : value

/** Decodes a text from Postgres. */
export const decodeText = (text: string): string =>
  text.includes(mark) ? text.replaceAll(nul, "\0").replaceAll(self, mark) : text

/** Decodes JSON that the database built from encoded texts, in which a U+0000 must become an escape. */
export const decodeJsonText = (text: string): string =>
  text.includes(mark) ? text.replaceAll(nul, "\\u0000").replaceAll(self, mark) : text
