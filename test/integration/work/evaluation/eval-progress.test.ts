import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, expect, it } from "vitest"
import { createEngine } from "../../../../adapters/sqlite/index.js"
import { operations } from "../../../../core/operations.js"
import { temporaryFolder } from "../../../support/folders.js"
import { root } from "../../../support/tree.js"

const folder = temporaryFolder("eval-progress")
const vault = join(folder, "vault")
const topics = 400

beforeAll(async () => {
  mkdirSync(vault)
  const engine = await createEngine({ vault, data: join(vault, ".kanon") })
  const docs: Array<string> = []
  for (let at = 0; at < 8; at += 1) {
    const content = `# Quay ${at}\n\nThe quay number ${at} is painted green, and its crane lifts ${at + 30} tonnes.\n`
    docs.push((await engine.documents.create({ path: `quay-${at}.md`, content })).docId)
  }
  await engine.call(operations.putQrels, {
    judgments: Array.from({ length: topics }, (_, at) => ({
      set: "quays",
      queryId: `q${at}`,
      query: `How much does the crane of quay number ${at % 8} lift, asked ${at} times?`,
      docId: docs[at % 8] ?? "",
      grade: 3
    }))
  })
  await engine.close()
})

/** Runs the command with a standard error that says that it is a terminal, or not. */
const run = (isTerminal: boolean) =>
  spawnSync(
    process.execPath,
    [
      ...["--import", "tsx"],
      ...["--import", `data:text/javascript,process.stderr.isTTY=${isTerminal}`],
      join(root, "server", "cli", "main.ts"),
      ...["eval", "run", "--set", "quays", "--vault", vault]
    ],
    { cwd: root, encoding: "utf8", env: { ...process.env, TERM: "xterm", CI: "" } }
  )

it("an evaluation shows how many topics are done on a terminal, and leaves the terminal as it was", () => {
  const { status, stderr, stdout } = run(true)
  expect(status, stderr).toBe(0)
  expect(stdout).toContain("ndcg@10")
  expect(stderr).toMatch(new RegExp(`\\d+/${topics}`))
  expect(stderr.lastIndexOf("\u001b[?25h")).toBeGreaterThan(stderr.lastIndexOf("\u001b[?25l"))
})

it("an evaluation shows no bar where nobody watches", () => {
  const { status, stderr } = run(false)
  expect(status, stderr).toBe(0)
  expect(stderr).not.toMatch(/\u001b|\d+\/400/)
})
