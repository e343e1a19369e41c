import { hasOpenReference } from "../../language/questions/index.js"
import type { ReadText } from "../../language/text-analysis/index.js"
import { memoize } from "../../platform/caching/index.js"
import { nameNorm } from "../../platform/kernel/index.js"
import type { Claim, Evidence, EvidencePassage } from "../evidence/index.js"
import { extractAnswer, probabilityOf } from "../extractive/index.js"
import { coverageOfSources, type GateEvidence, type Governance, headOf } from "../gathering/index.js"
import { citedIds, type Outcome } from "../generation/index.js"
import type { ClaimCheck } from "../grounding/index.js"
import type { AnswerFacts, EvidenceConflict, EvidenceFacts, FeatureValues } from "../policy/index.js"
import { scoredAnswer } from "../selection/index.js"

/** Returns the facts about question and evidence that the gate checks before generation. Pure. */
export const evidenceFacts = (
  evidence: Evidence,
  gathered: GateEvidence,
  unavailableData = 0
): EvidenceFacts => {
  const cosines =
    gathered.embedded === true
      ? (gathered.candidates ?? []).flatMap(({ vectorScore }) => vectorScore ?? [])
      : []
  const named = gathered.ambiguous ?? []
  return {
    sources: evidence.sources.length,
    dataRows: evidence.data.reduce((sum, { rows }) => sum + rows.length, 0),
    hasSubject: evidence.question.hasSubject && !pointsToNothing(evidence),
    ambiguous: named.length === 0 || isSettled(evidence) ? [] : [...named],
    unknownTerms: [...(gathered.unknownTerms ?? [])],
    coverage: coverageOfSources(evidence),
    bestCosine: cosines.length > 0 ? Math.max(...cosines) : null,
    ...(unavailableData === 0 ? {} : { unavailableData })
  }
}

/** Whether nothing answers a question about something that it does not name, such as "this library". */
const pointsToNothing = (evidence: Evidence): boolean =>
  hasOpenReference(evidence.question.text) && !extractAnswer(evidence).answerable

/** Distance of scores from which a statement is clearly better supported than one of another document. */
const settledMargin = 2.5

/**
 * Whether one document answers, and clearly better than all others, so that a name with several bearers need not be
 * asked back.
 */
const isSettled = (evidence: Evidence): boolean => {
  if (!extractAnswer(evidence).answerable) return false
  const { statements } = scoredAnswer(evidence)
  const [best] = statements
  const rival = statements.find(({ document }) => document !== best?.document)
  return best !== undefined && (rival === undefined || best.score - rival.score >= settledMargin)
}

/**
 * Features that are known before an answer is written: those of the best statement. Of several questions at once the
 * one that is answered least counts. Pure.
 */
export const priorValues = (evidence: Evidence): FeatureValues => {
  const { parts } = evidence.question
  const evidencePerPart =
    parts.length === 0 ? [evidence] : parts.map((question) => ({ ...evidence, question }))
  const [weakest] = evidencePerPart
    .map((one) => ({ features: scoredAnswer(one).features, probability: probabilityOf(one) }))
    .sort((a, b) => a.probability - b.probability)
  return weakest?.features ?? {}
}

/** The features of a question, with those of the answer that was written. Pure. */
export const answerValues = (
  evidence: Evidence,
  prior: FeatureValues,
  { claims }: Outcome,
  checks: ReadonlyArray<ClaimCheck>,
  conflicts: ReadonlyArray<EvidenceConflict>
): FeatureValues => {
  const conflictPresent = conflicts.length > 0 ? 1 : 0
  if (claims.length === 0) return { ...prior, conflictPresent }
  const cited = citedPassagesOf(evidence, citedIn(claims))
  const documents = new Map(cited.map(({ passage }) => [passage.documentId, passage.docVerification]))
  const supports = checks.map(({ support }) => support)
  return {
    ...prior,
    conflictPresent,
    verifiedShare: countOf(checks, ({ supported }) => supported) / claims.length,
    ...(checks.some(({ status }) => status === "partly")
      ? { partlyShare: countOf(checks, ({ status }) => status === "partly") / claims.length }
      : {}),
    supportLeast: Math.min(1, ...supports),
    supportMean: supports.reduce((sum, one) => sum + one, 0) / claims.length,
    citedShare: countOf(claims, ({ citations }) => citations.length > 0) / claims.length,
    valueVeto: checks.some(({ veto }) => veto === "value") ? 1 : 0,
    trustedShare: documents.size === 0 ? null : countOf([...documents.values()], isTrusted) / documents.size,
    documentCount: Math.min(1, documents.size / 5)
  }
}

