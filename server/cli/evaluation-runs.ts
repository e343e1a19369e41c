import { writeFileSync } from "node:fs"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { isRemote } from "../../adapters/vault/vault-address.js"
import type { Engine } from "../../core/engine/engine/index.js"
import { operations } from "../../core/operations.js"
import { defined } from "../../core/platform/kernel/index.js"
import { type EvalView, type GateVerdict, nonInferiority } from "../../core/work/evaluation/index.js"
import { command, operationCommand } from "./command.js"
import { correctionText, evaluationClaims } from "./evaluation-claims.js"
import { evalJUnit, evalMarkdown } from "./evaluation-output.js"
import { Failure, failed, wrongUsage } from "./failure.js"
import { switchFlag, textFlag } from "./flags.js"
import { withProgress } from "./progress.js"
import { call, withWorkspace } from "./session.js"
import { factLines, listOf, timeOf } from "./tables.js"
import { answer, paint } from "./terminal.js"
import { cleanLine, counted } from "./text.js"

type Comparison = z.output<typeof operations.compareEvals.output>

const numbers = z.string().transform((text) => text.split(",").map(Number))

/** How a run searches, as flags. */
const searchFlags = {
  depth: z.int().min(1).max(1000).default(100).describe("Documents of a ranking that are kept and scored."),
  channels: textFlag("Lists that are fused, with commas: fts, vector."),
  weights: textFlag("Weight of fts and of vector, with a comma."),
  rrfK: z.number().min(0).max(10_000).optional().describe("Constant of reciprocal rank fusion."),
  rerank: switchFlag("Rerank the first results."),
  noDemotion: switchFlag("Rank without regard to the standing of documents.")
}

const searchOptions = (input: z.output<z.ZodObject<typeof searchFlags>>) => {
  const [fts, vector] = input.weights === undefined ? [] : numbers.parse(input.weights)
  return {
    depth: input.depth,
    ...(input.channels === undefined ? {} : { channels: input.channels.split(",") }),
    ...(input.weights === undefined ? {} : { weights: { fts, vector } }),
    ...defined({ rrfK: input.rrfK }),
    ...(input.noDemotion ? { demotion: false } : {}),
    rerank: input.rerank
  }
}

