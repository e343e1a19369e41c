import { spawn } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { CrashPointName } from "../../../../core/platform/kernel/index.js"
import { bundled } from "../../../support/bundled.js"
import { temporaryFolder } from "../../../support/folders.js"
import { dropDatabase, makeMigrated } from "../../../support/postgres.js"
import { isLong } from "../../../support/runs.js"

/** Moments of a run, and how often each is visited in one of ten calls. */
const points: ReadonlyArray<readonly [CrashPointName, number]> = [
  ["run.start.insideTransaction", 1],
  ["run.claim.afterTransaction", 1],
  ["run.step.insideTransaction", 26],
  ["run.step.afterTransaction", 26],
  ["run.call.afterWork", 10],
  ["run.model.afterReply", 5],
  ["run.end.insideTransaction", 1]
]
const decided: ReadonlyArray<readonly [CrashPointName, number]> = [
  ["run.decide.insideTransaction", 1],
  ["run.decide.insideTransaction", 2]
]
const positions = points.flatMap(([name, visits]) =>
  Array.from({ length: visits }, (_, visit) => [name, visit + 1] as const)
)
/** A short run of the tests kills at some of them, each time others. */
const some = isLong
  ? positions
  : positions.filter(
      (_, place) => (place * 7 + new Date().getMinutes()) % Math.ceil(positions.length / 6) === 0
    )

const undisturbed = {
  status: "succeeded",
  text: "All is written.",
  created: 2,
  documents: ["first.md 1", "second.md 1"],
  open: 0
}

describe.each(["SQLite", "Postgres"])("a killed worker on %s", (name) => {
  let child: Awaited<ReturnType<typeof bundled>>
  const databases: Array<string> = []
  beforeAll(async () => {
    child = await bundled("agent-child")
  })
  afterAll(async () => {
    child.drop()
    for (const database of databases) await dropDatabase(database)
  })

  const start = async (
    vault: string,
    database: string | null,
    crashAt: string | null,
    more: Readonly<Record<string, string>> = {}
  ) => {
    const crashes = crashAt === null ? {} : { KANON_TEST: "1", KANON_CRASH_AT: crashAt }
    const process_ = spawn(process.execPath, [child.file, vault, ...(database === null ? [] : [database])], {
      env: { ...process.env, ...crashes, ...more },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const [signal, out, err] = await Promise.all([
      new Promise<string | null>((resolve) => process_.once("close", (_code, by) => resolve(by))),
      text(process_.stdout),
      text(process_.stderr)
    ])
    return { signal, out, err }
  }

  const place = async () => {
    const folder = temporaryFolder("agent-kill")
    const vault = join(folder, "vault")
    mkdirSync(vault)
    const database = name === "SQLite" ? null : await makeMigrated()
    if (database !== null) databases.push(database)
    return { vault, database }
  }

  it.each(some)(`at %s, visit %i, leaves a run that ends as if it had not been`, async (point, visit) => {
    const { database, vault } = await place()
    const killed = await start(vault, database, `${point}:${visit}`)
    expect([killed.signal, killed.err.slice(-2000)]).toEqual(["SIGKILL", expect.any(String)])
    const { err, out } = await start(vault, database, null)
    expect(out, err).not.toBe("")
    const outcome = outcomeIn(out)
    expect(outcome).toMatchObject(undisturbed)
    expect(outcome.calls).toHaveLength(10)
  })

  it.each(isLong ? decided : decided.slice(1))(
    `at %s, visit %i, leaves the approval open, and the decision is made once`,
    async (point, visit) => {
      const { database, vault } = await place()
      const approves = { KANON_TEST_APPROVE: "1" }
      const killed = await start(vault, database, `${point}:${visit}`, approves)
      expect([killed.signal, killed.err.slice(-2000)]).toEqual(["SIGKILL", expect.any(String)])
      const { err, out } = await start(vault, database, null, approves)
      expect(out, err).not.toBe("")
      expect(outcomeIn(out)).toMatchObject({ ...undisturbed, decisions: 2 })
    }
  )
})

const outcomeIn = (out: string) => JSON.parse(out.trim().split("\n").at(-1) ?? "")
