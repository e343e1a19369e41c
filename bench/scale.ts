import { execFile } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import pg from "pg"
import { z } from "zod"
import { startOwnCluster } from "../test/support/postgres-cluster.js"
import { builtModule } from "./built.js"
import { bundled } from "./bundle.js"
import { readQueries } from "./data.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { vaultAtSize } from "./vault-at-size.js"
import { withFolder } from "./workspace.js"

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
  write: Taken,
  megabytes: z.number()
})

/** Measures one large workspace on both databases, and the load that a replica takes off the primary. */
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
        const run = async (kind: "sqlite" | "postgres", work: "ingest" | "use", replica?: string) => {
          const place = join(folder, `${kind}-${passages}`)
          mkdirSync(place, { recursive: true })
          const plan = {
            work,
            passages,
            seed,
            vault: join(place, "vault"),
            data: join(place, "data"),
            engine: builtModule(join("adapters", kind, "index.js")).href,
            queries,
            rounds: rounds[size],
            ...(kind === "sqlite" ? {} : { database: databaseOn(primary.url, passages) }),
            ...(replica === undefined ? {} : { replica: databaseOn(replica, passages) })
          }
          writeFileSync(join(place, "plan.json"), JSON.stringify(plan))
          const { stdout } = await promisify(execFile)(
            process.execPath,
            ["--expose-gc", fileURLToPath(child), join(place, "plan.json")],
            { maxBuffer: 1 << 24 }
          )
          return JSON.parse(stdout.trim().split("\n").at(-1) ?? "null") as unknown
        }
        await makeDatabase(primary.url, passages)
        for (const kind of ["postgres", "sqlite"] as const) {
          const ingested = Ingested.parse(await run(kind, "ingest"))
          context.say(`${ingested.passages} passages on ${kind}, ${ingested.segments} segments`)
          const alone = Used.parse(await run(kind, "use"))
          reportOne(context, kind, ingested, alone)
          if (kind === "postgres")
            reportReplica(context, ingested, alone, Used.parse(await run(kind, "use", standby.url)))
        }
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

const makeDatabase = async (server: string, passages: number): Promise<void> => {
  const client = new pg.Client(server)
  await client.connect()
  await client.query(`create database ${nameOf(passages)}`)
  await client.end()
}

const told = ["first", "search", "question", "write"] as const
const inWords = {
  first: "first search after a start",
  search: "search",
  question: "question",
  write: "write"
} as const

const reportOne = (
  { report }: BenchContext,
  kind: string,
  { ingest, passages }: z.infer<typeof Ingested>,
  used: z.infer<typeof Used>
): void => {
  const row = { n: passages, floor: null, ratio: null, iqr: null, peer: "" }
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
  { passages }: z.infer<typeof Ingested>,
  alone: z.infer<typeof Used>,
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
      ratio: floor === 0 ? null : ours / floor,
      iqr: null,
      peer: "the primary alone"
    })
    report({
      metric: `${inWords[what]}: CPU of the replica`,
      n: passages,
      unit: "ms",
      ours: beside[what].replicaMs,
      floor: null,
      ratio: null,
      iqr: null,
      peer: ""
    })
  }
}
