import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterEach, describe, expect, it } from "vitest"
import type { createEngine } from "../../adapters/sqlite/index.js"
import { folder, write } from "../support/cli.js"
import { root } from "../support/tree.js"

const engineModule = pathToFileURL(join(root, "dist", "adapters", "sqlite", "index.js")).href
const built: { readonly createEngine: typeof createEngine } = await import(engineModule)

/** Permissions mean nothing to the administrator; then somebody else reads. */
const otherUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** Tries everything in a process that may not write. */
const reader = `
  const { createEngine } = await import(${JSON.stringify(engineModule)})
  const [, vault, data] = process.argv
  const engine = await createEngine({ vault, data })
  const { results } = await engine.search("clay")
  const { total } = await engine.documents.list()
  const { sources } = await engine.ask("How often is clay fired?")
  const checked = await engine.grounding.check("Clay is fired twice.")
  const refused = []
  for (const change of [
    () => engine.entities.create({ name: "Kiln", type: "thing" }),
    () => engine.relations.create({ srcEntityId: "x", dstEntityId: "y", type: "z" })
  ]) await change().then(() => refused.push("done"), ({ code }) => refused.push(code))
  await engine.close()
  console.log(JSON.stringify({ found: results.map(({ docPath }) => docPath), total, sources: sources.length > 0, verified: checked.groundedness.verified, refused }))`

const readAs = (vault: string, data: string) => {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    ["--input-type=module", "-e", reader, vault, data],
    { ...otherUser, encoding: "utf8", cwd: "/" }
  )
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
  return JSON.parse(stdout)
}

let locked = ""
const lock = (data: string) => {
  locked = data
  for (const name of readdirSync(data, { recursive: true, encoding: "utf8" }))
    chmodSync(join(data, name), 0o555)
  chmodSync(data, 0o555)
}
afterEach(() => {
  if (locked !== "") chmodSync(locked, 0o755)
})

const prepared = async () => {
  const base = folder()
  const [vault, data] = [join(base, "vault"), join(base, "data")]
  mkdirSync(vault)
  write(vault, { "pottery.md": "# On pottery\n\nClay is fired twice.\n" })
  for (const open of [base, vault]) chmodSync(open, 0o755)
  return { vault, data, engine: await built.createEngine({ vault, data }) }
}

const all = { found: ["pottery.md"], total: 1, sources: true, verified: 1 }

describe("a data folder that may not be written", () => {
  it("is searched, listed and asked, while changes are refused by name", async () => {
    const { data, engine, vault } = await prepared()
    await engine.ingest()
    await engine.close()
    lock(data)
    expect(readAs(vault, data)).toMatchObject({ ...all, refused: ["data_read_only", expect.any(String)] })
  })

  it("shows the writes of a process that may, while that one is at work", async () => {
    const { data, engine, vault } = await prepared()
    await engine.ingest()
    lock(data)
    expect(readAs(vault, data)).toMatchObject(all)
    await engine.documents.create({ path: "clay.md", content: "# Clay\n\nThe clay pit is shut.\n" })
    expect(readAs(vault, data)).toMatchObject({ total: 2, found: expect.arrayContaining(["clay.md"]) })
    await engine.close()
  })
})
