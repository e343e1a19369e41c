import type { AnswerFacts, GateFeatures } from "./gate-features.js"
import type { Caveat, CaveatCode } from "./model.js"

/** The reservations about an answer, one for each code at most, in the order of the codes. Pure. */
export const caveatsOf = (features: GateFeatures, answer: AnswerFacts): ReadonlyArray<Caveat> => {
  const citedIds = [...answer.cited.map(({ id }) => id)]
  return [
    ...caveat("low_confidence", isUnsure(features), citedIds),
    ...caveat("partial_grounding", answer.verified < answer.claims, answer.unverifiedSourceIds),
    ...caveat("conflicting_evidence", answer.conflicts.length > 0, conflictSides(answer)),
    ...ofSources("stale_source", answer, ({ reviewDue }) => reviewDue),
    ...caveat("unverified_source", answer.workspaceVerifies && isUnverified(answer), citedIds),
    ...ofSources("deprecated_source", answer, ({ verification }) => verification === "deprecated"),
    ...ofEntities("deprecated_entity", answer, ({ lifecycle }) => lifecycle === "deprecated"),
    ...ofEntities("superseded_entity", answer, ({ lifecycle }) => lifecycle === "superseded"),
    ...(answer.workspaceCurates && answer.entities.every(({ authority }) => authority === "machine_extracted")
      ? ofEntities("machine_extracted_only", answer, () => true)
      : []),
    ...caveat("data_truncated", answer.truncatedDataIds.length > 0, answer.truncatedDataIds),
    ...caveat("from_cache", answer.fromCache, citedIds)
  ]
}

const isUnsure = ({ confidence, limits }: GateFeatures): boolean =>
  confidence !== null && confidence < limits.confidence

const isUnverified = ({ cited }: AnswerFacts): boolean =>
  cited.length > 0 && cited.every(({ verification }) => verification === "unverified")

const caveat = (code: CaveatCode, holds: boolean, sourceIds: ReadonlyArray<string>): ReadonlyArray<Caveat> =>
  holds ? [{ code, message: messages[code], sourceIds: [...new Set(sourceIds)] }] : []

const ofSources = (
  code: CaveatCode,
  { cited }: AnswerFacts,
  isMeant: (source: AnswerFacts["cited"][number]) => boolean
) => {
  const meant = cited.filter(isMeant).map(({ id }) => id)
  return caveat(code, meant.length > 0, meant)
}

const ofEntities = (
  code: CaveatCode,
  { entities }: AnswerFacts,
  isMeant: (entity: AnswerFacts["entities"][number]) => boolean
) => {
  const meant = entities.filter(isMeant)
  return caveat(
    code,
    meant.length > 0,
    meant.flatMap(({ sourceIds }) => sourceIds)
  )
}

const conflictSides = ({ conflicts }: AnswerFacts): ReadonlyArray<string> =>
  conflicts.flatMap(({ sides }) => sides.map(({ sourceId }) => sourceId))

const messages: Readonly<Record<CaveatCode, string>> = {
  low_confidence: "The estimated confidence is below the threshold.",
  partial_grounding: "Not every statement was found in what it cites.",
  conflicting_evidence: "The sources disagree.",
  stale_source: "A cited document is overdue for review.",
  unverified_source: "None of the cited documents is verified.",
  deprecated_source: "A cited document is deprecated.",
  deprecated_entity: "The answer is about something that is deprecated.",
  superseded_entity: "The answer is about something that was superseded.",
  machine_extracted_only: "What the answer is about was extracted by machine and looked at by nobody.",
  data_truncated: "A data call was cut off at its limit.",
  from_cache: "The answer was given before, from the same evidence."
}
