import { accessSync, constants, readFileSync, writeFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { type CalibrationOutcome, readQuestions } from "../../core/work/evaluation/index.js"
import { command, group } from "./command.js"
import { reliabilityLines, reliabilitySvg } from "./diagram.js"
import { evaluationRuns } from "./evaluation-runs.js"
import { failed, wrongUsage } from "./failure.js"
import { textFlag } from "./flags.js"
import { call, withWorkspace } from "./session.js"
import { isWatched, paint, say, toJson } from "./terminal.js"
import { cleanLine, counted, named } from "./text.js"

/** Bad lines that are named one by one. */
const problemsMax = 20

const calibrate = command("calibrate", {
  description: "Fit the confidence calibration to questions whose answers are known, and use it from now on.",
  input: z.object({
    questions: textFlag(
      "JSON lines {question, answers, answerable}; - reads them from the standard input.",
      "FILE"
    ),
    alpha: textFlag(
      "Maximum share of wrong answers among those given without caveats (default: the workspace setting, else 0.1).",
      "SHARE"
    ),
    delta: textFlag(
      "Probability that the share is exceeded (default: the workspace setting, else 0.1).",
      "SHARE"
    ),
    seed: textFlag("Decides which questions fit and which certify; 1 by default.", "TEXT"),
    diagram: textFlag("Also write the reliability diagram to this file, as SVG.", "FILE")
  }),
  run: function* (input) {
    if (input.questions === undefined) return yield* wrongUsage("A calibration needs --questions FILE.")
    const [alpha, delta] = [yield* shareOf("--alpha", input.alpha), yield* shareOf("--delta", input.delta)]
    const questions = yield* questionsOf(input.questions, input.json)
    // Asking takes long: what would spoil its end is told before.
    yield* canWriteTo(input.diagram)
    yield* withWorkspace(input, function* ({ engine }) {
      const onProgress = isWatched && !input.json ? showProgress : undefined
      const outcome = yield* call(() =>
        engine.evaluation.calibrate(questions, { alpha, delta, seed: input.seed, onProgress })
      )
      const diagram = yield* writeDiagram(input.diagram, outcome)
      return { output: wireOf(outcome, diagram), text: () => page(outcome, diagram) }
    })
  }
})

const showProgress = ({ done, total }: { readonly done: number; readonly total: number }): void => {
  process.stderr.write(`\rasked ${done} of ${total}${done === total ? "\n" : ""}`)
}

const shareOf = (option: string, value: string | undefined) => {
  if (value === undefined) return Effect.succeed(undefined)
  const share = Number(value)
  return value.trim() !== "" && share > 0 && share < 1
    ? Effect.succeed(share)
    : wrongUsage(`${option} takes a number between 0 and 1, such as 0.1.`)
}

const canWriteTo = (file: string | undefined) =>
  file === undefined
    ? Effect.void
    : Effect.try(() => accessSync(dirname(resolve(file)), constants.W_OK)).pipe(
        Effect.catchAll(() =>
          failed("file_unavailable", `The diagram cannot be written to ${cleanLine(resolve(file))}.`)
        )
      )

const questionsOf = Effect.fnUntraced(function* (file: string, asJson: boolean) {
  const name = file === "-" ? "the standard input" : file
  const text = yield* Effect.try(() => readFileSync(file === "-" ? 0 : resolve(file), "utf8")).pipe(
    Effect.catchAll(() => failed("file_unavailable", `There is no file ${named(cleanLine(name))} to read.`))
  )
  const { problems, questions } = readQuestions(text)
  if (problems.length === 0 && questions.length > 0) return questions
  for (const { line, message } of problems.slice(0, problemsMax)) {
    const told = `line ${line}: ${cleanLine(message)}`
    yield* say(asJson ? toJson({ warning: told }) : told)
  }
  const [first] = problems
  return yield* failed(
    "invalid_body",
    first === undefined
      ? `There is no question in ${cleanLine(name)}.`
      : `${counted(problems.length, "line")} of ${cleanLine(name)} cannot be used, line ${first.line} the first (${cleanLine(first.message)}); nothing was stored.`
  )
})

const writeDiagram = (file: string | undefined, { artefact }: CalibrationOutcome) => {
  if (file === undefined) return Effect.succeed(null)
  const path = resolve(file)
  return Effect.try(() => {
    writeFileSync(path, reliabilitySvg(artefact.measures))
    return path
  }).pipe(
    Effect.catchAll(() =>
      failed(
        "file_unavailable",
        `The diagram cannot be written to ${cleanLine(path)}; the calibration is in use.`
      )
    )
  )
}

/** The report for programs. Shares are 0 to 1. */
const wireOf = (outcome: CalibrationOutcome, diagram: string | null) => {
  const { answered, artefact, asked, coverage, leastAbstention, needed, right, version } = outcome
  const { bins, ...measures } = artefact.measures
  const {
    alpha,
    answered: passed,
    bound,
    certified,
    conformalThreshold,
    delta,
    threshold,
    wrong
  } = artefact.risk
  return {
    calibrationVersion: version,
    questions: asked,
    answered,
    right,
    fitted: artefact.fitted,
    calibrated: artefact.calibrated,
    measures,
    risk: {
      alpha,
      delta,
      certified,
      threshold,
      answered: passed,
      wrong,
      bound,
      coverage,
      conformalThreshold,
      needed,
      leastAbstention
    },
    bins,
    diagram
  }
}

const page = (outcome: CalibrationOutcome, diagram: string | null): string => {
  const { artefact, answered, asked, coverage, needed, right, version } = outcome
  const { aurc, auroc, bins, brier, ece } = artefact.measures
  const { alpha, answered: passed, bound, certified, delta, threshold, wrong } = artefact.risk
  const row = (title: string, text: string): string => `  ${paint.dim(title.padEnd(11))} ${text}`
  const enough = artefact.calibrated >= plannedQuestions
  return [
    `${paint.green("Calibrated")} ${version}, in use from now on`,
    row(
      "questions",
      `${asked} asked, ${answered} answered, ${right} rightly; ${artefact.fitted} fitted on, ${artefact.calibrated} kept apart`
    ),
    row(
      "kept apart",
      `Brier ${brier.toFixed(3)}, ECE ${ece.toFixed(3)}, AURC ${aurc.toFixed(3)}${auroc === null ? "" : `, AUROC ${auroc.toFixed(3)}`}`
    ),
    row(
      "risk",
      certified
        ? `at confidence ${threshold.toFixed(2)} or more at most ${percent(alpha)} are wrong, at ${percent(1 - delta)} certainty`
        : `no threshold holds ${percent(alpha)} at ${percent(1 - delta)} certainty: ${threshold.toFixed(2)} is used and promises nothing`
    ),
    row(
      "answered",
      `${passed} of ${artefact.calibrated} kept apart (${percent(coverage)}), ${wrong} wrongly; at most ${percent(bound)} would be`
    ),
    ...(certified || enough
      ? []
      : [row("", `it takes ${needed} answers without an error, and as a rule 400 questions or more`)]),
    "",
    ...reliabilityLines(bins),
    ...(diagram === null ? [] : ["", row("diagram", cleanLine(diagram))])
  ].join("\n")
}

/** Half of what a certificate takes as a rule. */
const plannedQuestions = 200

const percent = (share: number): string => `${(100 * share).toFixed(share > 0 && share < 0.01 ? 2 : 0)} %`

export const evalCommands = group("eval", "Measuring answers.", [calibrate, ...evaluationRuns], "calibrate")
