import { cpSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { ChaosLoad, type Servers } from "../support/chaos-load.js"
import { folder, kanon, type Ran, start as startCommand } from "../support/cli.js"
import { say } from "../support/crash-chain.js"
import { type OwnCluster, startOwnCluster } from "../support/postgres-cluster.js"
import { isLong } from "../support/runs.js"
import { root } from "../support/tree.js"

const Key = z.object({ key: z.string() })
const Told = z.object({ jobId: z.string().optional(), outcome: z.string().optional() })
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** How often one of each is killed, and after which of these kills the database crashes too. */
const rounds = isLong ? 60 : 2
const crashesAfter = [Math.floor(rounds / 4), Math.floor((rounds * 3) / 4)]
/** Writes that are acknowledged between two kills, however fast the machine is. */
const writesPerRound = 8
const seed = Number(process.env["KANON_CHAOS_SEED"] ?? Date.now() % 100_000)

type Process = ReturnType<typeof startCommand>

describe("two servers and two workers over one Postgres", () => {
  const notes = join(folder(), "notes")
  const environment = () => ({ KANON_DATABASE_URL: cluster.url, KANON_RECONCILE_EVERY_MS: "3000" })
  const workers: Array<Process> = []
  const gone: Array<Process> = []
  const servers: Array<{ readonly process: Process; url: string | null }> = []
  let cluster: OwnCluster
  let key = ""
  let isOver = false

  beforeAll(async () => {
    say(`chaos: KANON_CHAOS_SEED=${seed} replays the load`)
    cpSync(join(root, "demo", "vault", "glossary"), notes, { recursive: true })
    cluster = await startOwnCluster()
    key = Key.parse(JSON.parse(well("init", "--vault", notes, "--json"))).key
    well("ingest", "--vault", notes)
  })
  afterAll(async () => {
    isOver = true
    const all = [...servers.map(({ process }) => process), ...workers]
    for (const one of all) one.signal("SIGKILL")
    await Promise.all(all.map(({ ended }) => ended))
    cluster.stop()
  })

  const well = (...args: ReadonlyArray<string>): string => {
    const ran: Ran = kanon(args, { env: environment() })
    expect({ status: ran.status, stderr: ran.status === 0 ? "" : `${ran.stdout}${ran.stderr}` }).toEqual({
      status: 0,
      stderr: ""
    })
    return ran.stdout
  }
  /** One that met the database while that was away has ended, and is begun again as any supervisor does. */
  const again = (process: Process, begin: () => void) =>
    void process.ended.then(({ status }) => {
      if (status === 0 || status === null || isOver) return
      gone.push(process)
      begin()
    })
  const serve = (place: number) => {
    const words = ["serve", "--vault", notes, "--no-worker", "--port", "0", "--json"]
    const process = startCommand(words, { env: environment() })
    const server: (typeof servers)[number] = { process, url: null }
    servers[place] = server
    again(process, () => serve(place))
    process.firstLine.then(
      (line) => {
        server.url = z.object({ url: z.string() }).parse(JSON.parse(line)).url
      },
      () => undefined
    )
  }
  const work = (place: number) => {
    const process = startCommand(["worker", "--vault", notes, "--json"], { env: environment() })
    workers[place] = process
    again(process, () => work(place))
  }

  it("lose nothing that was acknowledged, and do no job twice, whatever is killed", async () => {
    for (const place of [0, 1]) {
      serve(place)
      work(place)
    }
    await expect.poll(() => servers.every(({ url }) => url !== null)).toBe(true)
    const reach: Servers = (place) => servers[place % servers.length]?.url ?? null
    const load = new ChaosLoad({ reach, key, seed })
    const lanes = load.run(5)
    for (let round = 0; round < rounds; round += 1) {
      const [before, isUp] = [load.acknowledged, () => servers.every(({ url }) => url !== null)]
      const isLoaded = () => isUp() && load.acknowledged >= before + writesPerRound
      await expect.poll(isLoaded, { interval: 20 }).toBe(true)
      const [server, worker] = [servers[round % 2], workers[round % 2]]
      if (server === undefined || worker === undefined) throw new Error("Nobody is there to be killed.")
      gone.push(server.process, worker)
      server.url = null
      server.process.signal("SIGKILL")
      worker.signal("SIGKILL")
      serve(round % 2)
      work(round % 2)
      if (!crashesAfter.includes(round)) continue
      cluster.crash()
      await sleep(300)
      cluster.start()
    }
    load.stop()
    await lanes
    say(`chaos: ${load.summary()}`)
    expect(load.odd).toEqual([])

    // The next process finishes interrupted work, and waits until nothing is pending.
    well("ingest", "--vault", notes)
    await expect.poll(() => servers.some(({ url }) => url !== null)).toBe(true)
    expect(await load.lost()).toEqual([])
    // Scheduled jobs may wait at any moment, but the queue always empties.
    const listed = () => JSON.parse(well("jobs", "list", "--vault", notes, "--status", "dead", "--json"))
    await expect.poll(listed).toMatchObject({ total: 0, queueDepth: 0 })
    isOver = true
    for (const { process } of servers) process.signal("SIGTERM")
    for (const worker of workers) worker.signal("SIGTERM")
    await Promise.all(servers.map(({ process }) => process.ended))
    const ends = await Promise.all([...gone, ...workers].map(({ ended }) => ended))
    const succeeded = ends
      .flatMap(({ stdout }) => stdout.split("\n"))
      .filter((line) => line.endsWith("}"))
      .map((line) => Told.parse(JSON.parse(line)))
      .flatMap(({ jobId, outcome }) => (outcome === "succeeded" && jobId !== undefined ? [jobId] : []))
    expect(succeeded.length).toBeGreaterThan(0)
    expect(new Set(succeeded).size).toBe(succeeded.length)
    // A server whose commit got no answer keeps the staged file, as it may be needed, until a start after its end.
    well("ingest", "--vault", notes)
    expect(JSON.parse(well("audit", "verify", "--vault", notes, "--json"))).toMatchObject({ ok: true })
    expect(JSON.parse(well("doctor", "--vault", notes, "--json"))).toMatchObject({ ok: true, differences: 0 })
  })
})
