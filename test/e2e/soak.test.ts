import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { bundled } from "../support/bundled.js"
import { folder, plainEnvironment } from "../support/cli.js"
import { say } from "../support/crash-chain.js"
import { isLong } from "../support/runs.js"
import type { SoakPlan } from "../support/soak-child.js"
import { root } from "../support/tree.js"

const seed = Number(process.env["KANON_SOAK_SEED"] ?? Date.now() % 100_000)
const minutes = Number(process.env["KANON_SOAK_MINUTES"] ?? 30)
/** Until caches hold what they may hold, and compiled code is there. */
const warmUpMinutes = 5
/** A load of minutes fills what a load of hours would by default: what grows then is no cache. */
const cacheBytes = 8 * 1024 * 1024
/**
 * For the process and each of its threads: on a machine with much memory V8 lets garbage lie, and what a process weighs
 * goes up and down by hundreds of megabytes.
 */
const smallHeaps = ["--max-old-space-size=192", "--max-semi-space-size=2"]
const slopeMaxBytes = 1024 * 1024
const mebibytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(2)

const Held = z.record(z.string(), z.number())
const Line = z.discriminatedUnion("tag", [
  z.object({ tag: z.literal("round"), calls: z.number(), whileOpen: Held, afterClose: Held }),
  z.object({ tag: z.literal("minute"), minute: z.number(), leastBytes: z.number(), heapBytes: z.number() }),
  z.object({ tag: z.literal("calls"), calls: z.number() }),
  z.object({ tag: z.literal("end"), odd: z.array(z.string()) })
])
type Line = z.infer<typeof Line>

/** Runs a process on the built library and returns its report; the process must end by itself. */
const soak = async (
  plan: Omit<SoakPlan, "library" | "vault" | "seed" | "cacheBytes">
): Promise<ReadonlyArray<Line>> => {
  say(`soak: KANON_SOAK_SEED=${seed} replays the load`)
  const library = pathToFileURL(join(root, "dist", "adapters", "sqlite", "index.js")).href
  const program = await bundled("soak-child")
  const told: SoakPlan = { ...plan, library, vault: folder(), seed, cacheBytes }
  const flags = ["--expose-gc", ...smallHeaps]
  const child = spawn(process.execPath, [...flags, program.file, JSON.stringify(told)], {
    cwd: root,
    env: plainEnvironment(),
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(child, "close")
  const lines: Array<Line> = []
  for await (const text of createInterface(child.stdout)) {
    const line = Line.parse(JSON.parse(text))
    lines.push(line)
    if (line.tag === "minute")
      say(`soak: minute ${line.minute}, ${mebibytes(line.leastBytes)} MiB, heap ${mebibytes(line.heapBytes)}`)
    if (line.tag === "calls") say(`soak: ${line.calls} calls`)
  }
  expect(await ended).toEqual([0, null])
  program.drop()
  expect(lines.at(-1)).toEqual({ tag: "end", odd: [] })
  return lines
}

/** By how much values at equal distances rise from one to the next, by least squares. */
const slopeOf = (values: ReadonlyArray<number>): number => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const middle = (values.length - 1) / 2
  const [rise, run] = values.reduce(
    ([up, along], value, i) => [up + (i - middle) * (value - mean), along + (i - middle) ** 2],
    [0, 0]
  )
  return rise / run
}

describe("a process under a mixed load", () => {
  it("holds no more handles, timers, listeners and files after many rounds than after the first", async () => {
    const [few, many] = [
      { rounds: 3, batches: 2, steps: 12 },
      { rounds: 12, batches: 12, steps: 200 }
    ]
    const lines = await soak({ ...(isLong ? many : few), minutes: 0 })
    const rounds = lines.flatMap((line) => (line.tag === "round" ? [line] : []))
    expect(rounds.length).toBeGreaterThan(2)
    for (const { afterClose, calls, whileOpen } of rounds) {
      expect(calls).toBeGreaterThan(10)
      expect({ whileOpen, afterClose }).toEqual({ whileOpen: {}, afterClose: {} })
    }
  })

  if (isLong)
    it("weighs no more from minute to minute, once it is warm", async () => {
      const lines = await soak({ rounds: 0, batches: 0, steps: 0, minutes: warmUpMinutes + minutes })
      const warm = lines.flatMap((line) =>
        line.tag === "minute" && line.minute > warmUpMinutes ? [line] : []
      )
      expect(warm).toHaveLength(minutes)
      const [process, heap] = [
        slopeOf(warm.map(({ leastBytes }) => leastBytes)),
        slopeOf(warm.map(({ heapBytes }) => heapBytes))
      ]
      say(`soak: ${mebibytes(process)} MiB more a minute, the heap ${mebibytes(heap)}`)
      expect(process).toBeLessThan(slopeMaxBytes)
      expect(heap).toBeLessThan(slopeMaxBytes)
    })
})
