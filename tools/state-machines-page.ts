import { contradictionTable } from "../core/answers/contradictions/index.js"
import { verificationTable } from "../core/files/documents/index.js"
import { proposalTable } from "../core/files/proposals/index.js"
import { requestTable } from "../core/knowledge/curation/index.js"
import { authorityTable, lifecycleTable } from "../core/knowledge/entities/index.js"
import { faultCodes, type StateTable, type Step, stepOf, terminalOf } from "../core/platform/kernel/index.js"
import { runTable } from "../core/work/agent-runs/index.js"

type Table = StateTable<string, string>

const intro = `# The state machines

What an entity, a change request, the text of a document, a contradiction, a proposed document and a run of an agent can become. This page is printed from
the tables that the code follows (\`npm run generate\`); a step that stands in no table does not exist, and the tests
drive the engine against the same tables.

Every step of an entity is one version: one revision and one audit event, in the transaction that makes the change.
A step that changes nothing leaves none of them.`

/** docs/state-machines.md, from the tables. */
export const stateMachinesPage = (): string =>
  `${[intro, ...[authorityTable, lifecycleTable, requestTable, verificationTable, contradictionTable, proposalTable, runTable].map(section)].join("\n\n")}\n`

const section = (table: Table): string => {
  const terminal = terminalOf(table)
  return [
    `## ${table.name}`,
    `${titled("Begins as", table.initial)}${terminal.length === 0 ? "" : ` ${titled("Nothing leads out of", terminal)}`}`,
    diagram(table),
    rows(
      ["Trigger", "Meaning"],
      Object.entries(table.triggers).map(([trigger, meaning]) => [code(trigger), meaning])
    ),
    rows(
      ["From", "Trigger", "To", "Condition", "Else", "Also"],
      grouped(table.steps).map(([from, { also, changes, on, otherwise, to, when }]) => [
        from.length === table.states.length ? "any" : from.map(code).join(", "),
        code(on),
        code(to),
        when ?? "",
        otherwise ?? "",
        also ?? (changes === false ? "Nothing changes." : "")
      ])
    ),
    refusals(table)
  ].join("\n\n")
}

const titled = (title: string, states: ReadonlyArray<string>): string =>
  `${title} ${states.map(code).join(", ")}.`

const code = (word: string): string => `\`${word}\``

/** Steps that differ in nothing but where they begin are one row. */
const grouped = (
  steps: Table["steps"]
): ReadonlyArray<readonly [ReadonlyArray<string>, Table["steps"][number]]> => {
  const found = new Map<string, readonly [Array<string>, Step<string, string>]>()
  for (const { from, ...rest } of steps) {
    const key = JSON.stringify(rest)
    const group = found.get(key)
    if (group === undefined) found.set(key, [[from], { from, ...rest }])
    else group[0].push(from)
  }
  return [...found.values()]
}

/** One arrow for each pair of states, with the triggers that take it; what changes nothing is left out. */
const diagram = ({ initial, states, steps }: Table): string => {
  const arrows = states.flatMap((from) =>
    states.flatMap((to) => {
      const triggers = steps
        .filter((step) => step.from === from && step.to === to && step.changes !== false)
        .map(({ on }) => on)
      return triggers.length === 0 ? [] : [`  ${from} --> ${to} : ${triggers.join(", ")}`]
    })
  )
  return [
    "```mermaid",
    "stateDiagram-v2",
    ...initial.map((state) => `  [*] --> ${state}`),
    ...arrows,
    "```"
  ].join("\n")
}

const refusals = (table: Table): string => {
  const { refusedWith, states, triggers } = table
  const refused = states.flatMap((from) => {
    const none = Object.keys(triggers).filter((trigger) => stepOf(table, from, trigger) === null)
    return none.length === 0 ? [] : [[code(from), none.map(code).join(", ")]]
  })
  if (refused.length === 0) return "Nothing is refused: every state knows every trigger."
  const answer = refusedWith === undefined ? "" : ` with 409 ${code(faultCodes[refusedWith])}`
  return `Refused${answer}:\n\n${rows(["From", "Trigger"], refused)}`
}

const rows = (head: ReadonlyArray<string>, body: ReadonlyArray<ReadonlyArray<string>>): string => {
  const used = head.map((_, column) => body.some((cells) => cells[column] !== ""))
  const line = (cells: ReadonlyArray<string>): string =>
    `| ${cells.filter((_, at) => used[at]).join(" | ")} |`
  const rule = `|${used.map((isUsed) => (isUsed ? "---|" : "")).join("")}`
  return [line(head), rule, ...body.map(line)].join("\n")
}
