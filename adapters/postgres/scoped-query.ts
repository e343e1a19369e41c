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

/** First value of a statement with a reach; `AnyTextClient` sends both together. */
export class Reached {
  constructor(
    readonly reach: Reach,
    /** Whether the statement is a transaction of its own, else one of a running transaction. */
    readonly isAlone: boolean,
    /** The value of `kanon.readers`; empty for a caller who reads everything, and in units of work. */
    readonly readers: string
  ) {}
}

/**
 * Statements that set the policy variables until the transaction ends. Not `set_config`, which Citus would not pass on
 * to its nodes.
 */
const settings = ({ isAlone, reach: { isHost, workspace }, readers }: Reached): ReadonlyArray<string> => [
  `set local kanon.workspace = ${pg.escapeLiteral(workspace ?? "")}`,
  `set local kanon.reach = '${isHost ? "host" : ""}'`,
  // A transaction begins without.
  ...(isAlone && readers === "" ? [] : [`set local kanon.readers = ${pg.escapeLiteral(readers)}`])
]

/**
 * Returns a submittable query that sets the reach and runs the statement in one round trip, in a transaction of its
 * own where none is running. Messages before the first failure are executed, and those after it are skipped up to the
 * sync, so the transaction of a failed statement is rolled back in a second one.
 */
export const reachedQuery = (reached: Reached, text: string, values: ReadonlyArray<unknown>): pg.Query => {
  const { isAlone } = reached
  const config = { text, values: values.map(encodeValue), queryMode: "extended" }
  const query = new pg.Query(config)
  const { handleCommandComplete, handleDataRow, submit } = query
  const before = [...(isAlone ? ["begin"] : []), ...settings(reached)]
  let completed = 0
  const isOwn = () => completed === before.length
  return Object.assign(query, {
    submit: (connection: Connection) => {
      const send = (statement: string) => {
        connection.parse({ text: statement, name: "", types: [] }, true)
        connection.bind({}, true)
        connection.execute({}, true)
      }
      const { sync } = connection
      connection.stream.cork()
      try {
        for (const statement of before) send(statement)
        if (!isAlone) return submit.call(query, connection)
        // The driver ends the statement with a sync, which the commit has to come before.
        connection.sync = () => {
          connection.sync = sync
          send("commit")
          sync.call(connection)
        }
        return submit.call(query, connection)
      } finally {
        connection.sync = sync
        connection.stream.uncork()
      }
    },
    handleDataRow: (message: unknown) => {
      if (isOwn()) handleDataRow.call(query, message)
    },
    handleCommandComplete: (message: unknown, connection: Connection) => {
      if (isOwn()) handleCommandComplete.call(query, message, connection)
      completed += 1
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
