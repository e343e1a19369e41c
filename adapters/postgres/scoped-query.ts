import pg, { type Connection } from "pg"
import type { Reach } from "../sql/workspace-in-force.js"
import { writable } from "./nul.js"

declare module "pg" {
  /** What a client calls while it is answered, which the types of the driver leave out. */
  interface Query<R, I> {
    handleDataRow: (message: unknown) => void
    handleCommandComplete: (message: unknown, connection: Connection) => void
  }
}

/** What a policy asks for is set until the transaction ends, which without a unit of work is with this statement. */
const setting = "select set_config('kanon.workspace', $1, true), set_config('kanon.reach', $2, true)"

/** The first value of a statement that is to go with its reach; `AnyTextClient` sends the two together. */
export class Reached {
  constructor(readonly reach: Reach) {}
}

/** A statement that goes with its reach in one round trip, as the client of Postgres takes it in place of a text. */
export const reachedQuery = (
  { isHost, workspace }: Reach,
  text: string,
  values: ReadonlyArray<unknown>
): pg.Query => {
  const asked = { text, values: values.map(writable), queryMode: "extended" }
  const query = new pg.Query(asked)
  const { handleCommandComplete, handleDataRow, submit } = query
  // The first answer is that of the setting.
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
