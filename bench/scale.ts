import { execFile } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { z } from "zod"
import { migrateDatabase } from "../adapters/postgres/index.js"
import { citusUrl } from "../test/support/citus-url.js"
import { startOwnCluster } from "../test/support/postgres-cluster.js"
import { builtModule } from "./built.js"
import { bundled } from "./bundle.js"
import { readQueries } from "./data.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { makeDistributed, send } from "./scale-citus.js"
import { measureServers } from "./scale-servers.js"
import { vaultAtSize } from "./vault-at-size.js"
import { withFolder, writeVault } from "./workspace.js"

/** Passages that are asked for; the texts give about a sixth more. */
const passagesWanted: Readonly<Record<Size, ReadonlyArray<number>>> = {
  small: [30],
  default: [2_500],
  full: [26_000, 86_500]
}
const rounds: Readonly<Record<Size, number>> = { small: 4, default: 100, full: 100 }

const Taken = z.object({
  programMs: z.number(),
  databaseMs: z.number(),
  replicaMs: z.number(),
  wallMs: z.number()
})
const Ingested = z.object({ ingest: Taken, passages: z.number(), segments: z.number() })
const Used = z.object({
  first: Taken,
  search: Taken,
  question: Taken,
  card: Taken,
  certify: Taken,
  write: Taken,
  megabytes: z.number()
})

/**
 * Measures one large workspace on both databases, the load that a replica takes off the primary, and what a database
 * costs that is distributed over the cluster that `KANON_TEST_CITUS` names.
 */
export const scale: RunBench = async (context) => {
  const { seed, size } = context
  if (vaultAtSize(1, seed) === null) return context.skip("the collection eips is not there")
  const child = new URL("scale-child.js", await bundled("scale", ["bench/scale-child.ts"]))
  const queries = readQueries("eips").map(({ text }) => text)
  const primary = await startOwnCluster()
  const standby = await primary.standby()
  try {
    await withFolder(async (folder) => {
      for (const passages of passagesWanted[size]) {
        const run = async (kind: Kind, work: "ingest" | "use", how: How = {}) => {
          const place = join(folder, `${kind}-${passages}`)
          const vault = join(place, "vault")
          mkdirSync(vault, { recursive: true })
          // Written here, because the bundled child does not find the collection.
          if (work === "ingest") writeVault(vaultAtSize(passages, seed) ?? [], vault)
          const plan = {
            work,
            vault,
            data: join(place, "data"),
            engine: builtModule(join("adapters", kind === "sqlite" ? "sqlite" : "postgres", "index.js")).href,
            queries,
            rounds: rounds[size],
            ...how
          }
          writeFileSync(join(place, "plan.json"), JSON.stringify(plan))
          const { stdout } = await promisify(execFile)(
            process.execPath,
            ["--expose-gc", fileURLToPath(child), join(place, "plan.json")],
            { maxBuffer: 1 << 24 }
          )
          return JSON.parse(stdout.trim().split("\n").at(-1) ?? "null") as unknown
        }
        await send(primary.url, [`create database ${nameOf(passages)}`, `create role ${serverRole} login`])
        const database = databaseOn(primary.url, passages)
        const alone = await ingestedAndUsed(context, "postgres", run, { database })
        const beside = { database, replica: databaseOn(standby.url, passages) }
        reportReplica(context, alone, Used.parse(await run("postgres", "use", beside)))
        await migrateDatabase({ database, serverRole })
        const server = new URL(database)
        server.username = serverRole
        // Only the owner may ask where the server runs.
        const nodes = [database]
        const walled = Used.parse(await run("postgres", "use", { database: server.href, nodes }))
        const citus = citusUrl()
        if (citus === null) context.say("KANON_TEST_CITUS is not set: nothing was measured on Citus")
        else await measureDistributed(context, run, citus, passages, { owner: alone.used, server: walled })
        if (citus !== null && passages === passagesWanted[size][0])
          await measureServers(context, citus, primary.url, join(folder, "servers"))
        await ingestedAndUsed(context, "sqlite", run, {})
      }
    })
  } finally {
    standby.stop()
    primary.stop()
  }
}

