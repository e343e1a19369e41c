import type { ScriptedTurn } from "../../adapters/models/scripted.js"
import { ModelFailed } from "../../core/platform/models/index.js"
import type { ToolSpec } from "../../core/work/agent-runs/index.js"
import type { Random } from "../simulation/index.js"

const specOf = (
  name: string,
  kind: ToolSpec["kind"],
  effect: ToolSpec["effect"],
  approval: ToolSpec["approval"]
): ToolSpec => ({
  name,
  kind,
  effect,
  approval,
  scopes: [],
  description: name,
  inputSchema: { type: "object" }
})

/** Tools of each effect and approval. */
export const toolSpecs: ReadonlyArray<ToolSpec> = [
  specOf("read", "operation", "read_only", "never"),
  specOf("note", "operation", "write", "never"),
  specOf("guarded", "operation", "write", "always"),
  specOf("mail", "function", "write", "never")
]

/** The conversation that a seed makes: what the model says in each turn. */
export const conversationOf = (random: Random): ReadonlyArray<ScriptedTurn> => {
  const turns: Array<ScriptedTurn> = []
  let serial = 0
  for (let turn = 0; turn < 1 + random.below(5); turn++) {
    const calls = Array.from({ length: 1 + random.below(3) }, () => ({
      name: random.pick(["read", "read", "note", "guarded", "mail", "nothing"]),
      arguments: { serial: serial++ }
    }))
    turns.push({ text: random.chance(0.5) ? `Turn ${turn}.` : "", calls })
  }
  const last = random.next()
  turns.push(
    last < 0.1
      ? ""
      : last < 0.15
        ? new ModelFailed({ modelId: "m", message: "down", retryable: false })
        : "The end."
  )
  return turns
}
