import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isSmallTalk, type Question } from "../../language/questions/index.js"
import { AnswerTexts, type TextCache } from "../../language/text-analysis/index.js"
import { analyse } from "../../language/tokenization/index.js"
import { type Thesaurus, thesaurusOf } from "../../language/word-relations/index.js"
import { Caller, defined, Ids, momentOfReading, NoModelConfigured } from "../../platform/kernel/index.js"
import {
  addUsd,
  builtInAnswers,
  type ModelUse,
  metered,
  sumOfUses,
  type WorkspaceModels
} from "../../platform/models/index.js"
import type { Settings } from "../../platform/workspace/index.js"
import { PostingStore } from "../../search/lexical/index.js"
import { SearchCache } from "../../search/retrieval/index.js"
import { findConflictsInTurns } from "../conflicts/index.js"
import { type AnswerStyle, type Evidence, idfOf, makeEvidence, plainStyle } from "../evidence/index.js"
import {
  type GatheredEvidence,
  gatherData,
  gatherEvidence,
  noData,
  readGovernance,
  retiredOf,
  subjectsOf,
  validSince
} from "../gathering/index.js"
import { cachedOutcome, type Outcome, outcomeFrom, ruleOutcome } from "../generation/index.js"
import type { ClaimCheck } from "../grounding/index.js"
import type { Calibration, PolicyMode, RunningPipeline } from "../policy/index.js"
import { type ChosenPassage, choosePassages } from "../selection/index.js"
import { AnswerCache, type CacheLookup, noCacheLookup } from "./answer-cache.js"
import { preGateReply } from "./clarify.js"
import { type Judgment, judgeAnswer, judgeEvidence } from "./gate.js"
import type { Query } from "./model.js"
import { dataCallsOf, sourcesOf } from "./source.js"
import { type StageTrace, timeStage } from "./stages.js"
import { PartListener, type StreamedClaims, streamingClaims } from "./streamed-claims.js"
import { answeringSetup, versionsOf } from "./versions.js"
import type { CheckedOutcome } from "./withhold.js"

/** State of one question, shared by all its stages. */
export interface QuestionRun {
  readonly query: Query
  readonly kept: boolean
  readonly mode: PolicyMode
  readonly settings: Settings
  /** Content stamp of the workspace when the question arrived; null when unknown. */
  readonly stamp: string | null
  readonly chat: WorkspaceModels["chat"]
  readonly judge: WorkspaceModels["judge"]
  /** The built-in model may answer in the place of the configured one. */
  readonly fallback: boolean
  readonly running: RunningPipeline
  readonly calibration: Calibration
  readonly stages: Array<StageTrace>
  /** Uses of embedding models and rerankers so far. */
  readonly uses: Array<ModelUse>
  /** The earlier moment that the question is about, and whether texts of then are lost; null for the present. */
  readonly past: { readonly asOf: string; readonly at: string; readonly isIncomplete: boolean } | null
  /** Claims that were sent while the model wrote. */
  readonly streamed: StreamedClaims
}

/**
 * Reads the settings, models and calibration of a question once: changes to the workspace apply to the next question.
 */
export const prepareQuestionRun = (query: Query, kept: boolean, past: QuestionRun["past"] = null) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const stamp = yield* (yield* PostingStore).stamp(workspace)
    const settings = yield* (yield* SearchCache).settings(workspace, stamp)
    const { calibration, models, running } = yield* answeringSetup(workspace, settings)
    const { builtIn, chat, judge } = models
    const fallback = builtIn && builtInAnswers(settings.models)
    if (Option.isNone(chat) && !fallback)
      return yield* new NoModelConfigured({
        message: "No chat model is configured, and the built-in one is switched off."
      })
    const mode = query.policyMode ?? settings.policy.mode
    const active = { chat, judge, fallback, running, calibration }
    const streamed: StreamedClaims = { claims: [], checks: new Map() }
    return {
      query,
      kept,
      mode,
      settings,
      stamp,
      ...active,
      stages: [],
      uses: [],
      past,
      streamed
    } satisfies QuestionRun
  })

