import { spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { birthOf, isMarkGone, processMark } from "../../../../adapters/host/process-owner.js"
import { temporaryFolder } from "../../../../adapters/host/temporary-folder.js"
import { writeFileAtomically } from "../../../../server/cli/transfer.js"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kanon-left-"))
  vi.stubEnv("TMPDIR", folder)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

/** The marks of a process while it lives, and of the same after it was killed. */
const another = async (use: (mark: string) => Promise<void>, end: (mark: string) => Promise<void>) => {
  const child = spawn("sleep", ["600"])
  const ended = new Promise((resolve) => child.on("exit", resolve))
  const [host] = processMark.split("-")
  const mark = [host, child.pid, birthOf(child.pid ?? 0) ?? "0123456789ab"].join("-")
  try {
    await use(mark)
  } finally {
    child.kill("SIGKILL")
    await ended
  }
  await end(mark)
}

const filled = (name: string): string => {
  const made = join(folder, name)
  mkdirSync(made)
  writeFileSync(join(made, "export"), "everything")
  return made
}

describe("what a process that was killed leaves among temporary files", () => {
  it("goes when the next one makes such a folder, and not while that process lives", async () => {
    await another(
      async (mark) => {
        const theirs = filled(`kanon-import-${mark}-abcdef`)
        temporaryFolder("import")
        expect(existsSync(theirs)).toBe(true)
        expect(isMarkGone(mark)).toBe(false)
      },
      async (mark) => {
        expect(isMarkGone(mark)).toBe(true)
        temporaryFolder("import")
        expect(readdirSync(folder).every((name) => name.startsWith(`kanon-import-${processMark}-`))).toBe(
          true
        )
      }
    )
  })

  it.runIf(existsSync("/proc/self/stat"))(
    "goes, too, where nobody has asked how the process ended",
    async () => {
      const parent = spawn("sh", ["-c", "sleep 0.2 & echo $!; exec sleep 600"])
      try {
        const pid = await new Promise<number>((resolve) =>
          parent.stdout.once("data", (line) => resolve(Number(line)))
        )
        const mark = [processMark.split("-")[0], pid, birthOf(pid)].join("-")
        expect(isMarkGone(mark)).toBe(false)
        await vi.waitUntil(() => isMarkGone(mark), { timeout: 50_000, interval: 20 })
        expect(existsSync(`/proc/${pid}`)).toBe(true)
      } finally {
        parent.kill("SIGKILL")
      }
    }
  )

  it("stays where it is of another host, of another kind, no folder, or of no such name", () => {
    const [, ...gone] = [processMark.split("-")[0], "4194301", "0123456789ab"]
    const others = [
      `kanon-import-ffffffffffff-${gone.join("-")}-abcdef`,
      `kanon-read-${processMark.split("-")[0]}-${gone.join("-")}-abcdef`,
      "kanon-import-abcdef",
      "kanon-import-"
    ].map(filled)
    const outside = filled("outside")
    const link = join(folder, `kanon-import-${processMark.split("-")[0]}-${gone.join("-")}-abcdef`)
    symlinkSync(outside, link)
    temporaryFolder("import")
    for (const path of [...others, link, join(outside, "export")]) expect(existsSync(path)).toBe(true)
  })

  it("goes from beside the file that a command was writing when it writes it again", async () => {
    const file = join(folder, "out.ndjson")
    const write = () =>
      Effect.runPromise(
        writeFileAtomically(file, (write) => write(Buffer.from("all of it\n")).then(() => "done"))
      )
    const stray = (mark: string) => `${file}.${mark}.01234567.tmp`
    await another(
      async (mark) => {
        writeFileSync(stray(mark), "half")
        await write()
        expect(existsSync(stray(mark))).toBe(true)
      },
      async (mark) => {
        writeFileSync(join(folder, "out.ndjson.mine.tmp"), "somebody's")
        writeFileSync(join(folder, `other${basename(stray(mark))}`), "of another file")
        await write()
        expect(readdirSync(folder).sort()).toEqual(
          [`other${basename(stray(mark))}`, "out.ndjson", "out.ndjson.mine.tmp"].sort()
        )
      }
    )
  })
})
