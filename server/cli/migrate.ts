import { z } from "zod"
import type { MigrationReport } from "../../adapters/postgres/index.js"
import { migrateStore } from "../store.js"
import { command } from "./command.js"
import { openData, wrongUsage } from "./failure.js"
import { switchFlag, textFlag } from "./flags.js"
import { databaseUrl, locate } from "./place.js"
import { here } from "./session.js"
import { answer, paint } from "./terminal.js"
import { cleanLine, counted } from "./text.js"

export const migrateCommand = command("migrate", {
  description: "Apply pending migrations to the database; every command that opens it does the same.",
  input: z.object({
    dryRun: switchFlag("Only list what would be applied."),
    serverRole: textFlag(
      "On Postgres: grant this role what a server needs. By default KANON_SERVER_ROLE.",
      "ROLE"
    )
  }),
  run: function* (input) {
    const from = here()
    const database = yield* databaseUrl(input.database ?? from.databaseVariable)
    if (database === undefined && input.serverRole !== undefined)
      return yield* wrongUsage("--server-role is for Postgres: name the database with --database URL.")
    // A database of its own needs no vault at hand.
    const place = database === undefined ? yield* locate(input, from) : { data: "", database }
    const given = input.serverRole ?? process.env["KANON_SERVER_ROLE"]
    const serverRole = given === "" ? undefined : given
    const report = yield* openData(place, () => migrateStore(place, { dryRun: input.dryRun, serverRole }))
    const granted =
      database === undefined || serverRole === undefined || input.dryRun ? [] : [grantedLine(serverRole)]
    yield* answer(input.json, report, () => [told(report), ...granted].join("\n"))
  }
})

const grantedLine = (role: string): string => `The role ${cleanLine(role)} has the rights of a server.`

const told = (report: MigrationReport): string =>
  [
    ...(report.migrations.length === 0 && report.repairs.length > 0 ? [] : [migrated(report)]),
    ...report.repairs.map(({ code, tables }) => {
      const [done, toDo] = repaired[code]
      return `${report.dryRun ? toDo : paint.green(done)} ${tables.map(cleanLine).join(", ")}`
    })
  ].join("\n")

/** Texts of each repair: when it is done, and when it is still to come. */
const repaired: { readonly [code in MigrationReport["repairs"][number]["code"]]: readonly [string, string] } =
  {
    text_order: ["Ordered text by its bytes:", "Text to order by its bytes, indexes included:"],
    row_security: ["Put back the policies of:", "Policies to put back:"],
    vectors: ["Made the tables of pgvector:", "Tables of pgvector to make:"]
  }

const migrated = ({ dryRun, migrations, newest, schema }: MigrationReport): string =>
  migrations.length === 0
    ? `${paint.green("Nothing to migrate:")} the schema is ${newest}, the newest that this program knows.`
    : [
        dryRun
          ? `${counted(migrations.length, "migration")} to apply, from schema ${schema} to ${newest}:`
          : `${paint.green("Migrated")} from schema ${schema} to ${newest}:`,
        ...migrations.map(({ id, name }) => `  ${String(id).padStart(4, "0")}  ${cleanLine(name)}`)
      ].join("\n")
