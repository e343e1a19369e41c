import * as Effect from "effect/Effect"
import { z } from "zod"
import type {
  DistributionReport,
  DistributionStatus,
  IsolationReport
} from "../../adapters/postgres/distribution-status.js"
import { distributionOf } from "../store.js"
import { command, group, noInput } from "./command.js"
import { type Failure, failed, openData, wrongUsage } from "./failure.js"
import { switchFlag } from "./flags.js"
import { databaseUrl } from "./place.js"
import { sayAboveBars } from "./progress.js"
import { here } from "./session.js"
import { answer, paint } from "./terminal.js"
import { cleanLine, counted } from "./text.js"

/** The URL of the database, which these commands need. */
const postgresUrl = (given: string | undefined): Effect.Effect<string, Failure> =>
  Effect.flatMap(databaseUrl(given ?? here().databaseVariable), (url) =>
    url === undefined
      ? Effect.fail(wrongUsage("These commands are for Postgres: name the database with --database URL."))
      : Effect.succeed(url)
  )

const refuse = (refusals: ReadonlyArray<string>): Effect.Effect<void, Failure> =>
  refusals.length === 0
    ? Effect.void
    : Effect.fail(
        failed("distribution_refused", `Nothing was changed: ${refusals.map(cleanLine).join("; ")}.`)
      )

const distribute = command("distribute", {
  description: "Distribute the tables over the nodes of Citus; can be run again where it ended.",
  input: z.object({ dryRun: switchFlag("Only list what would be done.") }),
  run: function* (input) {
    const database = yield* postgresUrl(input.database)
    const report = yield* openData({ data: "", database }, async () =>
      (await distributionOf()).distributeDatabase({
        database,
        dryRun: input.dryRun,
        onProgress: ({ done, table, total }) => sayAboveBars(`${done + 1} of ${total}: ${table}`)
      })
    )
    yield* refuse(report.refusals)
    yield* answer(input.json, report, () => distributed(report))
  }
})

const distributed = ({ citus, dryRun, placedBefore, tables }: DistributionReport): string => {
  if (tables.length === 0)
    return `${paint.green("Nothing to do:")} all ${counted(placedBefore, "table")} are placed (Citus ${citus}).`
  const count = (placement: string) => tables.filter((table) => table.placement === placement).length
  const done = dryRun ? "To be distributed" : paint.green("Distributed")
  return [
    `${done} with Citus ${citus}: ${counted(count("distributed"), "table")} by workspace, ${count("local")} on the coordinator, ${placedBefore} placed before.`,
    ...(dryRun ? tables.map(({ name, placement }) => `  ${placement.padEnd(11)}  ${name}`) : [])
  ].join("\n")
}

const status = command("status", {
  description:
    "Show the server of a database, or the nodes, shards and largest workspaces of a distributed one.",
  input: noInput,
  run: function* (input) {
    const database = yield* postgresUrl(input.database)
    const found = yield* openData({ data: "", database }, async () =>
      (await distributionOf()).distributionStatus(database)
    )
    yield* answer(input.json, found, () => told(found))
  }
})

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

const told = ({ citus, distributed, largest, local, nodes, pending, server }: DistributionStatus): string =>
  distributed === "no"
    ? [
        `not distributed${citus === null ? "" : ` (Citus ${citus} is there)`}: all tables are in one PostgreSQL ${cleanLine(server.version)}`,
        `  ${megabytes(server.bytes)}, ${server.connections} of ${counted(server.connectionsMax, "connection")} in use, ${counted(server.standbys, "standby", "standbys")}`,
        server.schema === null
          ? "  no tables of Kanon: the first command that opens a workspace makes them"
          : `  migration ${server.schema}, ${counted(server.workspaces, "workspace")}, ${counted(server.passages, "passage")}`
      ].join("\n")
    : [
        `distributed${distributed === "partly" ? " in part" : ""} by Citus ${citus}`,
        ...nodes.map(
          ({ bytes, isActive, node, role, shards, unresolvedTransactions }) =>
            `  ${cleanLine(node)}  ${role}${isActive ? "" : ", inactive"}, ${counted(shards, "shard")}, ${megabytes(bytes)}, ${
              unresolvedTransactions === null
                ? paint.red("no answer")
                : `${counted(unresolvedTransactions, "unresolved transaction")}`
            }`
        ),
        ...(largest.length === 0 ? [] : ["largest workspaces"]),
        ...largest.map(
          ({ node, passages, shard, workspace }) =>
            `  ${workspace}  ${counted(passages, "passage")}, shard ${shard} on ${cleanLine(node)}`
        ),
        `on the coordinator: ${local.join(", ")}`,
        ...(pending.length === 0 ? [] : [`still to be placed: ${pending.join(", ")}`])
      ].join("\n")

const isolate = command("isolate", {
  description: "Give a workspace a shard of its own, which can be moved to another node alone.",
  input: z.object({ target: z.string() }),
  arguments: { target: { name: "workspace", description: "Id of the workspace (ws_…)." } },
  run: function* (input) {
    const database = yield* postgresUrl(input.database)
    const report = yield* openData({ data: "", database }, async () =>
      (await distributionOf()).isolateWorkspace(database, input.target)
    )
    yield* refuse(report.refusals)
    yield* answer(input.json, report, () => isolated(report))
  }
})

const isolated = ({ node, shard, wasIsolated, workspace }: IsolationReport): string =>
  `${workspace} ${wasIsolated ? "already had" : "has"} a shard of its own: ${shard} on ${cleanLine(node ?? "")}.`

export const databaseCommands = group("database", "Distribute a Postgres database over several servers.", [
  distribute,
  status,
  isolate
])
