import * as Effect from "effect/Effect"
import type { DecisionPage, ExplainedDecision, PolicyStats } from "../../core/index.js"
import { showExplanation } from "./explain.js"
import type { Failure } from "./failure.js"
import type { CommonInput } from "./options.js"
import { call, withWorkspace } from "./session.js"
import { answer, paint, tableColumns } from "./terminal.js"
import { cleanLine, counted, table } from "./text.js"

type Narrowing = "document" | "from" | "to"

export const list = (
  input: CommonInput & {
    readonly verdict: "answer" | "answer_with_caveats" | "clarify" | "abstain_with_pointers" | undefined
    readonly mode: "shadow" | "enforce" | undefined
    readonly limit: number
    readonly offset: number
  } & { readonly [Name in Narrowing]: string | undefined }
): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const { document, from, limit, mode, offset, to, verdict } = input
      const page = yield* call(() =>
        engine.decisions.list({
          limit,
          offset,
          ...(verdict === undefined ? {} : { verdict }),
          ...(mode === undefined ? {} : { mode }),
          ...(document === undefined ? {} : { docId: document }),
          ...(from === undefined ? {} : { from }),
          ...(to === undefined ? {} : { to })
        })
      )
      yield* answer(input.json, page, () => told(page))
    })
  )

const told = ({ items, total }: DecisionPage): string => {
  if (items.length === 0) return "No decisions."
  const rows = items.map(({ confidence, decidedAt, id, mode, question, verdict }) => [
    `${decidedAt.slice(0, 10)} ${decidedAt.slice(11, 19)}`,
    verdict,
    confidence.toFixed(2),
    mode,
    cut(cleanLine(question ?? "(not kept)")),
    id
  ])
  const columns = [
    { title: "when (UTC)" },
    { title: "verdict" },
    { title: "confidence" },
    { title: "mode" },
    { title: "question", shrink: true },
    { title: "id" }
  ]
  const shown = table(columns, rows, tableColumns(), (cell, column, isTitle) =>
    isTitle || (column !== 1 && column !== 4) ? paint.dim(cell) : cell
  )
  return [shown, paint.dim(`${items.length.toLocaleString("en")} of ${counted(total, "decision")}`)].join(
    "\n"
  )
}

/** A question may be a page long; `kanon decisions show` has it whole. */
const cut = (text: string): string =>
  text.length > shownChars ? `${text.slice(0, shownChars).toWellFormed()}…` : text
const shownChars = 160

export const show = (input: CommonInput & { readonly id: string }): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const found = yield* call(() => engine.decisions.get(input.id))
      yield* answer(input.json, found, () => page(found))
    })
  )

const states = {
  current: "stands",
  changed: "no longer in its document",
  gone: "its document is gone"
} as const

const page = ({
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
      ? paint.dim("Its features give the same decision again.")
      : paint.red("Its features do not give this decision: the row was changed.")
  ].join("\n\n")

export const stats = (input: CommonInput): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const found = yield* call(() => engine.decisions.stats())
      yield* answer(input.json, found, () => summary(found))
    })
  )

const summary = (found: PolicyStats): string => {
  const { byVerdict, calibration, groundedShare, meanConfidence, shadowWouldChange, topReasons, total } =
    found
  const share = (count: number): string => (total === 0 ? "" : ` (${((100 * count) / total).toFixed(1)} %)`)
  return [
    row("decisions", `${total.toLocaleString("en")} in the last ${found.windowDays} days`),
    ...Object.entries(byVerdict).map(([verdict, count]) => row(verdict, `${count}${share(count)}`)),
    row("shadow", `${shadowWouldChange} would have been answered by the gate`),
    ...(meanConfidence === null ? [] : [row("confidence", `${meanConfidence.toFixed(3)} on average`)]),
    ...(groundedShare === null
      ? []
      : [
          row(
            "grounded",
            `${(100 * groundedShare).toFixed(1)} % of the statements were found in what they cite`
          )
        ]),
    row("reasons", topReasons.map(({ count, reason }) => `${reason} ${count}`).join(", ") || "none"),
    row(
      "calibration",
      `${calibration.version}, ${counted(calibration.samples, "question")}${calibration.ece === null ? "" : `, ECE ${calibration.ece.toFixed(3)}`}${calibration.brier === null ? "" : `, Brier ${calibration.brier.toFixed(3)}`}`
    )
  ].join("\n")
}

const row = (title: string, text: string): string => `  ${paint.dim(title.padEnd(22))} ${text}`
