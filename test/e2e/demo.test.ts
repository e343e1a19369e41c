import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { root, textOf } from "../support/tree.js"

describe("the demo", () => {
  it("asks its five questions, invents nothing and ends well", () => {
    const { CI: _, ...env } = process.env
    const result = spawnSync(process.execPath, ["--import", "tsx", join("demo", "run.ts")], {
      cwd: root,
      encoding: "utf8",
      env: { ...env, NO_COLOR: "1" }
    })
    expect(result.status, `${result.stdout}\n${result.stderr}`).toBe(0)
    const questions: ReadonlyArray<{ readonly question: string; readonly demo?: boolean }> = JSON.parse(
      textOf("demo/questions.json")
    )
    const asked = questions.filter(({ demo }) => demo === true)
    expect(asked).toHaveLength(5)
    for (const { question } of asked) expect(result.stdout).toContain(question)
    expect(result.stdout.match(/statements? found in what (it|they) cites?/g)?.length).toBe(4)
    expect(result.stdout.match(/^No answer found$/gm)).toHaveLength(1)
  })
})
