import * as Effect from "effect/Effect"
import { z } from "zod"
import { DocumentId, defined, EvalId, operation, Text } from "../../platform/kernel/index.js"
import * as comparison from "./compare.js"
import { listJudgments, putJudgments } from "./judgments.js"
import {
  EvalItem,
  EvalMetrics,
  EvalOptionsInput,
  EvalResult,
  EvalStatus,
  EvalView,
  Judgment,
  JudgmentCounts,
  JudgmentInput,
  page,
  SetName,
  Suite
} from "./model.js"
import * as reading from "./read.js"
import * as running from "./run.js"
import * as starting from "./start.js"

/** A seed of 32 bits. */
const Seed = z.int().min(0).max(4_294_967_295)

/** Operation that lists evaluation runs, newest first, with filters and paging. */
export const listEvals = operation({
  name: "listEvals",
  summary: "List evaluation runs, newest first.",
  scopes: ["kb:read", "runs:read"],
  effect: "read",
  input: z.object({
    suite: Suite.optional().describe("Only runs of this suite."),
    status: EvalStatus.optional().describe("Only runs with this status."),
    ...page
  }),
  output: z.object({ items: z.array(EvalItem), total: z.int() }),
  faults: [],
  run: ({ limit, offset, status, suite }) => reading.listEvals(defined({ suite, status }), { limit, offset })
})

/** The topics and their judgments are those of this moment; later judgments change no run. */
export const startEval = operation({
  name: "startEval",
  summary: "Start an evaluation run over a set of topics; answering suites also need agents:run.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({
    name: Text.trim().min(1).max(200),
    suite: Suite,
    set: SetName.describe("Name of the judgments that are asked for."),
    seed: Seed.default(1),
    options: EvalOptionsInput.prefault({}),
    calibrate: z
      .boolean()
      .default(false)
      .describe(
        "Fit a calibration from the answers and put it in use; every topic needs answers or expectAbstain."
      )
  }),
  output: z.object({ id: EvalId, status: EvalStatus }),
  faults: ["InvalidInput", "InsufficientScope", "NoModelConfigured", "SpendCapExceeded"],
  run: starting.startEval
})

const GetEval = z.object({
  id: EvalId,
  ...page,
  format: z.enum(["json", "trec"]).default("json").describe("trec: a run file as text.")
})

/** Returns a run file as text with `format=trec`; Conflict while the run is unfinished. */
export const getEval = operation({
  name: "getEval",
  summary: "Get an evaluation run with its metrics and results, or as a TREC run file.",
  scopes: ["kb:read", "runs:read"],
  effect: "read",
  input: GetEval,
  output: z.object({
    eval: EvalView,
    metrics: EvalMetrics.nullable(),
    results: z.array(EvalResult),
    total: z.int()
  }),
  faults: ["NotFound", "Conflict"],
  run: ({ id, limit, offset }) => reading.getEval(id, { limit, offset })
})

/** The comparison of an evaluation run (B) with a baseline (A) in one metric. */
export const Comparison = z.object({
  metric: z.string(),
  n: z.int().describe("Topics compared."),
  units: z.int().describe("Independent units: clusters, else topics."),
  meanA: z.number().describe("Mean of the baseline."),
  meanB: z.number().describe("Mean of the run."),
  delta: z.number().describe("meanB - meanA."),
  ci95: z.array(z.number()).describe("Bootstrap interval of the difference: lower and upper end."),
  pValue: z.number().describe("Two-sided, of Fisher's randomisation test."),
  test: z.enum(["randomisation", "randomisation_exact"]),
  adjusted: z.number().describe("pValue after Holm's correction over the main metrics of the suite."),
  wins: z.int(),
  losses: z.int(),
  ties: z.int(),
  effectSize: z.number().nullable().describe("Mean over standard deviation of the differences."),
  mde: z.number().nullable().describe("Smallest difference that these topics show with 80 % power."),
  regressions: z
    .array(z.object({ queryId: z.string(), a: z.number(), b: z.number(), delta: z.number() }))
    .describe("Topics that got worse, the worst first, at most 200.")
})
export type Comparison = z.infer<typeof Comparison>

/** Operation that compares an evaluation run with a baseline, topic by topic. */
export const compareEvals = operation({
  name: "compareEvals",
  summary: "Compare an evaluation run with a baseline by topic, with a significance test.",
  scopes: ["kb:read", "runs:read"],
  effect: "read",
  input: z.object({
    id: EvalId.describe("The run (B)."),
    baseline: EvalId.describe("The run that it is compared with (A)."),
    metric: z.string().min(1).max(100).optional().describe("The main metric of the suite when left out."),
    permutations: z
      .int()
      .min(100)
      .max(100_000)
      .default(10_000)
      .describe("Random draws of test and interval."),
    seed: Seed.default(1).describe("Seed of the random draws."),
    clusters: z
      .enum(["topic", "conversation", "document"])
      .default("topic")
      .describe(
        "What is independent: topics, conversations (query ids up to the turn), or documents judged best."
      )
  }),
  output: Comparison,
  faults: ["NotFound", "Conflict", "InvalidInput"],
  run: ({ baseline, id, ...options }) => comparison.compareEvals(id, baseline, options)
})

/** Returns qrels as text with `format=trec`. */
export const listQrels = operation({
  name: "listQrels",
  summary: "List relevance judgments by set, topic and document, or as TREC qrels.",
  scopes: ["kb:read", "runs:read"],
  effect: "read",
  input: z.object({
    set: z.string().min(1).optional().describe("Only judgments of this set."),
    query: z.string().min(1).optional().describe("A query id, or text that the question contains."),
    docId: DocumentId.optional().describe("Only judgments of this document."),
    ...page,
    format: z.enum(["json", "trec"]).default("json").describe("trec: qrels as text.")
  }),
  output: z.object({ items: z.array(Judgment), total: z.int() }),
  faults: [],
  run: ({ docId, limit, offset, query, set }) =>
    listJudgments(defined({ set, query, docId }), { limit, offset })
})

/** All or nothing; the last write of a set, topic and document wins, and a person's judgment beats a model's. */
export const putQrels = operation({
  name: "putQrels",
  summary: "Write or remove graded relevance judgments.",
  scopes: ["kb:write"],
  effect: "idempotent",
  input: z.object({ judgments: z.array(JudgmentInput).min(1).max(1000) }),
  output: JudgmentCounts,
  faults: ["NotFound", "InvalidInput"],
  run: ({ judgments }) => putJudgments(judgments)
})

/** Ends a run that waits or runs; what was asked so far stays. */
export const cancelEval = operation({
  name: "cancelEval",
  summary: "Cancel an evaluation run.",
  scopes: ["kb:write"],
  effect: "idempotent",
  input: z.object({ id: EvalId }),
  output: z.object({ cancelled: z.boolean() }),
  faults: ["NotFound"],
  run: ({ id }) =>
    Effect.gen(function* () {
      yield* reading.findEval(id)
      return { cancelled: yield* running.cancelEval(id) }
    })
})

export * from "./judging-operations.js"
