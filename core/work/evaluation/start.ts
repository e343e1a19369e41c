import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { answerVersions } from "../../answers/answering/index.js"
import { tooFewAnswerable } from "../../answers/calibration/index.js"
import { DocumentStore } from "../../files/documents/index.js"
import { record } from "../../platform/audit/index.js"
import { enqueue, jobKinds } from "../../platform/jobs/index.js"
import {
  atomically,
  Caller,
  canonicalJson,
  Ids,
  InsufficientScope,
  invalid,
  NoModelConfigured,
  now,
  SpendCapExceeded,
  traced
} from "../../platform/kernel/index.js"
import { builtInAnswers, modelsFor, monthOf, parseUsd } from "../../platform/models/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import { vectorPassagesMin } from "../../search/retrieval/index.js"
import { RunStore } from "../agent-runs/index.js"
import { tooFewQuestions } from "./calibrate.js"
import type { EvalOptions, Suite, Topic } from "./model.js"
import { EvalStore, type StoredEval } from "./store.js"
import { topicsFor, topicsOf } from "./topics.js"

export interface NewEval {
  readonly name: string
  readonly suite: Suite
  readonly set: string
  readonly seed: number
  readonly options: EvalOptions
  readonly calibrate: boolean
}

/**
 * Starts an evaluation run: freezes the topics with their judgments, and leaves the work to a job. Asking questions
 * (suites answer and abstention) needs the scope agents:run as well, a model that answers, and money left of the
 * month's cap where that model has a price.
 */
export const startEval = traced("evaluation.start")(function* (input: NewEval) {
  const { calibrate, name, options, seed, set, suite } = input
  const [ids, { actor, scopes, workspace }] = [yield* Ids, yield* Caller]
  const { settings } = yield* (yield* WorkspaceStore).get(workspace)
  if (suite !== "retrieval") {
    if (scopes !== undefined && !scopes.includes("agents:run"))
      return yield* new InsufficientScope({ wanted: ["agents:run"] })
    const { builtIn, chat } = yield* modelsFor(workspace, settings.models)
    if (Option.isNone(chat) && !(builtIn && builtInAnswers(settings.models)))
      return yield* new NoModelConfigured({
        message: "No chat model is configured, and the built-in one is switched off."
      })
    yield* refuseAtSpendCap
  } else if (calibrate)
    return yield* invalid(["calibrate"], "unexpected", "Only suites that answer questions can calibrate.")
  const judgments = yield* (yield* EvalStore).judgments.ofSet(workspace, set)
  const topics = topicsFor(suite, topicsOf(judgments), { calibrate })
  if (topics.length === 0)
    return yield* invalid(["set"], "empty", `The set ${set} has no topic that the suite ${suite} can ask.`)
  if (calibrate) yield* refuseUnfit(topics, String(seed))
  const versions = yield* answerVersions(workspace)
  if (options.channels?.every((channel) => channel === "vector") === true)
    yield* refuseWithoutVectors(versions["embedder"] == null)
  const configDigest = ids.sha256(
    canonicalJson({ suite, set, topics, options, seed, versions, retrieval: settings.retrieval })
  )
  const at = yield* now
  return yield* atomically(
    Effect.gen(function* () {
      const id = ids.make("evalRun")
      const [job] = yield* enqueue([{ kind: jobKinds.evaluation, subjectId: id }])
      const run: StoredEval = {
        id,
        name,
        suite,
        set,
        status: "queued",
        configDigest,
        metrics: null,
        createdAt: at,
        startedAt: null,
        finishedAt: null,
        options,
        seed,
        calibrate,
        topics: topics.length,
        versions,
        corpusFingerprint: null,
        corpusChanged: false,
        calibrationVersion: null,
        judgeCorrections: [],
        warnings: [],
        error: null,
        createdBy: actor,
        jobId: job?.id ?? null
      }
      const rows = topics.map((topic, place) => ({ place, topic, result: null, detail: null }))
      yield* (yield* EvalStore).add(workspace, run, rows)
      const details = { name, suite, set, topics: topics.length, configDigest }
      yield* record([{ action: "eval.start", subjectId: id, details }])
      return { id, status: run.status }
    })
  )
})

/** Vectors alone rank nothing in a workspace that has none. */
const refuseWithoutVectors = (isBuiltIn: boolean) =>
  Effect.gen(function* () {
    if (!isBuiltIn) return
    const { workspace } = yield* Caller
    const { settings } = yield* (yield* WorkspaceStore).get(workspace)
    const { builtIn } = yield* modelsFor(workspace, settings.models)
    const { chunks } = yield* (yield* DocumentStore).counts(workspace)
    if (builtIn && chunks >= vectorPassagesMin) return
    return yield* invalid(
      ["options", "channels"],
      "no_vectors",
      builtIn
        ? `This workspace has no vectors: it has ${chunks} passages, and built-in vectors need ${vectorPassagesMin}.`
        : "This workspace has no vectors: built-in models are off, and no embedding model is chosen."
    )
  })

/** A calibration learns only from questions whose right answer is known. */
const refuseUnfit = (topics: ReadonlyArray<Topic>, seed: string) =>
  Effect.gen(function* () {
    const unknown = topics.find(({ answers, expectAbstain }) => !expectAbstain && answers.length === 0)
    if (unknown !== undefined)
      return yield* invalid(
        ["set"],
        "no_answers",
        `The topic ${unknown.queryId} has neither accepted answers nor expectAbstain, so a calibration learns nothing from it.`
      )
    const questions = topics.map(({ expectAbstain, query }) => ({
      question: query,
      answerable: !expectAbstain
    }))
    const few = tooFewAnswerable(questions, seed, (yield* Ids).sha256)
    if (few !== null) return yield* tooFewQuestions(few)
  })

/**
 * Fails with SpendCapExceeded when asking would use a model that has a price and the month's cap is reached. Evaluation
 * runs and agents share the cap and the amount spent. A judge does not tell its price, so it counts as having one.
 */
export const refuseAtSpendCap = Effect.gen(function* () {
  const { workspace } = yield* Caller
  const { settings } = yield* (yield* WorkspaceStore).get(workspace)
  const { chat, judge } = yield* modelsFor(workspace, settings.models)
  const isPriced = Option.isSome(judge) || Option.exists(chat, ({ costOf }) => costOf !== undefined)
  if (!isPriced) return
  const { reservedUsd, spentUsd } = yield* (yield* RunStore).spend(workspace, monthOf(yield* now))
  const capUsd = settings.caps.agentSpendUsd
  if (parseUsd(spentUsd) + parseUsd(reservedUsd) >= parseUsd(capUsd))
    return yield* new SpendCapExceeded({ capUsd })
})

/** Adds the cost of a question to the month's spend. */
export const countSpend = (costUsd: string) =>
  costUsd === "0"
    ? Effect.void
    : Effect.gen(function* () {
        const [store, { workspace }, at] = [yield* RunStore, yield* Caller, yield* now]
        yield* atomically(store.addSpend(workspace, monthOf(at), { spentUsd: costUsd, reservedUsd: "0" }))
      })