/** Gathers and selects the evidence of a question, with its governance status. */
export const evidenceFor = (
  { mode, past, query, settings, stages, stamp, uses }: QuestionRun,
  question: Question
) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const texts = yield* AnswerTexts
    const thesaurus = yield* thesaurusOf(settings.policy.thesaurus)
    const gathered = yield* timeStage(
      stages,
      "gather",
      metered(
        gatherEvidence(workspace, question, {
          gated: mode !== "off",
          settings,
          stamp,
          filter: { pathPrefix: query.pathPrefix, tag: query.tag, verification: query.verification }
        }),
        uses
      ),
      ({ sources }) => sources.length,
      () => sumOfUses(uses).costUsd
    )
    const today = (yield* momentOfReading).slice(0, 10)
    const { chosen, evidence } = yield* timeStage(
      stages,
      "select",
      Effect.sync(() =>
        evidenceOf(gathered, {
          maxSources: isSmallTalk(question.original) ? 0 : query.maxSources,
          style: styleOf(query, settings),
          texts,
          thesaurus,
          today
        })
      ),
      (picked) => picked.chosen.length
    )
    const { data: rows, failed } = query.includeData
      ? yield* gatherData(workspace, question.text, gathered, settings)
      : noData
    const { definition } = gathered
    const data = definition === null ? rows : [...rows, { ...definition, id: `D${rows.length + 1}` }]
    const governance = yield* readGovernance(workspace, subjectsOf(evidence), gathered.seen)
    const validAt = past === null ? new Map() : yield* validSince(workspace, governance)
    const shown = {
      sources: sourcesOf(evidence.sources, gathered.termWeights, { ...governance, validAt }),
      dataCalls: dataCallsOf(data)
    }
    yield* (yield* PartListener)?.({ type: "sources", ...shown }) ?? Effect.void
    return {
      gathered,
      chosen,
      governance,
      ...shown,
      unavailableData: failed,
      evidence: { ...evidence, data, retired: retiredOf(governance) }
    }
  })

/** Evidence of a question with its governance status. */
export type QuestionEvidence = Effect.Effect.Success<ReturnType<typeof evidenceFor>>

/** A written answer before its claims are checked. */
export interface Draft {
  /** The gate's judgment of the evidence alone; null when the gate is off. */
  readonly preJudgment: Judgment | null
  /** The gate answered in the place of a model. */
  readonly stopped: boolean
  readonly cacheLookup: CacheLookup
  readonly outcome: Outcome
  /** True for a cached answer. */
  readonly fromCache: boolean
  /** The checks of claims that need no other: of a cached answer on the same evidence, or of verbatim quotes. */
  readonly checks: ReadonlyArray<ClaimCheck> | null
  /** Of what was read from versions of documents, which differ without disagreeing; null where it is estimated. */
  readonly confidence: number | null
}

/** What a written answer is where nothing else is known of it. */
export const plainDraft = {
  stopped: false,
  cacheLookup: noCacheLookup,
  fromCache: false,
  checks: null,
  confidence: null
} satisfies Partial<Draft>

/** The gate's first look, and then what is written: by rule, given again, or by a model. */
export const draftAnswer = (
  questionRun: QuestionRun,
  { evidence, gathered, unavailableData }: Pick<QuestionEvidence, "evidence" | "gathered" | "unavailableData">
) =>
  Effect.gen(function* () {
    const { calibration, chat, fallback, mode, past, query, running, settings, stages } = questionRun
    const preJudgment =
      mode === "off"
        ? null
        : yield* timeStage(
            stages,
            "gate",
            Effect.sync(() =>
              judgeEvidence(evidence, gathered, calibration, settings.policy, unavailableData, past)
            ),
            ({ decision }) => (decision.gate === "pre" ? 1 : 0)
          )
    if (mode === "enforce" && preJudgment?.decision.gate === "pre") {
      const reply = preGateReply(evidence, preJudgment.features.evidence, preJudgment.decision)
      const outcome = ruleOutcome(reply, running.chat)
      return { ...plainDraft, preJudgment, stopped: true, outcome } satisfies Draft
    }
    const { workspace } = yield* Caller
    const ids = yield* Ids
    const earlier = questionRun.uses.length
    const boundary = ids.sha256(ids.make("answer")).slice(0, 24)
    const cache = yield* AnswerCache
    const opened = cache.open(workspace, {
      evidence,
      policyMode: mode,
      maxSources: query.maxSources,
      // A cached answer cites passages alone.
      includeData: query.includeData || gathered.definition !== null,
      settings,
      versions: versionsOf(running, calibration)
    })
    // Cached answers are those of the present.
    const cacheLookup =
      questionRun.kept && past === null ? yield* metered(opened, questionRun.uses) : noCacheLookup
    const outcome = yield* timeStage(
      stages,
      "generate",
      cacheLookup.cachedAnswer === null
        ? streamingClaims(outcomeFrom(evidence, chat, fallback, boundary), questionRun, evidence, boundary)
        : Effect.succeed(cachedOutcome(cacheLookup.cachedAnswer, running.chat)),
      ({ calls }) => calls,
      ({ usage }) => addUsd(usage.costUsd, sumOfUses(questionRun.uses.slice(earlier)).costUsd)
    )
    return {
      ...plainDraft,
      preJudgment,
      cacheLookup,
      outcome,
      fromCache: cacheLookup.cachedAnswer !== null,
      checks: cacheLookup.cachedAnswer?.checks ?? null
    } satisfies Draft
  })

