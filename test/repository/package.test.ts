import { spawnSync } from "node:child_process"
import { accessSync, constants, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"
import { describe, expect, inject, it } from "vitest"
import { builtIn } from "../support/built-note.js"
import { temporaryFolder } from "../support/folders.js"
import { root, textOf } from "../support/tree.js"

const consumer = inject("consumer")
const installed = join(consumer, "node_modules", "kanon")
const manifest = JSON.parse(textOf("package.json"))
const entries: ReadonlyArray<string> = Object.keys(manifest.exports)
  .filter((key) => key !== "./package.json")
  .map((key) => `kanon${key.slice(1)}`)

/** The files that importing these entries loads, as `package/path`; fails when the import does. */
const loadedBy = (...names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const recorder = pathToFileURL(join(root, "test", "support", "record-imports.mjs")).href
  const program = names.map((name) => `await import(${JSON.stringify(name)})`).join("\n")
  const result = spawnSync(
    process.execPath,
    ["--import", recorder, "--input-type=module", "--eval", program],
    { cwd: consumer, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 }
  )
  expect(result.status, result.stderr).toBe(0)
  const marker = "/node_modules/"
  return result.stdout
    .split("\n")
    .map((line) => line.replaceAll("\\", "/"))
    .flatMap((line) => (line.includes(marker) ? [line.slice(line.lastIndexOf(marker) + marker.length)] : []))
}

/** Modules that cost start-up time, or must not load before they are used. */
const heavy =
  /^(effect\/dist\/(esm|cjs)\/index\.js|@modelcontextprotocol\/|ai\/|@ai-sdk\/|@effect\/(cli|printer)\/|typescript\/|vitest\/|hnswlib-node\/)/

describe("the package", () => {
  it("compiles without a complaint", () => {
    expect(builtIn(consumer)?.succeeded).toBe(true)
  })

  it("holds every file that its exports name", () => {
    const targets = Object.values(manifest.exports).flatMap((target) =>
      typeof target === "string" ? [target] : Object.values(target ?? {})
    )
    expect(
      targets.filter((target) => typeof target !== "string" || !existsSync(join(installed, target)))
    ).toEqual([])
  })

  it("ships licence, notice, change log and read-me, and no test, bench or source", () => {
    for (const name of ["LICENSE", "NOTICE", "CHANGELOG.md", "README.md"]) {
      expect(existsSync(join(installed, name)), name).toBe(true)
    }
    for (const name of [
      "core",
      "adapters",
      "test",
      "bench",
      "demo",
      "dist/test/support",
      "dist/test/property"
    ]) {
      expect(existsSync(join(installed, name)), name).toBe(false)
    }
  })

  it("has a command that starts", () => {
    const command = join(installed, manifest.bin.kanon)
    accessSync(command, constants.X_OK)
    expect(readFileSync(command, "utf8").split("\n")[0]).toBe("#!/usr/bin/env node")
    const started = spawnSync(join(consumer, "node_modules", ".bin", "kanon"), ["--version"], {
      cwd: consumer,
      encoding: "utf8"
    })
    expect(started.status, started.stderr).toBe(0)
    expect(started.stdout).toContain(manifest.version)
  })

  it("shows a demo without the repository, in a folder that it makes once", () => {
    const folder = temporaryFolder("packed-demo")
    const kanon = (...words: ReadonlyArray<string>) =>
      spawnSync(process.execPath, [join(installed, manifest.bin.kanon), ...words], {
        cwd: folder,
        encoding: "utf8"
      })
    const shown = kanon("demo", "--json")
    expect(shown.status, shown.stderr).toBe(0)
    const { answers, documents } = JSON.parse(shown.stdout)
    expect(documents).toBeGreaterThan(50)
    expect(answers).toHaveLength(5)
    expect(answers[0].answer.answer).toContain("15 seconds")
    const more = kanon("ask", "Which decision superseded ADR-0003?", "--vault", "kanon-demo", "--json")
    expect(JSON.parse(more.stdout).claims.length).toBeGreaterThan(0)
    expect(kanon("demo").status).toBe(2)
  })

  // The contract kit registers tests, so it only loads within a test runner; the documentation's programs do that.
  it("lets every entry point be imported", () => {
    const imported = entries.filter((entry) => entry !== "kanon/contract" && !entry.endsWith(".css"))
    const loaded = loadedBy(...imported)
    const files = imported.map((entry) => manifest.exports[entry.replace("kanon", ".")].default)
    expect(files.filter((file) => !loaded.includes(file.replace(/^\./, "kanon")))).toEqual([])
    const style = join(installed, manifest.exports["./react/style.css"])
    expect(readFileSync(style, "utf8")).toContain("--kanon-")
  })

  it("loads nothing heavy with kanon and kanon/sqlite", () => {
    const loaded = loadedBy("kanon", "kanon/sqlite")
    expect(loaded).toContainEqual(expect.stringMatching(/^effect\/dist\/esm\/Effect\.js$/))
    expect(loaded.filter((file) => heavy.test(file))).toEqual([])
  })

  it("needs no database, model or file watcher for kanon alone", () => {
    const loaded = loadedBy("kanon")
    // A file costs about 2 ms: what comes in many small ones is bundled.
    expect(loaded.length).toBeLessThan(300)
    const modules = new Set(
      loaded.map((file) =>
        file
          .split("/")
          .slice(0, file.startsWith("@") ? 2 : 1)
          .join("/")
      )
    )
    expect([...modules].sort()).toEqual(["effect", "kanon"])
  })
})

describe("the client", () => {
  it("is bundled for browsers from the packed archive without any module of Node", async () => {
    const { metafile, outputFiles } = await build({
      stdin: { contents: 'export { createClient, replyOf } from "kanon/client"', resolveDir: consumer },
      bundle: true,
      format: "esm",
      platform: "browser",
      metafile: true,
      write: false
    })
    const [file] = outputFiles
    expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([])
    expect(file?.text).not.toMatch(/node:|createRequire|\bprocess\./)
    // It holds no schema library.
    expect(file?.contents.byteLength).toBeLessThan(40_000)
  })
})

describe("the install scripts of dependencies", () => {
  it("are each allowed or refused by name", () => {
    const { packages } = JSON.parse(textOf("package-lock.json"))
    const names = Object.keys(packages).filter((path) => packages[path].hasInstallScript === true)
    const asked = names.map((path) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length))
    const decided = manifest.allowScripts
    expect(asked.filter((name) => typeof decided[name] !== "boolean")).toEqual([])
    expect(Object.keys(decided).filter((name) => packages[`node_modules/${name}`] === undefined)).toEqual([])
  })
})
