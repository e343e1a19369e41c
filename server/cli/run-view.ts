import { createInterface } from "node:readline/promises"
import type { Engine } from "../../core/engine/engine/index.js"
import { KanonError } from "../../core/platform/kernel/index.js"
import type { RunEvent, RunStep } from "../../core/work/agent-runs/index.js"
import { paint, toJson } from "./terminal.js"
import { clean, cleanLine } from "./text.js"

/** Output for a run, and the prompt for decisions about waiting calls. */
export interface RunTerminal {
  readonly write: (text: string) => void
  /** Null where nobody can be asked. The answer is null when the input ended. */
  readonly ask: ((question: string) => Promise<string | null>) | null
}

/** The terminal of this process; nobody is asked where the standard input is no terminal. */
const processTerminal = (): RunTerminal => ({
  write: (text) => void process.stdout.write(text),
  ask: process.stdin.isTTY === true ? askOnStandardInput : null
})

const askOnStandardInput = async (question: string): Promise<string | null> => {
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const ended = new Promise<null>((resolve) => lines.once("close", () => resolve(null)))
  try {
    return await Promise.race([lines.question(question), ended])
  } finally {
    lines.close()
  }
}

/**
 * Shows a run until it ends or waits for a decision that nobody here makes: as lines of JSON, or for people. With `watch`
 * people are asked about waiting calls. Returns the last event.
 */
export const followRun = async (
  engine: Pick<Engine, "runs">,
  id: string,
  { json, watch }: { readonly json: boolean; readonly watch: boolean },
  { ask, write }: RunTerminal = processTerminal()
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
      if (json) write(`${toJson(event)}\n`)
      else if (watch || event.type === "final" || event.type === "suspended") write(`${lineOf(event)}\n`)
    }
    if (watch && !json) write(`${await totalsOf(engine, id)}\n`)
    if (last?.type !== "suspended" || json || !watch || ask === null) return last
    shown = place - 1
    if (!(await decideWith(ask, write, engine, id, last.approvalId))) return last
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

const totalsOf = async (engine: Pick<Engine, "runs">, id: string): Promise<string> => {
  const { run } = await engine.runs.get(id)
  return paint.dim(`${run.tokensIn + run.tokensOut} tokens, ${run.costUsd} USD`)
}

/** Shows a waiting call and asks until it is decided; false when the input ended before. */
const decideWith = async (
  ask: NonNullable<RunTerminal["ask"]>,
  write: RunTerminal["write"],
  engine: Pick<Engine, "runs">,
  id: string,
  approvalId: string
): Promise<boolean> => {
  const { steps } = await engine.runs.get(id)
  write(callText(steps.find(({ input }) => input?.["approvalId"] === approvalId)))
  for (;;) {
    const said = await ask("Allow? [y/n] ")
    if (said === null) return false
    const decision = /^y(es)?$/iu.test(said.trim()) ? "allow" : /^no?$/iu.test(said.trim()) ? "deny" : null
    if (decision === null) continue
    try {
      await engine.runs.decide(id, approvalId, decision)
      return true
    } catch (error) {
      if (!(error instanceof KanonError)) throw error
      write(`${paint.red(cleanLine(error.message))}\n`)
      // Somebody else decided; the stream tells how it went on.
      if (error.code === "not_open") return true
    }
  }
}

/** The reason, the exact arguments, and what they would change. */
const callText = (step: RunStep | undefined): string => {
  const { arguments: given = {}, preview, reason } = step?.input ?? {}
  const diff = typeof preview === "object" && preview !== null && "diff" in preview ? preview.diff : null
  return [
    ...(typeof reason === "string" ? [cleanLine(reason)] : []),
    clean(JSON.stringify(given, null, 2)),
    ...(typeof diff === "string" ? clean(diff).trimEnd().split("\n").map(painted) : []),
    ""
  ].join("\n")
}

const painted = (line: string): string =>
  line.startsWith("+") ? paint.green(line) : line.startsWith("-") ? paint.red(line) : line
