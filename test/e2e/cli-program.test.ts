import { spawnSync } from "node:child_process"
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { temporaryFolder } from "../support/folders.js"

const folder = temporaryFolder("program")
const loader = pathToFileURL(join(process.cwd(), "dist", "server", "cli", "program.js")).href
const bin = join(process.cwd(), "dist", "bin")
const file = join(folder, "program.cjs")

/** Loads the program in a process of its own, as the command does, and gives what it printed. */
const load = (use = "test"): string => {
  const script = `import { loadProgram } from ${JSON.stringify(loader)}
    loadProgram(${JSON.stringify(file)}, ${JSON.stringify(use)}).main()`
  const { status, stderr, stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    encoding: "utf8"
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
  return stdout
}

const kept = () => readdirSync(folder).filter((name) => name !== "program.cjs")

beforeEach(() => {
  for (const name of kept()) rmSync(join(folder, name))
  writeFileSync(
    file,
    `(function (exports, require, module, __filename) {
    const { basename } = require("node:path")
    exports.main = () => {
      console.log(basename(__filename), "\\u00e9", /^\\u0153\\u2019\\u00df\\u4e0d$/u.test(String.fromCodePoint(0x153, 0x2019, 0xdf, 0x4e0d)))
    }
    return module.exports })`
  )
})

afterAll(() => {
  chmodSync(folder, 0o755)
})

describe("A program in one file", () => {
  const said = "program.cjs é true\n"

  it("is ASCII as the build writes it, which is how it is read", () => {
    const [program] = readdirSync(bin).filter((name) => name.endsWith(".cjs"))
    expect(readFileSync(join(bin, program ?? "")).every((byte) => byte < 0x80)).toBe(true)
  })

  it("is compiled once and kept, for each use of it", () => {
    expect(load()).toBe(said)
    const [first] = kept()
    expect(first).toMatch(/^program\.cjs\.\w+\.test\.cache$/)
    const compiled = readFileSync(join(folder, first ?? ""))
    expect(load()).toBe(said)
    expect(readFileSync(join(folder, first ?? "")).equals(compiled)).toBe(true)
    load("another")
    expect(kept()).toHaveLength(2)
  })

  it("is prepared without a word, and what was compiled with other settings of V8 is not taken for its own", () => {
    load()
    const [plain] = kept()
    const script = `import { compileLater, loadProgram } from ${JSON.stringify(loader)}
      compileLater()
      loadProgram(${JSON.stringify(file)}, "test").main()`
    const { stderr, stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
      encoding: "utf8"
    })
    expect({ stderr, stdout }).toEqual({ stderr: "", stdout: said })
    // Node 20 has the settings, and keeps its compiled code apart.
    const isSet = process.versions.v8.startsWith("11.")
    expect(kept()).toHaveLength(isSet ? 2 : 1)
    expect(kept()).toContain(plain)
  })

  it("runs whatever was kept: half of it, nothing, or something else; and keeps it anew", () => {
    load()
    const [name] = kept()
    const cache = join(folder, name ?? "")
    const whole = readFileSync(cache)
    for (const damaged of [
      whole.subarray(0, whole.length / 2),
      Buffer.alloc(0),
      Buffer.alloc(whole.length, 7)
    ]) {
      writeFileSync(cache, damaged)
      expect(load()).toBe(said)
      expect(readFileSync(cache).length).toBeGreaterThan(whole.length / 2)
      expect(readFileSync(cache).equals(damaged)).toBe(false)
    }
    expect(kept()).toEqual([name])
  })

  it("runs where nothing can be kept", () => {
    // A folder of that name stands where the file would go: that stops whoever may write everywhere too.
    load()
    const [name] = kept()
    rmSync(join(folder, name ?? ""))
    const inTheWay = join(folder, name ?? "")
    spawnSync("mkdir", [inTheWay])
    writeFileSync(join(inTheWay, "full"), "")
    try {
      expect(load()).toBe(said)
      expect(kept()).toEqual([name])
    } finally {
      rmSync(inTheWay, { recursive: true })
    }
  })
})
