import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { aurc, auroc, ece } from "../core/answers/measures/index.js"
import { type AskedQuestion, answerSets, askSet } from "./answer-sets.js"
import type { RunBench } from "./result.js"

/** Result of one question set. Shares are 0 to 1; null when nothing is counted. */
export interface SetResult {
  readonly set: string
  readonly answerable: number
  /** Share of the answerable questions that are answered rightly. */
  readonly right: number | null
  /** Share of right answers among those given to answerable questions. */
  readonly rightOfAnswered: number | null
  readonly unanswerable: number
  /** Share of the unanswerable questions that are answered. */
  readonly unanswerableAnswered: number | null
  /** Confidence as a test of answerable against unanswerable. */
  readonly auroc: number | null
  /** Area under the risk-coverage curve of the answers given, over that of the best order of the same answers. */
  readonly aurcOverBest: number | null
  readonly ece: number | null
  /** Answerable questions, and underspecified ones, that were asked back. */
  readonly clarified: number
  readonly clarifiedUnderspecified: number
  readonly underspecified: number
  readonly msPerQuestion: number
}

const share = (items: ReadonlyArray<unknown>, of: number): number | null =>
  of === 0 ? null : items.length / of

/** Counts what came of the questions of one set. */
export const resultOf = (set: string, asked: ReadonlyArray<AskedQuestion>, ms: number): SetResult => {
  const answerable = asked.filter(({ question }) => question.answerable === true)
  const unanswerable = asked.filter(({ question }) => question.answerable === false)
  const given = asked.filter(({ answered }) => answered)
  const isRight = ({ question, right }: AskedQuestion) => right && question.answerable !== false
  const judged = given.map((one) => ({ confidence: one.confidence, right: isRight(one) }))
  const best = aurc(judged.map(({ right }) => ({ confidence: right ? 1 : 0, right })))
  const underspecified = asked.filter(({ question }) => question.isUnderspecified)
  return {
    set,
    answerable: answerable.length,
    right: share(
      answerable.filter(({ answered, right }) => answered && right),
      answerable.length
    ),
    rightOfAnswered: share(
      given.filter(isRight),
      given.filter(({ question }) => question.answerable !== false).length
    ),
    unanswerable: unanswerable.length,
    unanswerableAnswered: share(
      unanswerable.filter(({ answered }) => answered),
      unanswerable.length
    ),
    auroc:
      answerable.length === 0 || unanswerable.length === 0
        ? null
        : auroc(
            [...answerable, ...unanswerable].map(({ confidence, question }) => ({
              confidence,
              right: question.answerable === true
            }))
          ),
    aurcOverBest: best > 0 ? aurc(judged) / best : null,
    ece: judged.length === 0 ? null : ece(judged),
    clarified: answerable.filter(({ clarified }) => clarified).length,
    clarifiedUnderspecified: underspecified.filter(({ clarified }) => clarified).length,
    underspecified: underspecified.length,
    msPerQuestion: asked.length === 0 ? 0 : ms / asked.length
  }
}

const stored = fileURLToPath(new URL("answer-sets.json", import.meta.url))

const columns = [
  ["right", 1],
  ["rightOfAnswered", 1],
  ["unanswerableAnswered", -1],
  ["auroc", 1],
  ["aurcOverBest", -1],
  ["ece", -1]
] as const

/**
 * Asks every question of every set through the whole pipeline, enforcing, and prints a table with the change since the
 * stored result. Size full stores the result; size small asks at most 150 questions of a set.
 */
export const answerSetsTable: RunBench = async ({ report, say, size }) => {
  const before = new Map<string, SetResult>(
    existsSync(stored)
      ? (JSON.parse(readFileSync(stored, "utf8")) as ReadonlyArray<SetResult>).map((one) => [one.set, one])
      : []
  )
  const results: Array<SetResult> = []
  const only = process.env["KANON_ANSWER_SETS"]?.split(",")
  for (const set of answerSets()) {
    if (only !== undefined && !only.includes(set.name)) continue
    const asked: Array<AskedQuestion> = []
    const cpu = process.cpuUsage()
    await askSet(set, (one) => asked.push(one), size === "small" ? 150 : Infinity)
    const { system, user } = process.cpuUsage(cpu)
    const result = resultOf(set.name, asked, (system + user) / 1000)
    results.push(result)
    say(lineOf(result, before.get(set.name), set.ours))
    for (const [metric] of columns)
      report({
        metric: `${set.name}: ${metric}`,
        ours: result[metric] ?? 0,
        floor: null,
        ratio: null,
        n: asked.length,
        unit: "",
        peer: "none",
        iqr: null
      })
  }
  if (size === "full") writeFileSync(stored, `${JSON.stringify(results, null, 2)}\n`)
}

const lineOf = (result: SetResult, before: SetResult | undefined, ours: boolean): string => {
  const cells = columns.map(([metric]) => {
    const [value, earlier] = [result[metric], before?.[metric] ?? null]
    if (value === null) return "      -       "
    const change = earlier === null ? "" : `${value >= earlier ? "+" : ""}${(value - earlier).toFixed(3)}`
    return `${value.toFixed(3)} ${change}`.padEnd(14)
  })
  const { answerable, clarified, clarifiedUnderspecified, msPerQuestion, unanswerable, underspecified } =
    result
  return `${`${result.set}${ours ? " *" : ""}`.padEnd(16)}${`${answerable}+${unanswerable}`.padEnd(11)}${cells.join("")} clarify ${clarified}, ${clarifiedUnderspecified}/${underspecified}  ${msPerQuestion.toFixed(1)} ms`
}
