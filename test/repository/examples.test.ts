import { copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, inject, it } from "vitest"
import { folderOf, run } from "../support/docs-run.js"
import { root } from "../support/tree.js"

const folder = join(root, "examples")
/** Programs that end with what they print. */
const programs = readdirSync(folder).flatMap((name) => {
  if (!name.endsWith(".mjs")) return []
  const [, promised] = readFileSync(join(folder, name), "utf8").split("// Prints:\n")
  return promised === undefined ? [] : [{ name, promised: promised.replace(/^\/\/ ?/gmu, "").trim() }]
})

it("are there, and short", () => {
  expect(programs.length).toBeGreaterThan(9)
  for (const { name } of programs)
    expect(readFileSync(join(folder, name), "utf8").split("\n").length, name).toBeLessThanOrEqual(60)
})

it.concurrent.each(programs)(
  "$name runs as it stands and prints what it says",
  async ({ name, promised }) => {
    expect(inject("consumer")).not.toBe("")
    const place = `example-${name.replace(/\.mjs$/u, "")}`
    mkdirSync(folderOf(place), { recursive: true })
    for (const file of [name, "vault.mjs"]) copyFileSync(join(folder, file), join(folderOf(place), file))
    const { status, stderr, stdout } = await run(place, process.execPath, [name])
    expect(status, `${stdout}\n${stderr}`).toBe(0)
    expect(stdout.trim()).toBe(promised)
  }
)