const countOf = <Item>(items: ReadonlyArray<Item>, test: (item: Item) => boolean): number => {
  let count = 0
  for (const item of items) if (test(item)) count += 1
  return count
}

const isTrusted = (verification: EvidencePassage["passage"]["docVerification"]): boolean =>
  verification === "verified" || verification === "certified"

/** Returns the facts about a written answer that the gate checks. Pure. */
export const answerFacts = (
  evidence: Evidence,
  outcome: Outcome,
  checks: ReadonlyArray<ClaimCheck>,
  conflicts: ReadonlyArray<EvidenceConflict>,
  governance: Governance,
  fromCache: boolean,
  unavailableData = 0,
  withheldClaims = 0
): AnswerFacts => {
  const { answerable, claims } = outcome
  const ids = citedIds(outcome)
  const cited = citedPassagesOf(evidence, ids)
  const texts =
    governance.entities.length === 0
      ? []
      : cited.map((source) => ({ id: source.id, words: wordsIn(underItsHead(source)) }))
  const verified = checks.filter(({ supported }) => supported).length
  return {
    answerable,
    claims: claims.length,
    verified,
    ...(checks.some(({ status, supported }) => supported || status === "partly")
      ? {}
      : { isUngrounded: true }),
    ...unmatchedWordsOf(claims, checks),
    unverifiedSourceIds: unique(
      claims.flatMap(({ citations }, place) => (checks[place]?.supported === true ? [] : citations))
    ),
    unverifiedClaims: claims.flatMap((_, place) => (checks[place]?.supported === true ? [] : [place])),
    ...(withheldClaims === 0 ? {} : { withheldClaims }),
    cited: cited.map(({ id, passage }) => ({
      id,
      verification: evidence.retired.has(passage.documentId) ? "deprecated" : passage.docVerification,
      reviewDue: governance.reviewDue.has(passage.documentId),
      ...(passage.docIsUncertain === undefined ? {} : { isUncertain: passage.docIsUncertain })
    })),
    workspaceVerifies: governance.workspaceVerifies,
    entities: governance.entities.flatMap(({ authority, id, lifecycle, name, names }) => {
      const wordsOfNames = names.map(wordsOf)
      const sourceIds = texts
        .filter(({ words }) => wordsOfNames.some((one) => words.includes(one)))
        .map((source) => source.id)
      return sourceIds.length === 0 ? [] : [{ id, name, authority, lifecycle, sourceIds }]
    }),
    workspaceCurates: governance.workspaceCurates,
    conflicts: [...conflicts],
    truncatedDataIds: evidence.data.filter((one) => one.truncated && ids.has(one.id)).map(({ id }) => id),
    ...(unavailableData === 0 ? {} : { unavailableData }),
    fromCache,
    notes: [...outcome.reasons]
  }
}

/** The first words of a claim that no source carries. */
const unmatchedWordsOf = (
  claims: ReadonlyArray<Claim>,
  checks: ReadonlyArray<ClaimCheck>
): Pick<AnswerFacts, "unmatchedWords"> => {
  for (const [place, check] of checks.entries()) {
    const [span] = check.unmatched ?? []
    const words = span === undefined ? "" : (claims[place]?.text.slice(span.start, span.end) ?? "")
    if (words !== "") return { unmatchedWords: words.slice(0, unmatchedMaxChars) }
  }
  return {}
}
/** A name may be long. */
const unmatchedMaxChars = 80

/** Returns the ids of all sources that the claims cite. */
const citedIn = (claims: ReadonlyArray<Claim>): Set<string> => {
  const ids = new Set<string>()
  for (const { citations } of claims) for (const id of citations) ids.add(id)
  return ids
}

/** The passages that are cited, in the order of the registry. */
const citedPassagesOf = ({ sources }: Evidence, ids: ReadonlySet<string>): ReadonlyArray<EvidencePassage> =>
  sources.filter(({ id }) => ids.has(id))

const unique = (ids: ReadonlyArray<string>): Array<string> => [...new Set(ids)]

/** A passage behind its title, headings and path. */
const underItsHead = (source: EvidencePassage): ReadText => source.read.under(headOf(source.passage))

/** The words of a text with a blank around each: what is sought in it is sought as whole words. */
const wordsOf = (text: string): string =>
  ` ${nameNorm(text)
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `

const wordsIn = memoize(({ text }: ReadText) => wordsOf(text))