const run = command("run", {
  description: "Run an evaluation over a set of judgments and wait for it; fails when a gate fails.",
  input: z.object({
    suite: z.enum(["retrieval", "answer", "abstention"]).default("retrieval").describe("What is measured."),
    set: textFlag("Name of the judgments.", "NAME"),
    name: textFlag("Name of the run; suite and set by default.", "TEXT"),
    seed: z.int().min(0).max(4_294_967_295).default(1).describe("Seed of random draws."),
    calibrate: switchFlag("Fit a calibration from the answers and use it."),
    ...searchFlags,
    noWait: switchFlag("Only start it; a worker carries it out."),
    baseline: textFlag("Compare with this run (evl_…).", "ID"),
    failBelow: z
      .array(z.string())
      .default([])
      .describe(
        "METRIC=MARGIN, such as ndcg@10=-0.02: fail unless the interval of the difference lies above it."
      ),
    junit: textFlag("Write a JUnit report to this file.", "FILE"),
    markdown: textFlag("Write a Markdown report to this file.", "FILE")
  }),
  flags: { failBelow: { placeholder: "METRIC=MARGIN" } },
  run: function* (input) {
    const { set } = input
    if (set === undefined) return yield* wrongUsage("An evaluation needs --set NAME.")
    const gates = yield* Effect.forEach(input.failBelow, gateOf)
    if (gates.length > 0 && input.baseline === undefined)
      return yield* wrongUsage("--fail-below compares with a run: name it with --baseline ID.")
    if (input.noWait && input.baseline !== undefined)
      return yield* wrongUsage("--baseline compares the result, for which --no-wait does not wait.")
    yield* withWorkspace({ ...input, worker: !input.noWait }, function* ({ engine, place }) {
      const { calibrate, suite } = input
      if (gates.length > 0 && !place.fresh && !isRemote(place.vault))
        yield* refuseStale(yield* call(() => engine.unsyncedFiles()))
      const name = input.name ?? `${suite} ${set}`
      const options = searchOptions(input)
      const started = yield* call(() =>
        engine.call(operations.startEval, { name, suite, set, seed: input.seed, options, calibrate })
      )
      const { id } = started
      if (input.noWait) return { output: started, text: () => `${paint.green("Started")} ${id}` }
      const done = yield* withProgress({ silent: input.json, lines: false }, (onProgress) =>
        waitFor(engine, id, (done, total) => onProgress({ phase: "topics", done, total }))
      )
      if (done.status !== "succeeded")
        return yield* failed(
          "eval_failed",
          `The run ${id} is ${done.status}: ${done.error ?? "it was stopped"}.`
        )
      const { baseline } = input
      const metrics = [...new Set(gates.length === 0 ? [undefined] : gates.map(({ metric }) => metric))]
      const comparisons =
        baseline === undefined
          ? []
          : yield* Effect.forEach(metrics, (metric) =>
              call(() =>
                engine.call(operations.compareEvals, {
                  id,
                  baseline,
                  seed: input.seed,
                  ...defined({ metric })
                })
              )
            )
      const verdicts = gates.flatMap(({ margin, metric }): ReadonlyArray<GateVerdict> => {
        const compared = comparisons.find((one) => one.metric === metric)
        return compared === undefined ? [] : [nonInferiority(compared, margin)]
      })
      const outcome = { eval: done, comparisons, gates: verdicts }
      yield* writeReport(input.junit, () => evalJUnit(outcome))
      yield* writeReport(input.markdown, () => evalMarkdown(outcome))
      yield* answer(input.json, { ...outcome, metrics: done.metrics }, () =>
        [runText(done), ...comparisons.map(comparisonText), ...verdicts.map(gateText)].join("\n\n")
      )
      const lost = verdicts.filter(({ passed }) => !passed)
      if (lost.length > 0) return yield* failed("gate_failed", lost.map(gateSentence).join(" "))
    })
  }
})

const gateOf = (text: string) => {
  const [metric = "", margin = ""] = text.split(/=(?=[^=]*$)/u)
  const value = Number(margin)
  return metric !== "" && margin !== "" && Number.isFinite(value)
    ? Effect.succeed({ metric, margin: value })
    : wrongUsage(
        `--fail-below takes METRIC=MARGIN, such as ndcg@10=-0.02, and was given '${cleanLine(text)}'.`
      )
}

const isOver = ({ status }: EvalView): boolean => status !== "queued" && status !== "running"

/** A gate on files that the index does not hold would judge a state that nobody has. */
const refuseStale = (unsynced: number): Effect.Effect<void, Failure> =>
  unsynced === 0
    ? Effect.void
    : Effect.fail(
        new Failure({
          code: "index_stale",
          message: `The gate was not asked: ${counted(unsynced, "file has", "files have")} changed since the last ingest. Run: kanon ingest`,
          exitCode: 2
        })
      )

const waitFor = (
  engine: Engine,
  id: string,
  onDone: (done: number, topics: number) => void
): Effect.Effect<EvalView, Failure> =>
  Effect.gen(function* () {
    for (;;) {
      const shown = yield* call(() => engine.call(operations.getEval, { id, limit: 1 }))
      onDone(shown.eval.done, shown.eval.topics)
      if (isOver(shown.eval)) return shown.eval
      yield* Effect.sleep(200)
    }
  })

/** Writes a report beside the result. */
export const writeReport = (file: string | undefined, text: () => string): Effect.Effect<void, Failure> =>
  file === undefined
    ? Effect.void
    : Effect.try({
        try: () => writeFileSync(resolve(file), text()),
        catch: () => failed("file_unavailable", `The file ${cleanLine(resolve(file))} cannot be written.`)
      })

