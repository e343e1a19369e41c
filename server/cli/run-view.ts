import { createInterface } from "node:readline/promises"
import type { RunEvent } from "../../core/agents/index.js"
import type { Engine } from "../../core/engine/index.js"
import { paint, toJson } from "./terminal.js"
import { clean, cleanLine } from "./text.js"

/**
 * Shows a run until it ends: as lines of JSON, or for people, who are asked about waiting calls on a terminal. Gives the
 * last event.
 */
export const followRun = async (
  engine: Engine,
  id: string,
  { json, watch }: { readonly json: boolean; readonly watch: boolean }
): Promise<RunEvent | undefined> => {
  let last: RunEvent | undefined
  let shown = 0
  for (;;) {
    let place = 0
    for await (const event of engine.runs.events(id)) {
      last = event
      place += 1
      // A stream begins anew after a decision: what was shown is not shown again.
      const isNew = place > shown || event.type === "final"
      if (!isNew) continue
      if (json) process.stdout.write(`${toJson(event)}\n`)
      else if (watch || event.type === "final" || event.type === "suspended")
        process.stdout.write(`${lineOf(event)}\n`)
    }
    if (last?.type !== "suspended" || json || !watch || process.stdin.isTTY !== true) return last
    shown = place - 1
    await askPerson(engine, id, last.approvalId)
  }
}

const lineOf = (event: RunEvent): string => {
  switch (event.type) {
    case "model_call":
      return paint.dim(`model  ${event.textLength} characters, ${event.toolCalls} calls`)
    case "tool_call":
      return `${event.ok ? paint.green("tool") : paint.red("tool")}   ${cleanLine(event.name)}`
    case "suspended":
      return `${paint.yellow("waits")}  ${cleanLine(event.toolName)}  ${event.approvalId}`
    case "final":
      return event.text === null ? paint.red(event.status) : clean(event.text)
    case "error":
      return paint.red(cleanLine(event.message))
  }
}

const askPerson = async (engine: Engine, id: string, approvalId: string): Promise<void> => {
  const { steps } = await engine.runs.get(id)
  const step = steps.find(({ input }) => input?.["approvalId"] === approvalId)
  const preview = step?.input?.["preview"]
  const diff = typeof preview === "object" && preview !== null && "diff" in preview ? preview.diff : null
  process.stdout.write(`${clean(JSON.stringify(step?.input?.["arguments"] ?? {}, null, 2))}\n`)
  if (typeof diff === "string")
    for (const line of clean(diff).split("\n"))
      process.stdout.write(
        `${line.startsWith("+") ? paint.green(line) : line.startsWith("-") ? paint.red(line) : line}\n`
      )
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const said = await terminal.question("Allow? [y/N] ")
  terminal.close()
  await engine.runs.decide(id, approvalId, /^y(es)?$/i.test(said.trim()) ? "allow" : "deny")
}
