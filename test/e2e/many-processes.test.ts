import { spawn } from "node:child_process"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { pathToFileURL } from "node:url"
import Database from "better-sqlite3"
import { describe, expect, it } from "vitest"
import type { createEngine } from "../../adapters/sqlite/index.js"
import { coreWaitedMs } from "../../bench/core-waits.js"
import { folder, kanon, kanonAlone, start, write } from "../support/cli.js"
import { say } from "../support/crash-chain.js"
import { isLong, runs } from "../support/runs.js"
import { root } from "../support/tree.js"

const engineModule = pathToFileURL(join(root, "dist", "adapters", "sqlite", "index.js")).href
const built: { readonly createEngine: typeof createEngine } = await import(engineModule)

/** Load that docs/reliability.md states: four processes, fifty writes a second together. */
const writers = 2
const writesEach = 25 * runs(1)
const writesPerSecond = 50
/** Every fifth document is written twice. */
const [writesPerDocument, replacedEach] = [6 / 5, 5]
const everyMs = (1000 * writers * writesPerDocument) / writesPerSecond
/** Two seconds of looks: on a machine that others keep busy they take longer, and so does everything else. */
const [looksMax, betweenLooksMs] = [40, 50]
/** The same by the clock, without what this process waited for a core. */
const seenWithinMs = 2000
/** Documents that are there before, to be removed one by one, and those of the ingest: it outlasts the writers. */
const [boats, ships] = isLong ? [150, 3000] : [60, 100]

/** Minimum rate of the two writers by themselves, beside an ingest that runs as fast as it can. */
const writersLeast = 0.6 * writesPerSecond

/** Writes of one program that are under way at once: the load does not wait until one of them is done. */
const lanes = 4

/**
 * A program that writes documents as fast as the stated load has it, and says each one that is acknowledged. What is
 * late is caught up with, so that the rate is that of the load and not of what a write takes.
 */
const writer = `
  const { createEngine } = await import(${JSON.stringify(engineModule)})
  const [, vault, name, count, everyMs] = process.argv
  const engine = await createEngine({ vault })
  const beganMs = performance.now()
  const write = async (place) => {
    const path = name + "-" + place + ".md"
    const { docId } = await engine.documents.create({ path, content: "# " + path + "\\n\\nword" + name + place + " stands here.\\n" })
    if (place % ${replacedEach} === ${replacedEach - 1}) await engine.documents.replace(docId, "# " + path + "\\n\\nword" + name + place + " stands here again.\\n")
    console.log("word" + name + place + " " + path)
  }
  const lane = async (first) => {
    for (let place = first; place < Number(count); place += ${lanes}) {
      const earlyMs = beganMs + place * Number(everyMs) - performance.now()
      if (earlyMs > 0) await new Promise((resolve) => setTimeout(resolve, earlyMs))
      await write(place)
    }
  }
  await Promise.all(Array.from({ length: ${lanes} }, (_, first) => lane(first)))
  await engine.close()`

/** Runs the writer; `onLine` sees each acknowledged write as it is told. */
const startWriter = (vault: string, name: string, onLine: (word: string, path: string) => void) =>
  new Promise<{ readonly status: number | null; readonly stderr: string }>((resolve) => {
    const words = ["--input-type=module", "-e", writer, vault, name, String(writesEach), String(everyMs)]
    const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe"] })
    let [rest, stderr] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      const lines = (rest + piece).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) onLine(line.split(" ")[0] ?? "", line.split(" ")[1] ?? "")
    })
    child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      stderr += piece
    })
    child.once("close", (status) => resolve({ status, stderr }))
  })

/** Runs the command until all else is done; gives what went wrong. */
const commandsUntil = async (isDone: () => boolean, words: (turn: number) => ReadonlyArray<string>) => {
  const wrong: Array<unknown> = []
  let turn = 0
  for (; !isDone(); turn++) {
    const { status, stderr, stdout } = await start(words(turn)).ended
    if (status !== 0) wrong.push({ status, stderr, stdout })
  }
  return { wrong, turn }
}

