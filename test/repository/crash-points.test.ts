import { spawnSync } from "node:child_process"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "vitest"
import { crashPoints } from "../../core/platform/kernel/index.js"
import { bundled } from "../support/bundled.js"
import { root, sourceFiles, textOf } from "../support/tree.js"

/** Names as the sources write them; a part that is filled in, such as `document.${kind}.done`, stands for any. */
const visited = sourceFiles()
  .filter((path) => /^(core|adapters|server)\//.test(path))
  .flatMap((path) =>
    [...textOf(path).matchAll(/\b(?:visitC|c)rashPoint\(\s*["`]([^"`]+)["`]\s*\)/g)].map(
      ([, name = ""]) => name
    )
  )
  // Names that go through a parameter.
  .concat(
    [...textOf("core/knowledge/extraction/extract.ts").matchAll(/"(extraction\.[a-z]+\.afterUnit)"/g)].map(
      ([, name = ""]) => name
    )
  )
const fits = (written: string, name: string): boolean =>
  new RegExp(`^${written.replace(/[.]/g, "\\.").replace(/\$\{[^}]+\}/g, "[a-z]+")}$`).test(name)

describe("crash points", () => {
  it("stand in the sources, each one that is listed", () => {
    const listed = Object.keys(crashPoints)
    expect(visited.length).toBeGreaterThan(0)
    expect(listed.filter((name) => !visited.some((written) => fits(written, name)))).toEqual([])
    expect(visited.filter((written) => !listed.some((name) => fits(written, name)))).toEqual([])
  })

  it("are listed by one command, each with a sentence of its own", () => {
    const npm = process.platform === "win32" ? "npm.cmd" : "npm"
    const { status, stdout } = spawnSync(npm, ["run", "--silent", "crash-points"], {
      cwd: root,
      encoding: "utf8"
    })
    expect(status).toBe(0)
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => line.split(/ {2,}/))
    ).toEqual(Object.entries(crashPoints))
    expect(new Set(Object.values(crashPoints)).size).toBe(Object.keys(crashPoints).length)
  })

  it("kill nothing unless both variables are set, and no process that names one that is not there", async ({
    onTestFinished
  }) => {
    const points = await bundled("adapters/host/crash-points")
    onTestFinished(points.drop)
    const program = `
      const { visitCrashPoint } = await import(${JSON.stringify(pathToFileURL(points.file).href)})
      for (const visit of [1, 2]) {
        visitCrashPoint("document.write.afterTransaction")
        visitCrashPoint("document.write.afterStage")
        console.log("lived through " + visit)
      }`
    const run = (env: Readonly<Record<string, string>>) => {
      const { KANON_TEST: _, ...others } = process.env
      const ran = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
        cwd: root,
        encoding: "utf8",
        env: { ...others, ...env }
      })
      return { signal: ran.signal, lived: ran.stdout.split("lived").length - 1, stderr: ran.stderr }
    }
    const at = "document.write.afterTransaction"
    expect(run({ KANON_CRASH_AT: at })).toMatchObject({ signal: null, lived: 2 })
    expect(run({ KANON_TEST: "1" })).toMatchObject({ signal: null, lived: 2 })
    expect(run({ KANON_TEST: "1", KANON_CRASH_AT: at })).toMatchObject({ signal: "SIGKILL", lived: 0 })
    expect(run({ KANON_TEST: "1", KANON_CRASH_AT: `${at}:2` })).toMatchObject({ signal: "SIGKILL", lived: 1 })
    const unknown = run({ KANON_TEST: "1", KANON_CRASH_AT: "document.wrote" })
    expect(unknown.stderr).toContain("There is no crash point document.wrote.")
    expect(unknown).toMatchObject({ signal: null, lived: 0 })
  })
})