const list = operationCommand("list", operations.listEvals, {
  description: "List evaluation runs, newest first.",
  print: ({ items, total }, { offset }) =>
    listOf("run", items, { total, offset }, [
      "id",
      "name",
      "suite",
      "set",
      "status",
      ["created", ({ createdAt }) => timeOf(createdAt)]
    ])
})

const id = { name: "id", description: "Id of the run (evl_…)." }

const show = operationCommand("show", operations.getEval, {
  description: "Show an evaluation run with its metrics.",
  arguments: { id },
  omit: ["format"],
  print: (shown) => runText(shown.eval)
})

const compare = operationCommand("compare", operations.compareEvals, {
  description: "Compare a run with a baseline, topic by topic.",
  arguments: { id },
  print: comparisonText
})

const cancel = operationCommand("cancel", operations.cancelEval, {
  description: "Cancel an evaluation run that waits or runs.",
  arguments: { id },
  print: ({ cancelled }) => (cancelled ? "Cancelled." : "The run is over.")
})

const shown = (value: unknown): string => (typeof value === "number" ? value.toFixed(4) : "")

function runText(run: EvalView): string {
  const metrics = Object.entries(run.metrics ?? {}).flatMap(([name, value]) =>
    typeof value === "number" ? [[name, shown(value)] as const] : []
  )
  const { abstention } = run.metrics ?? {}
  return [
    paint.bold(cleanLine(run.name)),
    ...factLines([
      ["id", run.id],
      ["suite", `${run.suite} over ${cleanLine(run.set)}`],
      ["status", run.error === null ? run.status : `${run.status}: ${cleanLine(run.error)}`],
      ["topics", `${run.done} of ${run.topics}`],
      ["digest", run.configDigest.slice(0, 16)],
      ["corpus", run.corpusFingerprint?.slice(0, 16)]
    ]),
    ...(metrics.length === 0 ? [] : ["", ...factLines(metrics)]),
    ...(abstention === null || abstention === undefined
      ? []
      : ["", ...factLines(Object.entries(abstention).map(([name, value]) => [name, shown(value)] as const))]),
    ...run.judgeCorrections.map(correctionText),
    ...run.warnings.map((warning) => paint.yellow(warning))
  ].join("\n")
}

function comparisonText(compared: Comparison): string {
  const { ci95, effectSize, losses, mde, meanA, meanB, n, pValue, regressions, ties, wins } = compared
  return [
    `${compared.metric} over ${n} topics: ${shown(meanA)} to ${shown(meanB)}, difference ${shown(compared.delta)} [${shown(ci95[0])}, ${shown(ci95[1])}]`,
    `p ${pValue.toFixed(4)}, corrected ${compared.adjusted.toFixed(4)}; ${wins} better, ${losses} worse, ${ties} equal; effect size ${shown(effectSize)}; these topics show differences from ${shown(mde)} on`,
    compared.adjusted < 0.05 ? "The runs differ." : `The runs do not differ measurably with ${n} topics.`,
    ...regressions
      .slice(0, 10)
      .map(({ a, b, queryId }) => `  worse: ${cleanLine(queryId)}  ${shown(a)} to ${shown(b)}`)
  ].join("\n")
}

const gateSentence = ({ interval, margin, metric, passed }: GateVerdict): string =>
  `${metric} may not lose more than ${Math.abs(margin)}: the interval of the difference [${shown(interval[0])}, ${shown(interval[1])}] ${passed ? "excludes" : "does not exclude"} that.`

const gateText = (verdict: GateVerdict): string =>
  `${verdict.passed ? paint.green("passed") : paint.red("failed")} ${gateSentence(verdict)}`

export const evaluationRuns = [run, list, show, compare, ...evaluationClaims, cancel]
