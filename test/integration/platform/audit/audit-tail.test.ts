import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import * as Logger from "effect/Logger"
import { describe, expect, it } from "vitest"
import { createEngine } from "../../../../adapters/sqlite/index.js"
import { temporaryFolder } from "../../../support/folders.js"

const root = temporaryFolder("audit-tail")

const open = (name: string, logger?: Logger.Logger<unknown, void>) =>
  createEngine({
    vault: join(root, name),
    data: join(root, name, "data"),
    worker: false,
    thread: false,
    ...(logger === undefined ? {} : { logger })
  })

const write = async (engine: Awaited<ReturnType<typeof open>>, from: number, to: number) => {
  for (let number = from; number < to; number++)
    await engine.entities.create({ name: `Person ${number}`, type: "person" })
}

/** A workspace whose database is set back to an earlier state, as after a lost write-ahead log. */
const withLostTail = async (name: string) => {
  mkdirSync(join(root, name))
  const data = join(root, name, "data")
  let engine = await open(name)
  await write(engine, 0, 5)
  await engine.close()
  cpSync(join(data, "kanon.sqlite"), join(root, `${name}.sqlite`))
  engine = await open(name)
  await write(engine, 5, 25)
  expect((await engine.audit.verify()).ok).toBe(true)
  await engine.close()
  for (const file of readdirSync(data)) if (file.startsWith("kanon.sqlite")) rmSync(join(data, file))
  cpSync(join(root, `${name}.sqlite`), join(data, "kanon.sqlite"))
  return { data, heads: join(data, "audit-heads") }
}

describe("the head of an audit trail beside the database", () => {
  it("shows that acknowledged writes are gone from its end, until a person accepts that", async () => {
    const { heads } = await withLostTail("lost")
    const engine = await open("lost")
    const { findings, ok } = await engine.audit.verify()
    expect(ok).toBe(false)
    expect(findings).toMatchObject([{ fault: "removed", count: 20, id: null }])
    const file = join(heads, engine.workspace.id)
    expect(findings[0]?.message).toContain(`remove that file`)
    expect(findings[0]?.message).toContain(file)
    const report = await engine.doctor()
    expect(report.findings.map(({ code }) => code)).toContain("audit_broken")
    // Later writes, even beyond the lost ones, do not hide it.
    await write(engine, 100, 130)
    expect((await engine.audit.verify()).findings).toMatchObject([{ fault: "removed" }])
    rmSync(file)
    expect((await engine.audit.verify()).ok).toBe(true)
    await write(engine, 130, 131)
    expect(existsSync(file)).toBe(true)
    expect((await engine.audit.verify()).ok).toBe(true)
    await engine.close()
  })

  it("is logged at the start when the database is older than it", async () => {
    await withLostTail("logged")
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    await (await open("logged", logger)).close()
    expect(lines.join("")).toMatch(
      /audit trail of the workspace ws_\w+ is damaged: 20 events at the end, .* are gone/
    )
  })

  it("may be behind, damaged in part or missing, since a crash can come between commit and head", async () => {
    const name = "behind"
    mkdirSync(join(root, name))
    let engine = await open(name)
    await write(engine, 0, 3)
    const file = join(root, name, "data", "audit-heads", engine.workspace.id)
    const early = readFileSync(file)
    await write(engine, 3, 9)
    writeFileSync(file, early)
    expect((await engine.audit.verify()).ok).toBe(true)
    await engine.close()
    let next = 9
    for (const bytes of [
      Buffer.concat([early.subarray(0, 60), Buffer.alloc(452)]),
      Buffer.from("torn"),
      null
    ]) {
      if (bytes === null) rmSync(file)
      else writeFileSync(file, bytes)
      engine = await open(name)
      expect((await engine.audit.verify()).ok).toBe(true)
      await write(engine, next, ++next)
      expect((await engine.audit.verify()).ok).toBe(true)
      await engine.close()
    }
  })

  it("is not moved by a unit of work that is rolled back", async () => {
    const name = "undone"
    mkdirSync(join(root, name))
    const engine = await open(name)
    await write(engine, 0, 2)
    const file = join(root, name, "data", "audit-heads", engine.workspace.id)
    const before = readFileSync(file, "utf8")
    await expect(engine.entities.create({ name: "Person 0", type: "person" })).rejects.toThrow()
    expect(readFileSync(file, "utf8")).toBe(before)
    await engine.close()
  })
})

describe("the data folder", () => {
  it.skipIf(process.platform === "win32")("is for its user alone, with all its files", async () => {
    const name = "private"
    mkdirSync(join(root, name))
    const data = join(root, name, "data")
    const umask = process.umask(0o022)
    try {
      const engine = await open(name)
      await write(engine, 0, 2)
      await engine.documents.create({ path: "a.md", content: "# A\n\nText.\n" })
      await engine.ingest()
      const wrong = readdirSync(data, { recursive: true, encoding: "utf8" }).filter((path) => {
        const { mode } = statSync(join(data, path))
        return (mode & 0o077) !== 0
      })
      expect(wrong).toEqual([])
      expect(statSync(data).mode & 0o777).toBe(0o700)
      await engine.close()
    } finally {
      process.umask(umask)
    }
  })
})
