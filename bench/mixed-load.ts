import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { createEngine as engineOnPostgres } from "../adapters/postgres/index.js"
import type { Engine, createEngine as engineOnSqlite } from "../adapters/sqlite/index.js"
import { builtEngine } from "./built.js"
import { coreWaitedMs, countsCoreWaits } from "./core-waits.js"
import { dataFolder, readCorpus, readQueries } from "./data.js"
import { chosen, databaseAt } from "./database.js"
import { shuffled } from "./random.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { quantile } from "./statistics.js"
import { variations } from "./vary.js"
import { withFolder } from "./workspace.js"

/** Documents that are there before, and documents that are taken in under load. */
const documentsBefore: Readonly<Record<Size, number>> = { small: 120, default: 300, full: 2000 }
const documentsAdded: Readonly<Record<Size, number>> = { small: 80, default: 600, full: 10_000 }
const idleSearches: Readonly<Record<Size, number>> = { small: 20, default: 200, full: 1000 }
const limit = 10
/** Pause between two searches in ms. A person reads for longer; this is a busy team. */
const betweenMs = 10
/** A note of some passages: the first so many characters of a text. */
const noteChars = 2500

/** The package as it is shipped: threads need the built files. */
const root = fileURLToPath(new URL("..", import.meta.url))
const entry = (): string => pathToFileURL(join(root, "dist", "adapters", chosen(), "index.js")).href

interface Place {
  readonly vault: string
  readonly data: string
  readonly database?: string
}

const openEngine = async ({ data, database, vault }: Place): Promise<Engine> => {
  if (database === undefined) {
    const { createEngine }: { readonly createEngine: typeof engineOnSqlite } = await import(entry())
    return createEngine({ vault, data })
  }
  const { createEngine }: { readonly createEngine: typeof engineOnPostgres } = await import(entry())
  return createEngine({ vault, data, database })
}

interface Material {
  /** The text of the n-th document; all differ. */
  readonly textOf: (place: number) => string
  readonly queries: ReadonlyArray<string>
}

const materialOf = ({ seed }: BenchContext): Material | null => {
  const base = readCorpus("eips")
  if (base === null) return null
  const notes = base.map(({ text }) => text.slice(0, noteChars))
  const vary = variations(notes, seed)
  return {
    textOf: (place) => vary(notes[place % notes.length] ?? "", Math.floor(place / notes.length)),
    queries: shuffled(
      readQueries("eips").map(({ text }) => text),
      seed
    )
  }
}

const writeNotes = (vault: string, { textOf }: Material, from: number, count: number): void => {
  for (let place = from; place < from + count; place++) {
    const path = join(vault, String(Math.floor(place / 100)), `${place}.md`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, textOf(place))
  }
}

/** How long searches took, one after the other with a short rest, and how late timers were meanwhile. */
interface Searched {
  readonly timesMs: ReadonlyArray<number>
  /** The same without the time in which this thread could have run and had no core: what other programs take. */
  readonly ownTimesMs: ReadonlyArray<number>
  readonly lateP95Ms: number
  readonly lateMaxMs: number
}

const searchWhile = async (
  engine: Engine,
  queries: ReadonlyArray<string>,
  goesOn: (done: number) => boolean
): Promise<Searched> => {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const [timesMs, ownTimesMs]: [Array<number>, Array<number>] = [[], []]
  while (goesOn(timesMs.length)) {
    const [waitedBefore, startedAt] = [coreWaitedMs(), performance.now()]
    await engine.search(queries[timesMs.length % queries.length] ?? "", { limit })
    const tookMs = performance.now() - startedAt
    timesMs.push(tookMs)
    ownTimesMs.push(tookMs - (coreWaitedMs() - waitedBefore))
    await pause(betweenMs)
  }
  delay.disable()
  return { timesMs, ownTimesMs, lateP95Ms: delay.percentile(95) / 1e6, lateMaxMs: delay.max / 1e6 }
}

