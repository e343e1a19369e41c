import { execFileSync } from "node:child_process"
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { open, readFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { beforeEach, describe, expect, it } from "vitest"
import { writeFileAtomically } from "../../../server/cli/transfer.js"
import { temporaryFolder } from "../../support/folders.js"

let folder: string
beforeEach(() => {
  folder = temporaryFolder("out")
})

const pieces = ["one\n", "x".repeat(300_000), "\nlast\n"]
const text = pieces.join("")

/** Writes the pieces as an export does; a failure as its code and message. */
const written = (file: string, work: (place: number) => void = () => undefined) =>
  Effect.runPromise(
    writeFileAtomically(file, async (write) => {
      for (const [place, piece] of pieces.entries()) {
        work(place)
        await write(Buffer.from(piece))
      }
      return "done"
    }).pipe(Effect.catchAll(({ code, message }) => Effect.succeed(`${code} ${message}`)))
  )

describe("a file that a command writes", () => {
  it("takes the place of one of its name, in folders that it makes, and leaves nothing beside it", async () => {
    const file = join(folder, "deep", "er", "out.ndjson")
    expect(await written(file)).toBe("done")
    expect(await written(file)).toBe("done")
    expect(readFileSync(file, "utf8")).toBe(text)
    expect(readdirSync(join(folder, "deep", "er"))).toEqual(["out.ndjson"])
  })

  it("is as it was, with nothing beside it, where the work fails on the way", async () => {
    const file = join(folder, "out.ndjson")
    writeFileSync(file, "before")
    const failed = await written(file, (place) => {
      if (place === 2) throw new Error("no more")
    })
    expect(failed).toBe("internal no more")
    expect(readFileSync(file, "utf8")).toBe("before")
    expect(readdirSync(folder)).toEqual(["out.ndjson"])
  })

  it("is the one that a link leads to, and the link stays one", async () => {
    mkdirSync(join(folder, "there"))
    writeFileSync(join(folder, "there", "out.ndjson"), "before")
    symlinkSync(join("there", "out.ndjson"), join(folder, "link"))
    expect(await written(join(folder, "link"))).toBe("done")
    expect(readlinkSync(join(folder, "link"))).toBe(join("there", "out.ndjson"))
    expect(readFileSync(join(folder, "there", "out.ndjson"), "utf8")).toBe(text)
  })

  it("is a pipe where there is one, not a file in its place", async () => {
    const pipe = join(folder, "pipe")
    execFileSync("mkfifo", [pipe])
    const [got, done] = await Promise.all([readFile(pipe, "utf8"), written(pipe)])
    expect([got === text, done, lstatSync(pipe).isFIFO()]).toEqual([true, "done", true])
  })

  it("cannot be a folder", async () => {
    expect(await written(folder)).toBe(`file_unavailable ${folder} cannot be written: it is a folder`)
  })

  it("is told to be unwritable where that shows on the way", async () => {
    const pipe = join(folder, "pipe")
    execFileSync("mkfifo", [pipe])
    const leaving = open(pipe, "r").then((reader) => reader.close())
    expect(await written(pipe)).toMatch(/^file_unavailable \S+ cannot be written: EPIPE/)
    await leaving
  })
})
