import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { z } from "zod"
import { countEvent } from "../../core/kernel/index.js"
import { serverMetrics } from "../../server/http/observe.js"
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
