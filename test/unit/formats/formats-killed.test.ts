import { execFileSync } from "node:child_process"
import { setTimeout } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { expect, it } from "vitest"
import { openConverter } from "../../../adapters/formats/index.js"
import { startProcess } from "../../../adapters/formats/process.js"

/** The child processes of this one that convert files. */
const converters = (): ReadonlyArray<number> =>
  execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes("convert-main"))
    .map((line) => Number.parseInt(line, 10))

const rows = Buffer.from(Array.from({ length: 60_000 }, (_, n) => `row ${n},${"x".repeat(20)}`).join("\n"))
const limits = { timeoutMs: 60_000, memoryMb: 512 }

it.skipIf(process.platform === "win32")(
  "a process that is killed from outside is started again, twice, and told as a crash, not as memory",
  async () => {
    const converter = await openConverter({ processes: 1, formatTimeoutMs: 120_000 })
    try {
      let [kills, isOver] = [0, false]
      const killing = (async () => {
        const killed = new Set<number>()
        while (kills < 3 && !isOver) {
          for (const pid of converters())
            if (!killed.has(pid)) {
              // Once it works on the file.
              await setTimeout(300)
              killed.add(pid)
              kills += 1
              process.kill(pid, "SIGKILL")
            }
          await setTimeout(20)
        }
      })()
      const failed = converter.convert({ name: "a.csv", bytes: Buffer.concat(Array(20).fill(rows)) })
      await expect(failed).rejects.toMatchObject({
        code: "conversion_failed",
        message: expect.stringContaining("(SIGKILL)")
      })
      isOver = true
      await killing
      expect(kills).toBe(3)
      expect((await converter.convert({ name: "b.txt", bytes: Buffer.from("still here") })).markdown).toBe(
        "still here"
      )
    } finally {
      await converter.close()
    }
  },
  120_000
)

it("a process whose conversion was interrupted is not alive, even while it is still dying", () =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const process = yield* startProcess(limits)
        expect(process.isAlive()).toBe(true)
        const running = yield* Effect.fork(
          process.run("convert", { name: "a.csv", bytes: new Uint8Array(rows) })
        )
        yield* Effect.sleep(50)
        yield* Fiber.interrupt(running)
        expect(process.isAlive()).toBe(false)
      })
    )
  ))
