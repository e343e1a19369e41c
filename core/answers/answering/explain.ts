import * as Option from "effect/Option"
import { z } from "zod"
import { type ModelUse, sumOfUses, type Usage } from "../../platform/models/index.js"
import { CheckedClaim, type Evidence } from "../evidence/index.js"
import { explainAnswer } from "../extractive/index.js"
import { AnsweringRelation, Candidate, type GatheredEvidence } from "../gathering/index.js"
import type { RuleReading } from "../policy/index.js"
import type { ChosenPassage } from "../selection/index.js"
import type { StageTrace } from "./stages.js"

/** Calls, tokens and cost of one model for one question. */
export const ModelCost = z.object({
  role: z.enum(["embedding", "reranker", "chat", "judge"]),
  model: z.string(),
  calls: z.int().min(0),
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  costUsd: z.string(),
  estimated: z.boolean().describe("The provider reported no figures, or not all.")
})
export type ModelCost = z.infer<typeof ModelCost>

/** A sentence of the reply with its check. */
export const LoggedClaim = CheckedClaim.extend({
  text: z.string().optional().describe("Absent where the workspace keeps no questions or no answers."),
  withheld: z.boolean().describe("It is no part of the answer, because nothing supports it.")
})
export type LoggedClaim = z.infer<typeof LoggedClaim>

const ExplainedStatement = z.object({
  sourceId: z.string(),
  text: z.string().optional().describe("Absent where the workspace keeps no questions or no answers."),
  score: z.number().describe("Only differences of scores mean something.")
})

/** Explanation of an answer, step by step; features and decision of the gate are stored beside it. */
export const Explanation = z.object({
  question: z
    .object({
      language: z.string(),
      answerType: z.string(),
      terms: z.array(z.object({ word: z.string(), weight: z.number().describe("Rarity in the workspace.") })),
      anchors: z.array(z.object({ kind: z.string(), text: z.string() }))
    })
    .optional()
    .describe("As it was read; absent where the workspace keeps no questions."),
  candidates: z
    .array(
      Candidate.extend({
        sourceId: z.string().nullable().describe("Null for one that was not chosen."),
        unitScore: z
          .number()
          .nullable()
          .optional()
          .describe("What its best sentence is worth as an answer; null for one that was not chosen."),
        worth: z
          .number()
          .nullable()
          .optional()
          .describe(
            "What put it in its place: four fifths that beside the best of all, one fifth its place by `score`; of several questions at once, to one of them."
          )
      })
    )
    .describe("The chosen ones in the order of the registry, then others that came up, the best first."),
  best: z
    .object({
      probability: z.number().describe("Estimated probability that the best statement answers."),
      best: ExplainedStatement,
      runnerUp: ExplainedStatement.nullable(),
      strongest: z.array(
        z.object({ feature: z.string(), effect: z.number().describe("Its part of the logit.") })
      )
    })
    .nullable()
    .optional()
    .describe(
      "The choice of the built-in model, whichever model answered: its best statement, the runner-up, and the five features that moved the probability most; absent from older questions."
    ),
  relations: z
    .array(AnsweringRelation)
    .optional()
    .describe(
      "Relations of the graph that answer the question, in the order of its steps; absent where none does."
    ),
  found: z.int().min(0).describe("Passages that came up in all."),
  rules: z
    .array(z.object({ rule: z.string(), fired: z.boolean(), skipped: z.boolean(), why: z.string() }))
    .describe("What speaks before an answer is written; empty where the gate is off."),
  stages: z.array(
    z.object({
      name: z.string(),
      count: z.int().min(0),
      durationMs: z.number().min(0),
      costUsd: z.string()
    })
  ),
  claims: z
    .array(LoggedClaim)
    .optional()
    .describe("The sentences of the reply, the withheld ones last; absent from older questions."),
  models: z
    .array(ModelCost)
    .optional()
    .describe(
      "What each model used; empty where none was called, absent of questions from before it was kept."
    )
})
export type Explanation = z.infer<typeof Explanation>

/** Candidates beside the chosen ones. */
const othersMax = 12

/** Puts together how an answer came about. Pure. */
export const explain = (
  evidence: Evidence,
  { candidates, relations, sources }: GatheredEvidence,
  steps: {
    /** In the order of the registry. */
    readonly chosen: ReadonlyArray<ChosenPassage>
    readonly rules: ReadonlyArray<RuleReading>
    readonly stages: ReadonlyArray<StageTrace>
    readonly claims: ReadonlyArray<LoggedClaim>
    readonly models: ReadonlyArray<ModelCost>
  }
): Explanation => {
  const { anchors, answerType, language, terms } = evidence.question
  const byChunk = new Map(candidates.map((one) => [one.chunkId, one]))
  const chosen = evidence.sources.flatMap(({ id, passage }, at) => {
    const candidate = byChunk.get(passage.id)
    const { unitScore = null, worth = null } = steps.chosen[at] ?? {}
    return candidate === undefined ? [] : [{ ...candidate, sourceId: id, unitScore, worth }]
  })
  const chosenIds = new Set(chosen.map(({ chunkId }) => chunkId))
  const others = candidates.filter(({ chunkId }) => !chosenIds.has(chunkId)).slice(0, othersMax)
  return {
    question: {
      language,
      answerType,
      terms: terms.map(({ surface, term }) => ({ word: surface, weight: evidence.idf(term) })),
      anchors: anchors.map(({ kind, text }) => ({ kind, text }))
    },
    candidates: [
      ...chosen,
      ...others.map((one) => ({ ...one, sourceId: null, unitScore: null, worth: null }))
    ],
    best: chosenBest(evidence),
    ...(relations.length === 0 ? {} : { relations: [...relations] }),
    found: sources.length,
    rules: [...steps.rules],
    stages: [...steps.stages],
    claims: [...steps.claims],
    models: [...steps.models]
  }
}

const chosenBest = (evidence: Evidence): Explanation["best"] => {
  const explained = explainAnswer(evidence)
  return explained === null ? null : { ...explained, strongest: [...explained.strongest] }
}

/** Calls and usage of a chat model or a judge for one question. */
interface ModelCalls {
  readonly model: Option.Option<{ readonly modelId: string }>
  readonly usage: Usage
  readonly calls: number
}

/** Returns what each model that was called used for one question. */
export const modelCosts = (
  uses: ReadonlyArray<ModelUse>,
  chat: ModelCalls,
  judge: ModelCalls
): ReadonlyArray<ModelCost> => {
  const calls = [
    ...uses.map(({ modelId: model, role, ...usage }) => ({ role, model, calls: 1, ...usage })),
    ...costOfCalls("chat", chat),
    ...costOfCalls("judge", judge)
  ]
  const byModel = new Map<string, ModelCost>()
  for (const one of calls) {
    const key = JSON.stringify([one.role, one.model])
    const known = byModel.get(key)
    byModel.set(key, known === undefined ? one : addCosts(known, one))
  }
  return [...byModel.values()]
}

const addCosts = (a: ModelCost, b: ModelCost): ModelCost => ({
  ...a,
  ...sumOfUses([a, b]),
  calls: a.calls + b.calls
})

const costOfCalls = (
  role: "chat" | "judge",
  { calls, model, usage }: ModelCalls
): ReadonlyArray<ModelCost> =>
  Option.isNone(model) || (calls === 0 && usage.inputTokens + usage.outputTokens === 0)
    ? []
    : // A model that failed in the end was called all the same.
      [{ role, model: model.value.modelId, calls: Math.max(1, calls), ...usage }]