describe("four processes under the stated load", () => {
  it("see each other's writes within two seconds, are never told busy, and break nothing", async () => {
    const vault = folder()
    const many = (kind: string, count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, place) => [
          `${kind}/${place}.md`,
          `# The ${kind} ${place}\n\nIts harbour is number ${place}.\n`
        ])
      )
    write(vault, many("boat", boats))
    expect(kanon(["ingest", "--vault", vault]).status).toBe(0)
    write(vault, many("ship", ships))
    const observer = await built.createEngine({ vault, worker: false })
    let isDone = false
    const seen: Array<Promise<string>> = []
    /** Indexing progress of another process's ingest, as searches of this process report it. */
    const progress: Array<unknown> = []
    let slowestMs = 0
    const byWriter = Array.from({ length: writers }, (): Array<number> => [])
    /** Looks for a write of another process until it is there; gives what is missing still. */
    const look = async (word: string, path: string): Promise<string> => {
      const [toldAtMs, waitedMs] = [performance.now(), coreWaitedMs()]
      for (let looks = 1; ; looks += 1) {
        const { results } = await observer.search(word, { limit: 5 })
        const found = results.some(({ docPath }) => docPath === path)
        const listed = await observer.documents.getByPath(path).then(
          ({ missing }) => !missing,
          () => false
        )
        const tookMs = performance.now() - toldAtMs - (coreWaitedMs() - waitedMs)
        const isLate = isLong ? tookMs > seenWithinMs : looks === looksMax
        if (found && listed) {
          slowestMs = Math.max(slowestMs, tookMs)
          return isLate && isLong ? `${path}: after ${tookMs} ms` : "there"
        }
        if (isLate) return `${path}: found ${found}, listed ${listed}`
        await new Promise((resolve) => setTimeout(resolve, betweenLooksMs))
      }
    }
    const programs = Array.from({ length: writers }, (_, place) =>
      startWriter(vault, `w${place}x`, (word, path) => {
        byWriter[place]?.push(performance.now())
        seen.push(look(word, path))
      })
    )
    const ingest = start(["ingest", "--vault", vault, "--json"])
    /** Since when the ingest is at work: the first of its documents is there. */
    const ingesting = (async () => {
      while (!isDone && (await observer.documents.list({ pathPrefix: "ship/", limit: 1 })).total === 0)
        await new Promise((resolve) => setTimeout(resolve, betweenLooksMs))
      return performance.now()
    })()
    let isIngesting = true
    const ingestEnded = ingest.ended.then(() => {
      isIngesting = false
      return performance.now()
    })
    const watched = (async () => {
      while (isIngesting) {
        const { indexing } = await observer.search("harbour", { limit: 1 })
        if (indexing !== undefined) progress.push(indexing)
        await new Promise((resolve) => setTimeout(resolve, betweenLooksMs))
      }
    })()
    const commands = commandsUntil(
      () => isDone,
      (turn) =>
        turn % 2 === 0
          ? ["documents", "rm", `boat/${turn / 2}.md`, "--vault", vault]
          : ["search", "harbour", "--vault", vault]
    )
    const [ingested, ...ended] = await Promise.all([ingest.ended, ...programs])
    isDone = true
    const { turn, wrong } = await commands
    expect(wrong).toEqual([])
    expect(ended).toEqual(ended.map(() => ({ status: 0, stderr: "" })))
    expect({ status: ingested.status, stderr: ingested.stderr }).toEqual({ status: 0, stderr: "" })
    expect(new Set(await Promise.all(seen))).toEqual(new Set(["there"]))
    expect(seen).toHaveLength(writers * writesEach)
    await watched
    expect(progress).toContainEqual({ done: expect.any(Number), total: expect.any(Number) })
    expect((await observer.search("harbour")).indexing).toBeUndefined()
    const [fromMs, toMs] = [await ingesting, await ingestEnded]
    const toldAtMs = byWriter.flat()
    const beside = toldAtMs.filter((at) => at >= fromMs && at <= toMs).length
    /** Each writer from its first document to its last: they need not begin at the same moment. */
    const rate = byWriter.reduce((sum, times) => {
      const tookMs = (times.at(-1) ?? 0) - (times[0] ?? 0)
      return sum + ((times.length - 1) * writesPerDocument * 1000) / tookMs
    }, 0)
    const ingestRate = (1000 * ships) / (toMs - fromMs)
    say(
      `${rate.toFixed(1)} writes a second, ${beside} of ${toldAtMs.length} documents beside an ingest of ${ingestRate.toFixed(1)}; seen after ${Math.round(slowestMs)} ms at the most`
    )
    if (isLong) {
      expect(rate).toBeGreaterThan(writersLeast)
      expect(rate + ingestRate).toBeGreaterThan(writesPerSecond)
      expect(beside).toBeGreaterThan(toldAtMs.length / 2)
    }
    await observer.close()

    const last = kanon(["ingest", "--vault", vault, "--json"])
    const wanted = boats + ships + writers * writesEach - Math.ceil(turn / 2)
    expect(JSON.parse(last.stdout)).toMatchObject({
      documents: { created: 0, updated: 0, moved: 0, deleted: 0, failed: 0, unchanged: wanted },
      errors: []
    })
    const database = new Database(join(vault, ".kanon", "kanon.sqlite"), { readonly: true })
    expect(database.pragma("integrity_check", { simple: true })).toBe("ok")
    const count = (sql: string) => database.prepare(sql).pluck().get()
    expect(count("select count(*) from document where deleted_at is null")).toBe(wanted)
    expect(count("select sum(chunk_count - dead_count) from posting_segment")).toBe(
      count("select count(*) from chunk")
    )
    expect(count("select count(*) from file_intent")).toBe(0)
    expect(count("select count(*) from job where status in ('dead', 'running')")).toBe(0)
    database.close()
    const repaired = await built.createEngine({ vault, worker: false })
    expect(repaired.repairs).toEqual([])
    await repaired.close()
  })
})

describe("a database that a newer program has changed", () => {
  it("is refused by the command with exit code 1 and the version that made it", () => {
    const vault = folder()
    write(vault, { "a.md": "# A\n" })
    expect(kanon(["ingest", "--vault", vault]).status).toBe(0)
    const database = new Database(join(vault, ".kanon", "kanon.sqlite"))
    database.exec(`insert into effect_sql_migrations (migration_id, name) values (9999, 'of_tomorrow');
      insert into schema_made_by values (9999, '9.9.9')`)
    database.close()
    const { status, stderr, stdout } = kanonAlone(["search", "a", "--vault", vault, "--json"])
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" })
    expect(JSON.parse(stderr)).toMatchObject({
      error: "data_too_new",
      message: expect.stringContaining("Kanon 9.9.9 (schema 9999)")
    })
  })
})