const nameOf = (passages: number): string => `scale_${passages}`

const databaseOn = (server: string, passages: number): string => {
  const url = new URL(server)
  url.pathname = `/${nameOf(passages)}`
  return url.href
}

const serverRole = "scale_server"

type Kind = "sqlite" | "postgres" | "citus"
interface How {
  readonly database?: string
  readonly replica?: string
  readonly nodes?: ReadonlyArray<string>
}
type RunChild = (kind: Kind, work: "ingest" | "use", how?: How) => Promise<unknown>

const ingestedAndUsed = async (context: BenchContext, kind: Kind, run: RunChild, how: How) => {
  const ingested = Ingested.parse(await run(kind, "ingest", how))
  context.say(`${ingested.passages} passages on ${kind}, ${ingested.segments} segments`)
  const used = Used.parse(await run(kind, "use", how))
  reportOne(context, kind, ingested, used)
  return { ...ingested, used }
}

/** Measures the same on a distributed database, at the coordinator and at a worker, as owner and as a server. */
const measureDistributed = async (
  { report, say }: BenchContext,
  run: RunChild,
  cluster: string,
  passages: number,
  plain: Readonly<Record<"owner" | "server", z.infer<typeof Used>>>
): Promise<void> => {
  const made = await makeDistributed(cluster, nameOf(passages))
  try {
    const how = (role: "owner" | "server", entrance: number): How => ({
      database: made[role][entrance] ?? "",
      nodes: made.owner
    })
    const ingested = Ingested.parse(await run("citus", "ingest", how("owner", 0)))
    say(`${ingested.passages} passages on Citus, ${made.owner.length} servers`)
    for (const role of ["owner", "server"] as const)
      for (const [entrance, name] of ["coordinator", "worker"].entries()) {
        const used = Used.parse(await run("citus", "use", how(role, entrance)))
        for (const what of told)
          for (const [part, whose] of [
            ["databaseMs", "all servers"],
            ["programMs", "the program"]
          ] as const) {
            const [ours, floor] = [used[what][part], plain[role][what][part]]
            report({
              metric: `${inWords[what]} through the ${name} of Citus as ${role}: CPU of ${whose}`,
              n: ingested.passages,
              unit: "ms",
              ours,
              floor,
              peer: "plain Postgres"
            })
          }
      }
  } finally {
    await made.drop()
  }
}

const told = ["first", "search", "question", "card", "certify", "write"] as const
const inWords = {
  first: "first search after a start",
  search: "search",
  question: "question",
  card: "card of an entity",
  certify: "certify",
  write: "write"
} as const

const reportOne = (
  { report }: BenchContext,
  kind: Kind,
  { ingest, passages }: z.infer<typeof Ingested>,
  used: z.infer<typeof Used>
): void => {
  const row = { n: passages }
  const cpu = (metric: string, { databaseMs, programMs }: z.infer<typeof Taken>, by = 1) => {
    report({ ...row, metric: `${metric} on ${kind}: CPU of the program`, unit: "ms", ours: programMs / by })
    if (kind === "postgres")
      report({
        ...row,
        metric: `${metric} on ${kind}: CPU of the database`,
        unit: "ms",
        ours: databaseMs / by
      })
  }
  cpu("ingest of a passage", ingest, passages)
  for (const what of told) cpu(inWords[what], used[what])
  report({ ...row, metric: `process after searches and writes on ${kind}`, unit: "MB", ours: used.megabytes })
}

const reportReplica = (
  { report }: BenchContext,
  { passages, used: alone }: Awaited<ReturnType<typeof ingestedAndUsed>>,
  beside: z.infer<typeof Used>
): void => {
  for (const what of ["search", "question"] as const) {
    const [ours, floor] = [beside[what].databaseMs, alone[what].databaseMs]
    report({
      metric: `${inWords[what]}: CPU of the primary with a replica`,
      n: passages,
      unit: "ms",
      ours,
      floor,
      peer: "the primary alone"
    })
    report({
      metric: `${inWords[what]}: CPU of the replica`,
      n: passages,
      unit: "ms",
      ours: beside[what].replicaMs
    })
  }
}
