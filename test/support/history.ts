import type Database from "better-sqlite3"
import { z } from "zod"

const Trigger = z.object({ name: z.string(), sql: z.string() })

/** Does what the database refuses to everybody: its guards of history are away meanwhile. */
export const unguarded = (database: Database.Database, work: () => void): void => {
  const guards = z
    .array(Trigger)
    .parse(database.prepare("select name, sql from sqlite_schema where type = 'trigger'").all())
  for (const { name } of guards) database.exec(`drop trigger "${name}"`)
  work()
  for (const { sql } of guards) database.exec(sql)
}
