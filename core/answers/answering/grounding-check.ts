import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { AnswerTexts } from "../../language/text-analysis/index.js"
import { Caller, NoModelConfigured } from "../../platform/kernel/index.js"
import { type ModelUse, metered, sumOfUses } from "../../platform/models/index.js"
import { countUses, type Settings, WorkspaceStore } from "../../platform/workspace/index.js"
import type { Claim, Evidence } from "../evidence/index.js"
import { type Governance, readGovernance, retiredOf, subjectsOf } from "../gathering/index.js"
import { type Grounding, groundClaims, withCounts } from "../grounding/index.js"
import { type PolicyBlock, policyOff } from "../policy/index.js"
import { judgeAnswer, judgeEvidence, policyBlock } from "./gate.js"
import { claimsOfText } from "./grounding-check-claims.js"
import { evidenceForClaims } from "./grounding-check-evidence.js"
import type { GroundingCheck, GroundingReport } from "./model.js"
import { sourcesOf } from "./source.js"
import { evidenceOfCheck, statementsChecked } from "./statements-check.js"
import { answeringSetup } from "./versions.js"
import { verdictOf } from "./withhold.js"

/**
 * Checks a text, whoever wrote it, against the workspace: each statement against what may carry it, the sources
 * against each other. Nothing is generated, and nothing is logged: no question was asked. A claim that no source
 * carries cites none.
 */
export const checkText = Effect.fn("answering.check")(function* (input: GroundingCheck) {
  const { workspace } = yield* Caller
  const { settings } = yield* (yield* WorkspaceStore).get(workspace)
  const active = yield* answeringSetup(workspace, settings)
  if (input.judge === true && Option.isNone(active.models.judge))
    return yield* new NoModelConfigured({ message: "No judge model is configured." })
  const stated = claimsOfText(input.text)
  // Sentences that the text repeats are searched for once.
  const texts = [...new Set(stated)]
  const { docIds, entityIds } = input
  const uses: Array<ModelUse> = []
  const found = yield* metered(evidenceForClaims(workspace, texts, { docIds, entityIds }), uses)
  const asked = { text: input.text, statements: texts, found, thesaurus: settings.policy.thesaurus }
  const read = yield* evidenceOfCheck(asked, yield* AnswerTexts)
  const governance = yield* readGovernance(workspace, subjectsOf(read))
  const evidence = { ...read, retired: retiredOf(governance) }
  const { claims: distinct, conflicts } = yield* statementsChecked({ ...asked, governance }, read)
  const judge = input.judge === false ? Option.none() : active.models.judge
  const once = yield* groundClaims(distinct, read, judge)
  const usage = sumOfUses([once.usage, ...uses])
  yield* countUses(workspace, [usage])
  const places = new Map(texts.map((text, at) => [text, at]))
  const asStated = <A>(ofTexts: ReadonlyArray<A>): ReadonlyArray<A> =>
    stated.flatMap((text) => ofTexts[places.get(text) ?? -1] ?? [])
  const claims = asStated(distinct)
  const grounding = { ...once, ...withCounts(asStated(once.checks)) }
  const verdict = { active, claims, conflicts, governance, grounding, settings }
  return {
    claims: claims.map(({ citations, text }, at) => {
      const verdict = verdictOf(grounding.checks[at])
      return { text, ...verdict, citations: verdict.status === "unsupported" ? [] : [...citations] }
    }),
    sources: sourcesOf(evidence.sources, found.termWeights, governance),
    conflicts,
    groundedness: { verified: grounding.verified, total: grounding.total },
    policy: policyOf(input, evidence, verdict),
    usage: {
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      costUsd: Number(usage.costUsd)
    }
  } satisfies GroundingReport
})

interface Verdict {
  readonly active: Effect.Effect.Success<ReturnType<typeof answeringSetup>>
  readonly settings: Settings
  readonly claims: ReadonlyArray<Claim>
  readonly grounding: Grounding
  readonly conflicts: PolicyBlock["conflicts"]
  readonly governance: Governance
}

/** Returns the decision that the gate would make if the text were an answer. */
const policyOf = (
  { policyMode, text }: GroundingCheck,
  evidence: Evidence,
  { active, claims, conflicts, governance, grounding, settings }: Verdict
): PolicyBlock => {
  const mode = policyMode ?? settings.policy.mode
  if (mode === "off") return policyOff
  const preJudgment = judgeEvidence(evidence, {}, active.calibration, settings.policy)
  const outcome = {
    answerable: true,
    answer: text,
    claims,
    modelId: active.running.judge ?? "",
    usage: grounding.usage,
    calls: 0,
    droppedCitations: 0,
    reasons: grounding.reasons
  }
  const { checks } = grounding
  const checkedAnswer = { outcome, checks, conflicts, governance, fromCache: false }
  return policyBlock(mode, judgeAnswer(evidence, preJudgment, active.calibration, checkedAnswer))
}
