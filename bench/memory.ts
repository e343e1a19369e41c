import { execFile } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { z } from "zod"
import { builtEngine } from "./built.js"
import { bundled } from "./bundle.js"
import { readQueries } from "./data.js"
import { chosen, databaseAt } from "./database.js"
import { shuffled } from "./random.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { vaultAtSize } from "./vault-at-size.js"
import { withFolder } from "./workspace.js"

/** Two sizes each, so that what grows is told from what any process weighs. */
const chunksWanted: Readonly<Record<Size, readonly [fewer: number, more: number]>> = {
  small: [60, 120],
  default: [1000, 3000],
  full: [10_000, 100_000]
}
const searches: Readonly<Record<Size, number>> = { small: 5, default: 1000, full: 1000 }

/** The targets are of 100,000 passages: below, what Node weighs before the first document is most of it. */
const targetFrom = 100_000
const targetAt = (passages: number, target: string) => (passages < targetFrom ? {} : { target })

/** Bytes of a node's links: 33 numbers of four bytes on the ground, its label, and a fifteenth of the levels above. */
const linkBytes = 33 * 4 + 8 + 5
const processBytes = 64 * 1024 * 1024

const Weighed = z.object({
  rssBytes: z.number(),
  passages: z.number().default(0),
  vectors: z.number().default(0),
  dimensions: z.number().default(0)
})

/** Measures the memory of processes that ingested a vault and searched it, each task in a process of its own. */
export const memory: RunBench = async (context) => {
  const { seed, size } = context
  if (vaultAtSize(1, seed) === null) return context.skip("the collection eips is not there")
  const child = new URL("memory-child.js", await bundled("memory", ["bench/memory-child.ts"]))
  const engine = builtEngine().href
  const known = readQueries("eips").map(({ text }) => text)
  const asked = Array.from({ length: searches[size] }, (_, i) => known[i % known.length] ?? "")
  const there = process.env["KANON_BENCH_MEMORY"]
  if (there !== undefined)
    return reportThere(context, child, { engine, folder: there, queries: shuffled(asked, seed) })
  await withFolder(async (folder) => {
    const empty = join(folder, "none.json")
    writeFileSync(empty, "[]")
    const run: Run = async (work, name, input) => {
      const data = join(folder, name, "data")
      return weighed(child, {
        work,
        engine,
        vault: join(folder, name, "vault"),
        data,
        input,
        queries: shuffled(asked, seed),
        ...(chosen() === "sqlite" ? {} : { database: await databaseAt(data) })
      })
    }
    await run("fill", "none", empty)
    const nothing = await run("search", "none", empty)
    const [fewerWanted, moreWanted] = chunksWanted[size]
    const fewer = await weighAt(run, folder, fewerWanted, seed)
    const more = await weighAt(run, folder, moreWanted, seed)
    reportWhole(context, more, nothing)
    reportGrowth(context, fewer, more)
  })
}

/** How a system that is set up as in `deploy/` starts us. */
const asDeployed = { MALLOC_TRIM_THRESHOLD_: "131072" }

/** A workspace that is there already (a folder with `vault` and `data`, on SQLite), opened and searched: a minute. */
const reportThere = async (
  context: BenchContext,
  child: URL,
  {
    engine,
    folder,
    queries
  }: { readonly engine: string; readonly folder: string; readonly queries: ReadonlyArray<string> }
): Promise<void> => {
  await withFolder(async (made) => {
    const plan = { work: "search", engine, vault: join(folder, "vault"), data: join(folder, "data"), queries }
    const weigh = (environment: Readonly<Record<string, string>>) =>
      weighed(child, { ...plan, input: "" }, environment, join(made, "plan.json"))
    reportOpened(context, await weigh({}), "")
    reportOpened(context, await weigh(asDeployed), ", as deploy/ starts it")
  })
}

const reportOpened = ({ report }: BenchContext, weight: Weight, how: string): void => {
  const floor = floorOf(weight)
  report({
    metric: `whole process, opened again, after searches${how}`,
    unit: "MB",
    n: weight.passages,
    peer: "vectors, links and 64 MB, by arithmetic",
    ours: megabytes(weight.rssBytes),
    floor: megabytes(floor),
    ...targetAt(weight.passages, "<= 1.5")
  })
}

const floorOf = ({ dimensions, vectors }: Weight): number =>
  vectors * (dimensions * 4 + linkBytes) + processBytes

type Run = (work: string, name: string, input: string) => Promise<Weight>
type Weighings = Awaited<ReturnType<typeof weighAt>>

const weighAt = async (run: Run, folder: string, chunks: number, seed: number) => {
  const input = join(folder, `${chunks}.json`)
  writeFileSync(input, JSON.stringify(vaultAtSize(chunks, seed) ?? []))
  return {
    whole: await run("fill", `${chunks}`, input),
    wholeOpened: await run("search", `${chunks}`, input)
  }
}

type Weight = z.infer<typeof Weighed>

const megabytes = (bytes: number): number => bytes / 1e6

const reportWhole = ({ report }: BenchContext, { whole, wholeOpened }: Weighings, nothing: Weight): void => {
  const floor = floorOf(whole)
  const row = { unit: "MB", n: whole.passages, peer: "vectors, links and 64 MB, by arithmetic" }
  for (const [metric, { rssBytes }] of [
    ["whole process after ingest and searches", whole],
    ["whole process, opened again, after searches", wholeOpened]
  ] as const)
    report({
      ...row,
      metric,
      ours: megabytes(rssBytes),
      floor: megabytes(floor),
      ...targetAt(whole.passages, "<= 1.5")
    })
  report({
    ...row,
    metric: "of it whatever the size: an empty workspace, opened again, after searches",
    ours: megabytes(nothing.rssBytes),
    peer: "no peer",
    n: 1
  })
}

/** Reports the memory that a thousand further passages add, between the two sizes. */
const reportGrowth = ({ report }: BenchContext, fewer: Weighings, more: Weighings): void => {
  const thousands = (more.whole.passages - fewer.whole.passages) / 1000
  const slope = (kind: keyof Weighings) => (more[kind].rssBytes - fewer[kind].rssBytes) / thousands
  const vectors = (more.whole.vectors - fewer.whole.vectors) / thousands
  const arithmetic = vectors * (more.whole.dimensions * 4 + linkBytes)
  const row = { unit: "MB/1,000 passages", n: more.whole.passages }
  for (const [metric, kind] of [
    ["whole process: growth", "whole"],
    ["whole process, opened again: growth", "wholeOpened"]
  ] as const)
    report({
      ...row,
      metric,
      ours: megabytes(slope(kind)),
      floor: megabytes(arithmetic),
      peer: "vectors and links, by arithmetic"
    })
}

const weighed = async (
  child: URL,
  plan: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string>> = {},
  file = `${String(plan["data"])}-plan.json`
): Promise<Weight> => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(plan))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--expose-gc", fileURLToPath(child), file],
    { maxBuffer: 1 << 24, env: { ...process.env, ...environment } }
  )
  return Weighed.parse(JSON.parse(stdout.trim().split("\n").at(-1) ?? "null"))
}
