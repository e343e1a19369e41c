import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { z } from "zod"
import { openPool } from "../../adapters/postgres/pool.js"
import { countEvent } from "../../core/platform/kernel/index.js"
import { serverMetrics } from "../../server/http/observe.js"
import { dropDatabase, makeMigrated } from "../support/postgres.js"
import { textOf } from "../support/tree.js"

const Board = z.object({
  panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })) }))
})
const census = [
  { kind: "extraction", status: "queued", jobs: 3, oldestAt: new Date(Date.now() - 60_000).toISOString() },
  { kind: "sync", status: "dead", jobs: 1, oldestAt: new Date().toISOString() }
] as const

it("the metrics have jobs and counts in the text format", async () => {
  await Effect.runPromise(countEvent("kanon_answers_total", { verdict: 'a "verdict"' }, 2))
  await Effect.runPromise(countEvent("kanon_model_cost_usd_total", {}, 0.25))
  const { text } = await serverMetrics(Effect.succeed(census)).read()
  expect(text).toContain('kanon_jobs{kind="extraction",status="queued"} 3')
  expect(text).toContain('kanon_jobs{kind="sync",status="dead"} 1')
  expect(text).toMatch(/kanon_jobs_oldest_waiting_seconds\{kind="extraction"\} (?:59|6\d)/)
  expect(text).toContain("kanon_jobs_readable 1")
  expect(text).toContain('kanon_answers_total{verdict="a \\"verdict\\""} 2')
  // Other tests of the process count too.
  expect(text).toMatch(/# TYPE kanon_model_cost_usd_total counter\nkanon_model_cost_usd_total \d+\.\d+\n/)
})

it("the metrics come without the jobs when the database does not answer", async () => {
  const { text } = await serverMetrics(Effect.die(new Error("away"))).read()
  expect(text).toContain("kanon_jobs_readable 0")
  expect(text).not.toMatch(/^kanon_jobs\{/mu)
})

it("the board and the alerts name metrics that there are", async () => {
  const { text } = await serverMetrics(Effect.succeed(census)).read()
  const known = new Set([...text.matchAll(/^# TYPE (\w+)/gmu)].map(([, name = ""]) => name))
  const board = Board.parse(JSON.parse(textOf("deploy/grafana-board.json")))
  const expressions = [
    ...board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...[...textOf("docs/server.md").matchAll(/^ +expr: (.+)$/gmu)].map(([, expr = ""]) => expr)
  ]
  expect(expressions.length).toBeGreaterThan(20)
  const named = expressions.flatMap((expr) => expr.match(/\b(?:kanon|nodejs|process)_\w+/gu) ?? [])
  expect(named.filter((name) => !known.has(name.replace(/_bucket$/u, "")))).toEqual([])
})

it("the metrics tell of the connections to Postgres while a pool is open", async () => {
  const database = await makeMigrated()
  const read = async () => (await serverMetrics(Effect.succeed(census)).read()).text
  const told = async (name: string) => Number(new RegExp(`^${name} (\\d+)$`, "mu").exec(await read())?.[1])
  await Effect.gen(function* () {
    const pool = yield* openPool(database, 1)
    yield* Effect.promise(async () => {
      const [inUse, idle] = ["in_use", "idle"].map(
        (state) => `kanon_database_connections\\{state="${state}"\\}`
      )
      const before = { inUse: await told(inUse ?? ""), waiting: await told("kanon_database_waiting") }
      expect(await told(idle ?? "")).toBeGreaterThanOrEqual(1)
      const client = await pool.connect()
      const second = pool.query("select 1")
      expect(await told(inUse ?? "")).toBe(before.inUse + 1)
      expect(await told("kanon_database_waiting")).toBe(before.waiting + 1)
      expect(await read()).toContain("# TYPE kanon_database_connections gauge")
      client.release()
      await second
    })
  }).pipe(Effect.scoped, Effect.runPromise)
  await dropDatabase(database)
})
