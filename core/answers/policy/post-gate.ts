import type { AnswerFacts, GateFeatures } from "./gate-features.js"
import type { Caveat, CaveatCode } from "./model.js"

/**
 * Returns the caveats of an answer, at most one per code, in the order of the codes, with their sources in the order
 * of the evidence. Pure.
 */
export const caveatsOf = (features: GateFeatures, answer: AnswerFacts): ReadonlyArray<Caveat> => {
  const { cited, entities } = answer
  const found: Array<Caveat> = []
  const places = new Map(cited.map(({ id }, place) => [id, place]))
  const placeOf = (id: string) => places.get(id) ?? places.size
  // Sources are computed lazily, because caveats are rare.
  const note = (code: CaveatCode, holds: boolean, sourceIds: () => ReadonlyArray<string>) => {
    if (!holds) return
    const ids = [...new Set(sourceIds())].sort((a, b) => placeOf(a) - placeOf(b))
    found.push({ code, message: messages[code], sourceIds: ids })
  }
  const noteSources = (code: CaveatCode, isMeant: (source: AnswerFacts["cited"][number]) => boolean) =>
    note(code, cited.some(isMeant), () => cited.filter(isMeant).map(({ id }) => id))
  const noteEntities = (code: CaveatCode, isMeant: (entity: AnswerFacts["entities"][number]) => boolean) =>
    note(code, entities.some(isMeant), () => entities.filter(isMeant).flatMap(({ sourceIds }) => sourceIds))
  const citedIds = () => cited.map(({ id }) => id)
  note("low_confidence", isUnsure(features), citedIds)
  noteGrounding(found, answer, placeOf)
  note("conflicting_evidence", answer.conflicts.length > 0, () => conflictSides(answer))
  noteSources("stale_source", ({ reviewDue }) => reviewDue)
  note("unverified_source", answer.workspaceVerifies && isUnverified(answer), citedIds)
  noteSources("deprecated_source", ({ verification }) => verification === "deprecated")
  noteEntities("deprecated_entity", ({ lifecycle }) => lifecycle === "deprecated")
  noteEntities("superseded_entity", ({ lifecycle }) => lifecycle === "superseded")
  if (answer.workspaceCurates && entities.every(({ authority }) => authority === "machine_extracted"))
    noteEntities("machine_extracted_only", () => true)
  note("data_truncated", answer.truncatedDataIds.length > 0, () => answer.truncatedDataIds)
  note("data_unavailable", (answer.unavailableData ?? 0) > 0, () => [])
  note("reply_truncated", answer.notes.includes("reply_truncated"), citedIds)
  noteSources("text_uncertain", ({ isUncertain }) => isUncertain === true)
  note("from_cache", answer.fromCache, citedIds)
  return found
}

/** Names the claims that were not verified, and how many sentences were withheld. */
const noteGrounding = (
  found: Array<Caveat>,
  {
    claims,
    unmatchedWords,
    unverifiedClaims,
    unverifiedSourceIds,
    verified,
    withheldClaims = 0
  }: AnswerFacts,
  placeOf: (id: string) => number
): void => {
  if (verified >= claims && withheldClaims === 0) return
  const sourceIds = [...new Set(unverifiedSourceIds)].sort((a, b) => placeOf(a) - placeOf(b))
  const code = "partial_grounding"
  if (unverifiedClaims === undefined) return void found.push({ code, message: messages[code], sourceIds })
  const places = unverifiedClaims.map((place) => place + 1)
  const sentences = [
    ...(places.length === 0 ? [] : [`Not found in what they cite: statement ${places.join(", ")}.`]),
    ...(unmatchedWords === undefined || places.length === 0 ? [] : [`No source says “${unmatchedWords}”.`]),
    ...(withheldClaims === 0 ? [] : [`Withheld because nothing supports them: ${withheldClaims}.`])
  ]
  found.push({ code, message: sentences.join(" "), sourceIds, claims: [...unverifiedClaims] })
}

const isUnsure = ({ confidence, limits }: GateFeatures): boolean =>
  confidence !== null && confidence < limits.confidence

const isUnverified = ({ cited }: AnswerFacts): boolean =>
  cited.length > 0 && cited.every(({ verification }) => verification === "unverified")

const conflictSides = ({ conflicts }: AnswerFacts): ReadonlyArray<string> =>
  conflicts.flatMap(({ sides }) => sides.map(({ sourceId }) => sourceId))

/** The caveat of data that could not be read, which an abstention carries, too. */
export const unavailableCaveats = (count: number): ReadonlyArray<Caveat> =>
  count === 0 ? [] : [{ code: "data_unavailable", message: messages.data_unavailable, sourceIds: [] }]

const messages: Readonly<Record<CaveatCode, string>> = {
  low_confidence: "The estimated confidence is below the threshold.",
  partial_grounding: "Not every statement was found in what it cites.",
  conflicting_evidence: "The sources disagree.",
  stale_source: "A cited document is overdue for review.",
  unverified_source: "None of the cited documents is verified.",
  deprecated_source: "A cited document is deprecated.",
  deprecated_entity: "The answer is about something that is deprecated.",
  superseded_entity: "The answer is about something that was superseded.",
  machine_extracted_only: "The entities of the answer were extracted by machine and reviewed by nobody.",
  data_truncated: "A data call was cut off at its limit.",
  data_unavailable: "Live data that belongs to the question could not be read.",
  reply_truncated: "The reply of the model was cut off at its length limit: its end is missing.",
  text_uncertain: "A cited document was converted, and its text may say something else than the original.",
  history_incomplete:
    "A text that was current at that time has been removed since: what it said is not known.",
  from_cache: "The answer was given before, from the same evidence."
}

/** The caveat of a question about an earlier moment of which not every text is kept. */
export const historyIncomplete: Caveat = {
  code: "history_incomplete",
  message: messages.history_incomplete,
  sourceIds: []
}

/** The caveat of a reply of a model that was cut off. */
export const truncatedCaveat: Caveat = {
  code: "reply_truncated",
  message: messages.reply_truncated,
  sourceIds: []
}
