import { randomBytes } from "node:crypto"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { kanon, shell, vault } from "../support/cli.js"
import { isLong } from "../support/runs.js"

const credential = "sk-VeryPrivate-0123456789abcdef"

describe("settings on the command line", () => {
  const notes = vault({ "one.md": "# One\n" })
  const run = (args: ReadonlyArray<string>, input?: string, env = {}) =>
    kanon(args, { cwd: notes, env, ...(input === undefined ? {} : { input }) })
  const json = (args: ReadonlyArray<string>, input?: string) =>
    JSON.parse(run([...args, "--json"], input).stdout)
  const keyFile = join(notes, ".kanon", "secret.key")

  it("are shown and changed one by one, each with its revision", () => {
    expect(run(["init"]).status).toBe(0)
    expect(statSync(keyFile).mode & 0o777).toBe(0o600)
    expect(json(["settings", "set", "name", "2026"])).toEqual({ setting: "name", value: "2026", revision: 2 })
    expect(json(["settings", "set", "retention.answerDays", "30"])).toMatchObject({ value: 30, revision: 3 })
    expect(json(["settings", "get", "retention.answerDays"])).toMatchObject({ value: 30, revision: 3 })
    expect(run(["settings", "get", "caps"]).stdout).toBe(
      "caps.agentSpendUsd  100\ncaps.activeRuns  8\ncaps.dataRows  1000\ncaps.dataBytes  5242880\ncaps.dataTimeoutMs  10000\n"
    )
  })

  it("that are none, or out of bounds, are refused and change nothing", () => {
    for (const [name, value] of [
      ["retention.nothing", "1"],
      ["chunking.maxChars", "500"],
      ["retention.answerDays", "many"],
      ["models.chat", '{"provider":"nobody","model":"x"}']
    ] as const)
      expect(run(["settings", "set", name, value]).status, name).toBe(2)
    expect(run(["settings", "get", "nothing"]).status).toBe(2)
    for (const name of ["nothing", "retrieval.rrfK", "__proto__.x"]) {
      const refused = run(["settings", "set", name, "1"])
      expect([refused.status, refused.stderr]).toEqual([
        2,
        expect.stringContaining("There is no setting to change")
      ])
    }
    expect(json(["settings", "get"]).revision).toBe(3)
  })

  it("take a credential from the standard input, show that there is one, and seal it anew", () => {
    run(["settings", "set", "models.chat", '{"provider":"anthropic","model":"claude-haiku-4-5"}'])
    const set = run(["settings", "set", "models.chat.credential", "-", "--json"], `${credential}\n`)
    expect(JSON.parse(set.stdout)).toMatchObject({ value: "set" })
    const shown = run(["settings", "get", "models.chat", "--json"])
    expect(JSON.parse(shown.stdout).value).toMatchObject({ provider: "anthropic", hasCredential: true })
    const key = readFileSync(keyFile, "utf8")
    expect(json(["secrets", "rotate"])).toEqual({ secrets: 1, resealed: 1 })
    expect(readFileSync(keyFile, "utf8")).not.toBe(key)
    expect(existsSync(`${keyFile}.tmp`)).toBe(false)
    const said = [set, shown].map(({ stderr, stdout }) => stdout + stderr).join("")
    expect(said).not.toContain(credential)
  })

  it("are sealed anew by several at once, and open still", () => {
    const together = "for n in 1 2 3 4; do kanon secrets rotate & done; wait"
    for (let round = 0; round < (isLong ? 2 : 1); round++) {
      const { stderr, stdout } = shell(together, { cwd: notes })
      expect([stdout.match(/of 1 credentials sealed again/g)?.length, stderr]).toEqual([4, ""])
    }
    expect(json(["secrets", "rotate"])).toEqual({ secrets: 1, resealed: 1 })
    expect(readFileSync(keyFile, "utf8").trim().split("\n")).toHaveLength(1)
  })

  it("that cannot be opened stay as they are, and no try to seal them anew leaves a key more", () => {
    const key = readFileSync(keyFile, "utf8")
    writeFileSync(keyFile, `${randomBytes(32).toString("base64url")}\n`)
    for (let time = 0; time < 2; time++) expect(run(["secrets", "rotate"]).status).toBe(1)
    expect(readFileSync(keyFile, "utf8").trim().split("\n")).toHaveLength(1)
    writeFileSync(keyFile, key)
    expect(json(["secrets", "rotate"])).toEqual({ secrets: 1, resealed: 1 })
  })
})
