import { setTimeout } from "node:timers/promises"
import { expect, it } from "vitest"
import { scriptedAgentModel } from "../../../../adapters/models/scripted.js"
import { createEngine } from "../../../../adapters/sqlite/index.js"
import { isTerminalEvent, type RunEvent } from "../../../../core/work/agent-runs/index.js"
import { temporaryFolder } from "../../../support/folders.js"
import { isLong } from "../../../support/runs.js"

const [watchers, runs] = isLong ? [1_000, 50] : [100, 5]
const folder = temporaryFolder("watchers")

/** Three rounds of a call, so that a run has some length; the model waits a little, so that watchers come meanwhile. */
const chat = scriptedAgentModel(async (turn) => {
  await setTimeout(5)
  return turn < 3 ? { calls: [{ name: "svc_search", arguments: { q: `round ${turn}` } }] } : "Done."
})

it(`${watchers} watchers of ${runs} runs each see every step and exactly one end`, async () => {
  const engine = await createEngine({ vault: folder, data: ":memory:", models: { chat } })
  await engine.updateWorkspace({ caps: { activeRuns: runs } })
  await engine.agents.put("walker", {
    name: "Walker",
    instructions: "Walk.",
    tools: [{ name: "svc_search" }]
  })
  const seen: Array<Promise<{ readonly id: string; readonly events: ReadonlyArray<RunEvent> }>> = []
  const watch = async (id: string) => {
    const events: Array<RunEvent> = []
    for await (const event of engine.runs.events(id)) events.push(event)
    return { id, events }
  }
  for (let run = 0; run < runs; run++) {
    const { runId } = await engine.runs.start("walker", `Go ${run}.`)
    // Some watch from the beginning, the others come while runs are under way or have ended.
    for (let one = 0; one < watchers / runs; one++)
      seen.push(one % 2 === 0 ? watch(runId) : setTimeout(one * 3).then(() => watch(runId)))
  }
  const whole = [
    "model_call",
    "tool_call",
    "model_call",
    "tool_call",
    "model_call",
    "tool_call",
    "model_call"
  ]
  for (const { events } of await Promise.all(seen)) {
    expect(events.map(({ type }) => type)).toEqual([...whole, "final"])
    expect(events.filter(isTerminalEvent)).toHaveLength(1)
  }
  await engine.close()
})