/** The gate's second look: how what is cited stands, where the sources disagree, and what follows. */
export const judgeDraft = (
  { calibration, stages }: QuestionRun,
  evidence: Evidence,
  { confidence, fromCache, outcome, preJudgment, stopped }: Draft,
  { checks, withheld }: Pick<CheckedOutcome, "checks" | "withheld">,
  { governance, unavailableData }: Pick<QuestionEvidence, "governance" | "unavailableData">
) =>
  Effect.gen(function* () {
    if (preJudgment === null || stopped) return preJudgment
    const conflicts = yield* timeStage(
      stages,
      "compare",
      confidence !== null ? Effect.succeed([]) : findConflictsInTurns(evidence, outcome.claims, governance),
      ({ length }) => length
    )
    return yield* timeStage(
      stages,
      "judge",
      Effect.sync(() =>
        judgeAnswer(evidence, preJudgment, calibration, {
          outcome,
          confidence,
          checks,
          conflicts,
          governance,
          fromCache,
          unavailableData,
          withheldClaims: withheld.length
        })
      ),
      ({ decision }) => decision.caveats.length
    )
  })

/** Cosines say nothing where an embedding model made the vectors: the models were fitted on built-in ones. */
const cosinesOf = ({ candidates, embedded }: GatheredEvidence) =>
  new Map(
    candidates.map(({ chunkId, vectorScore }) => [
      chunkId,
      embedded ? 0 : Math.min(1, Math.max(0, vectorScore ?? 0))
    ])
  )

/** Everything that was found, as evidence. */
export const poolOf = (gathered: GatheredEvidence, texts: TextCache, today?: string): Evidence =>
  makeEvidence({
    ...baseOf(gathered, texts),
    today,
    passages: gathered.sources.map(({ passage }) => passage)
  })

const baseOf = (gathered: GatheredEvidence, texts: TextCache) => ({
  question: gathered.question,
  entities: gathered.entities,
  stated: gathered.stated,
  idf: idfOf(gathered.termWeights),
  cosines: cosinesOf(gathered),
  analyse,
  texts
})

/** The style that a question asks for; what it leaves open is the workspace's. */
const styleOf = (
  { answerFormat, instructions, language }: Query,
  { answers }: Pick<Settings, "answers">
): AnswerStyle => ({
  instructions: [answers.instructions, instructions].flatMap((one) => one ?? []),
  format: answerFormat ?? plainStyle.format,
  ...defined({ language: language ?? answers.language ?? undefined, tone: answers.tone ?? undefined })
})

const evidenceOf = (
  gathered: GatheredEvidence,
  {
    maxSources,
    style,
    texts,
    thesaurus,
    today
  }: {
    readonly maxSources: number
    readonly style: AnswerStyle
    readonly texts: TextCache
    readonly thesaurus: Thesaurus | undefined
    readonly today: string
  }
): { readonly evidence: Evidence; readonly chosen: ReadonlyArray<ChosenPassage> } => {
  const pool = poolOf(gathered, texts, today)
  const chosen = choosePassages(pool, maxSources)
  const passages = chosen.map(({ passage }) => passage)
  return {
    chosen,
    evidence: makeEvidence({ ...baseOf(gathered, texts), idf: pool.idf, passages, thesaurus, style, today })
  }
}