/** Searches until the work is done. */
const searchBeside = async (engine: Engine, queries: ReadonlyArray<string>, work: Promise<unknown>) => {
  let isDone = false
  const ended = work.finally(() => {
    isDone = true
  })
  const searched = await searchWhile(engine, queries, () => !isDone)
  await ended
  return searched
}

/** As somebody does at a terminal. */
const ingestElsewhere = async ({ data, database, vault }: Place): Promise<void> => {
  const command = [join(root, "dist", "bin", "kanon.js"), "ingest", "--vault", vault, "--data", data]
  const child = spawn(
    process.execPath,
    [...command, ...(database === undefined ? [] : ["--database", database])],
    { stdio: ["ignore", "ignore", "pipe"] }
  )
  let said = ""
  child.stderr.on("data", (part: Buffer) => {
    said += part.toString()
  })
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(`kanon ingest ended with ${code}: ${said}`)
}

const reportLoad = (
  { report }: BenchContext,
  what: string,
  during: Searched,
  idle: ReadonlyArray<Searched>
): void => {
  // A core for each is what is promised; on a machine that others use too only the time less the waits tells.
  const own = countsCoreWaits ? "ownTimesMs" : "timesMs"
  for (const [name, times, share, target] of [
    ["p50 less waits for a core", own, 0.5, {}],
    ["p95 less waits for a core", own, 0.95, { target: "<= 2" }],
    ["p50 wall", "timesMs", 0.5, {}],
    ["p95 wall", "timesMs", 0.95, { target: "<= 2" }]
  ] as const) {
    const ours = quantile(during[times], share)
    const floor = quantile(
      idle.flatMap((one) => one[times]),
      share
    )
    report({
      metric: `search ${name}, ${what}`,
      ours,
      floor,
      n: during.timesMs.length,
      unit: "ms",
      peer: "the same searches before and after, with nothing else going on",
      ...target
    })
  }
  for (const [name, of] of [
    ["p95", (one: Searched) => one.lateP95Ms],
    ["longest", (one: Searched) => one.lateMaxMs]
  ] as const) {
    const floor = Math.max(...idle.map(of))
    report({
      metric: `event-loop delay ${name}, ${what}`,
      ours: of(during),
      floor,
      n: during.timesMs.length,
      unit: "ms",
      peer: "the same with nothing else going on"
    })
  }
}

export const mixedLoad: RunBench = async (context) => {
  const material = materialOf(context)
  if (material === null) return context.skip(`no eips in ${dataFolder}`)
  builtEngine()
  await withFolder(async (folder) => {
    const [vault, data] = [join(folder, "vault"), join(folder, "data")]
    const [before, added] = [documentsBefore[context.size], documentsAdded[context.size]]
    writeNotes(vault, material, 0, before)
    const place = chosen() === "sqlite" ? { vault, data } : { vault, data, database: await databaseAt(data) }
    const engine = await openEngine(place)
    await engine.ingest()
    const { queries } = material
    const idle = () => searchWhile(engine, queries, (done) => done < idleSearches[context.size])
    await idle()
    const idleBefore = await idle()
    writeNotes(vault, material, before, added)
    const startedAt = performance.now()
    let filesMs = 0
    const beside = await searchBeside(
      engine,
      queries,
      engine.ingest({
        onProgress: ({ phase }) => {
          if (phase === "files") filesMs = performance.now() - startedAt
        }
      })
    )
    const allMs = performance.now() - startedAt
    context.say(
      `${added} documents in this process: files ${Math.round(filesMs / 1000)} s, all ${Math.round(allMs / 1000)} s`
    )
    await idle()
    const idleBetween = await idle()
    reportLoad(context, `${added} documents ingested in the same process`, beside, [idleBefore, idleBetween])
    writeNotes(vault, material, before + added, added)
    const other = await searchBeside(engine, queries, ingestElsewhere(place))
    await idle()
    const idleAfter = await idle()
    reportLoad(context, `${added} documents ingested by kanon ingest, another process`, other, [
      idleBetween,
      idleAfter
    ])
    await engine.close()
  })
}
