import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { bundled } from "../../../support/bundled.js"
import { temporaryFolder } from "../../../support/folders.js"
import { indexInHalves } from "../../../support/index-in-halves.js"
import { sampled } from "../../../support/runs.js"

const Told = z.object({ found: z.array(z.array(z.int())), said: z.array(z.string()) })
const child = await bundled("index-child")
afterAll(() => child.drop())

/** Returns the report of a process whose files are limited to this size in KiB; writes beyond it come up short. */
const limitedTo = async (kib: number, folder: string) => {
  const command = `ulimit -f ${kib}; exec "$0" "$1" "$2"`
  const { stdout } = await promisify(execFile)("bash", ["-c", command, process.execPath, child.file, folder])
  return Told.parse(JSON.parse(stdout))
}

describe("a vector index whose files come up short", () => {
  const root = temporaryFolder("short")
  let whole: Awaited<ReturnType<typeof indexInHalves>>
  beforeAll(async () => {
    whole = await indexInHalves(join(root, "whole"))
  })

  it("is whole where they do not", () => {
    expect(whole.said).toEqual([])
    expect(whole.found.map((labels) => labels.length)).toEqual([10, 10])
  })

  // The library's file of the first half has some 83 KiB, that of all 167; the upper levels are the last 4 and 7.
  it.each(
    sampled(
      [
        [40, 2],
        [80, 2],
        [82, 2],
        [100, 1],
        [161, 1],
        [166, 1]
      ] as const,
      3
    )
  )("at %i KiB is not put in place, and searches find the same", async (kib, failures) => {
    const folder = join(root, `${kib}`)
    const { found, said } = await limitedTo(kib, folder)
    expect(found).toEqual(whole.found)
    const cutOff = "The vector index could not be built; searches go without. Error: The graph is cut off."
    expect(said).toEqual(Array(failures).fill(cutOff))
    expect(readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith(".tmp"))).toEqual(
      []
    )
    expect(await indexInHalves(folder)).toEqual(whole)
  })
})
