import type { ExplainedDecision } from "../../core/answers/answering/index.js"
import type { PolicyStats } from "../../core/answers/policy/index.js"
import { operations } from "../../core/operations.js"
import { group, operationCommand } from "./command.js"
import { showExplanation } from "./explain.js"
import { factLines, tableOf, timeOf } from "./tables.js"
import { paint } from "./terminal.js"
import { cleanLine, counted } from "./text.js"

/** Characters of a question that a list shows; `kanon decisions show` has all of it. */
const questionShownMax = 160

const list = operationCommand("list", operations.listPolicyDecisions, {
  description: "List what the gate decided, newest first.",
  flags: {
    mode: { choices: ["shadow", "enforce"], description: "Only in this mode." },
    docId: { name: "document" }
  },
  print: ({ items, total }) =>
    items.length === 0
      ? "No decisions."
      : [
          tableOf(
            items,
            [
              ["time (UTC)", ({ decidedAt }) => timeOf(decidedAt)],
              "verdict",
              ["confidence", ({ confidence }) => confidence.toFixed(2)],
              "mode",
              ["question", ({ question }) => shorten(cleanLine(question ?? "(not kept)"))],
              "id"
            ],
            {
              shrink: ["question"],
              paint: { "time (UTC)": paint.dim, verdict: (cell) => cell, question: (cell) => cell }
            }
          ),
          paint.dim(`${items.length.toLocaleString("en")} of ${counted(total, "decision")}`)
        ].join("\n")
})

const shorten = (text: string): string =>
  text.length > questionShownMax ? `${text.slice(0, questionShownMax).toWellFormed()}…` : text

const show = operationCommand("show", operations.getPolicyDecision, {
  description: "Show one decision: its features, the trace of the question, and which citations still hold.",
  arguments: { id: { description: "The id of the decision." } },
  print: (found) => describeDecision(found)
})

const stats = operationCommand("stats", operations.getPolicyStats, {
  description: "Show statistics of the decisions of the last thirty days.",
  print: (found) => summary(found)
})

export const decisionCommands = group(
  "decisions",
  "What the gate decided on each question.",
  [list, show, stats],
  "list"
)

const states = {
  current: "unchanged",
  changed: "no longer in its document",
  gone: "its document was deleted"
} as const

const describeDecision = ({
  answer: given,
  citations,
  decision,
  features,
  replayable,
  trace
}: ExplainedDecision): string =>
  [
    [
      paint.bold(cleanLine(decision.question ?? "(the question is not kept)")),
      paint.dim(
        `${decision.decidedAt} by ${cleanLine(decision.askedBy)} through ${cleanLine(decision.activity)}`
      ),
      ...(given === null ? [paint.dim("The answer is not kept.")] : ["", cleanLine(given.answer)])
    ].join("\n"),
    showExplanation(trace, {
      ...decision,
      features,
      caveatCodes: decision.caveats.map(({ code }) => code)
    }),
    ...(citations.length === 0
      ? []
      : [
          [
            paint.bold("Citations"),
            ...citations.map(
              ({ chunkId, sourceId, state }) => `  ${sourceId.padEnd(4)}${chunkId}  ${states[state]}`
            )
          ].join("\n")
        ]),
    replayable
      ? paint.dim("Its features reproduce the decision.")
      : paint.red("Its features do not reproduce the decision: the row was changed.")
  ].join("\n\n")

const summary = (found: PolicyStats): string => {
  const { byVerdict, calibration, groundedShare, meanConfidence, shadowWouldChange, topReasons, total } =
    found
  const share = (count: number): string => (total === 0 ? "" : ` (${((100 * count) / total).toFixed(1)} %)`)
  const quality = (name: string, value: number | null) =>
    value === null ? "" : `, ${name} ${value.toFixed(3)}`
  return factLines(
    [
      ["decisions", `${total.toLocaleString("en")} in the last ${found.windowDays} days`],
      ...Object.entries(byVerdict).map(([verdict, count]) => [verdict, `${count}${share(count)}`] as const),
      ["shadow", `${shadowWouldChange} would have been answered by the gate`],
      ["confidence", meanConfidence === null ? "" : `${meanConfidence.toFixed(3)} on average`],
      [
        "grounded",
        groundedShare === null
          ? ""
          : `${(100 * groundedShare).toFixed(1)} % of the statements were found in what they cite`
      ],
      ["reasons", topReasons.map(({ count, reason }) => `${reason} ${count}`).join(", ") || "none"],
      [
        "calibration",
        `${calibration.version}, ${counted(calibration.samples, "question")}${quality("ECE", calibration.ece)}${quality("Brier", calibration.brier)}`
      ]
    ],
    "  "
  ).join("\n")
}
