import { memoize } from "../caching/index.js"
import {
  type Claim,
  claimText,
  type Evidence,
  type EvidencePassage,
  namesOf,
  prepareQuestion
} from "../evidence/index.js"
import {
  type Candidate,
  coverageOfSources,
  coverageOfTexts,
  type GateEvidence,
  type Governance,
  headOf
} from "../gathering/index.js"
import { citedIds, type Outcome } from "../generation/index.js"
import type { ClaimCheck } from "../grounding/index.js"
import { nameNorm } from "../kernel/index.js"
import type { AnswerFacts, EvidenceConflict, EvidenceFacts, FeatureValues } from "../policy/index.js"
import type { Question } from "../questions/index.js"
import type { AnchorField, ReadText } from "../text-analysis/index.js"
import { evidenceValues, type Noted, typed } from "./evidence-features.js"

/** What the gate wants to know of question and evidence before an answer is written. Pure. */
export const evidenceFacts = (
  evidence: Evidence,
  gathered: GateEvidence,
  unavailableData = 0
): EvidenceFacts => {
  const cosines =
    gathered.embedded === true
      ? (gathered.candidates ?? []).flatMap(({ vectorScore }) => vectorScore ?? [])
      : []
  return {
    sources: evidence.sources.length,
    dataRows: evidence.data.reduce((sum, { rows }) => sum + rows.length, 0),
    hasSubject: evidence.question.hasSubject,
    ambiguous: [...(gathered.ambiguous ?? [])],
    unknownTerms: [...(gathered.unknownTerms ?? [])],
    coverage: coverageOfSources(evidence),
    bestCosine: cosines.length > 0 ? Math.max(...cosines) : null,
    ...(unavailableData === 0 ? {} : { unavailableData })
  }
}

/** Features that are known before an answer is written. Pure. */
export const priorValues = (
  evidence: Evidence,
  { coverage }: EvidenceFacts,
  { candidates = [], embedded }: GateEvidence
): FeatureValues => {
  const words: Array<number> = []
  let best: number | null = null
  for (const { lexicalScore, rerankScore } of candidates) {
    if (lexicalScore !== null) words.push(lexicalScore)
    if (rerankScore !== null && (best === null || rerankScore > best)) best = rerankScore
  }
  words.sort((a, b) => b - a)
  const values: Noted = {}
  values.evidenceCoverage = coverage
  values.evidenceAnchors = anchorShare(evidence.question, () =>
    evidence.sources.map((source) => underItsHead(source).field)
  )
  noteShape(values, words.slice(0, shapedScores))
  notePresence(values, evidence, candidates, words, embedded === true)
  values.channelOverlap = overlapOf(candidates)
  values.rerankerScore = best !== null && best >= 0 && best <= 1 ? best : null
  return Object.assign(
    values,
    evidenceValues(evidence, { candidates, ...(embedded === undefined ? {} : { embedded }) })
  )
}

/** The features of a question, with those of the answer that was written. Pure. */
export const answerValues = (
  evidence: Evidence,
  prior: FeatureValues,
  { claims }: Outcome,
  checks: ReadonlyArray<ClaimCheck>,
  conflicts: ReadonlyArray<EvidenceConflict>
): FeatureValues => {
  const values: Noted = { ...prior }
  const hasConflict = conflicts.length > 0 ? 1 : 0
  if (claims.length === 0) {
    values.conflictPresent = hasConflict
    return values
  }
  const cited = citedPassagesOf(evidence, citedIn(claims))
  const documents = new Map(cited.map(({ passage }) => [passage.documentId, passage.docVerification]))
  const supports = checks.map(({ support }) => support)
  // What a claim does not say of its subject, title and headings do.
  const said = [
    ...claims.map(({ text }) => claimText(evidence, text)),
    ...cited.map((source) => evidence.texts.read(aroundText(evidence, source)))
  ]
  values.verifiedShare = countOf(checks, ({ supported }) => supported) / claims.length
  values.supportLeast = Math.min(1, ...supports)
  values.supportMean = supports.reduce((sum, one) => sum + one, 0) / claims.length
  values.citedShare = countOf(claims, ({ citations }) => citations.length > 0) / claims.length
  values.questionCoverage = coverageOfTexts(evidence, said)
  values.anchorCoverage = anchorShare(evidence.question, () => said.map(({ field }) => field))
  values.answerTypeMatch = typeMatch(evidence, claims)
  values.valueVeto = checks.some(({ veto }) => veto === "value") ? 1 : 0
  values.trustedShare =
    documents.size === 0 ? null : countOf([...documents.values()], isTrusted) / documents.size
  values.conflictPresent = hasConflict
  values.documentCount = Math.min(1, documents.size / 5)
  return values
}

const countOf = <Item>(items: ReadonlyArray<Item>, test: (item: Item) => boolean): number => {
  let count = 0
  for (const item of items) if (test(item)) count += 1
  return count
}

const isTrusted = (verification: EvidencePassage["passage"]["docVerification"]): boolean =>
  verification === "verified" || verification === "certified"

/** What the gate wants to know of an answer. Pure. */
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
    ...(verified === 0 ? { isUngrounded: true } : {}),
    unverifiedSourceIds: unique(
      claims.flatMap(({ citations }, place) => (checks[place]?.supported === true ? [] : citations))
    ),
    unverifiedClaims: claims.flatMap((_, place) => (checks[place]?.supported === true ? [] : [place])),
    ...(withheldClaims === 0 ? {} : { withheldClaims }),
    cited: cited.map(({ id, passage }) => ({
      id,
      verification: evidence.retired.has(passage.documentId) ? "deprecated" : passage.docVerification,
      reviewDue: governance.reviewDue.has(passage.documentId)
    })),
    workspaceVerifies: governance.workspaceVerifies,
    entities: governance.entities.flatMap(({ authority, id, lifecycle, name, names }) => {
      const sought = names.map(wordsOf)
      const sourceIds = texts
        .filter(({ words }) => sought.some((one) => words.includes(one)))
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

/** What claims cite. */
const citedIn = (claims: ReadonlyArray<Claim>): Set<string> => {
  const ids = new Set<string>()
  for (const { citations } of claims) for (const id of citations) ids.add(id)
  return ids
}

/** The passages that are cited, in the order of the registry. */
const citedPassagesOf = ({ sources }: Evidence, ids: ReadonlySet<string>): ReadonlyArray<EvidencePassage> =>
  sources.filter(({ id }) => ids.has(id))

const unique = (ids: ReadonlyArray<string>): Array<string> => [...new Set(ids)]

const aroundText = (evidence: Evidence, { passage }: EvidencePassage): string =>
  [...namesOf(evidence, passage.docTitle), ...passage.headingPath].join(" | ")

/** A passage behind its title, headings and path. */
const underItsHead = (source: EvidencePassage): ReadText => source.read.under(headOf(source.passage))

/** The words of a text with a blank around each: what is sought in it is sought as whole words. */
const wordsOf = (text: string): string =>
  ` ${nameNorm(text)
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `

const wordsIn = memoize(({ text }: ReadText) => wordsOf(text))

/** Share of what the question names that one of the texts holds; null where it names nothing. */
const anchorShare = ({ anchors }: Question, fieldsOf: () => ReadonlyArray<AnchorField>): number | null => {
  if (anchors.length === 0) return null
  const fields = fieldsOf()
  let sum = 0
  for (const anchor of anchors) {
    let best = 0
    // What stands whole in one text need not be looked for in the others.
    for (const field of fields) if (best < 1) best = Math.max(best, field.share(anchor))
    sum += best
  }
  return sum / anchors.length
}

const typeMatch = (evidence: Evidence, claims: ReadonlyArray<Claim>): number | null => {
  if (!typed.has(evidence.question.answerType)) return null
  const { holdsType } = prepareQuestion(evidence)
  return claims.some(({ text }) => holdsType(claimText(evidence, text))) ? 1 : 0
}

/** Scores whose shape is looked at. */
const shapedScores = 8

const noteShape = (values: Noted, scores: ReadonlyArray<number>): void => {
  const [first, last] = [scores[0], scores.at(-1)]
  if (first === undefined || last === undefined || scores.length < 2 || first <= 0) return
  const mean = scores.reduce((sum, one) => sum + one, 0) / scores.length
  const spread = Math.sqrt(scores.reduce((sum, one) => sum + (one - mean) ** 2, 0) / scores.length)
  values.scoreGap = Math.min(1, Math.max(0, (first - last) / first))
  values.scoreSpread = mean <= 0 ? null : Math.min(1, spread / mean)
}

/** The most that a term can score by words: k1 + 1 times its rarity. */
const termScoreMax = 2.2
const entropyScores = 10

/** Whether the workspace speaks of it at all. `words` are the scores by words, descending. */
const notePresence = (
  values: Noted,
  evidence: Evidence,
  candidates: ReadonlyArray<Candidate>,
  words: ReadonlyArray<number>,
  embedded: boolean
): void => {
  const asking = prepareQuestion(evidence)
  const cosines = embedded ? [] : candidates.flatMap(({ vectorScore }) => vectorScore ?? [])
  let rarity = 0
  for (const term of asking.termsOfQuestion) rarity += asking.weigh(term)
  const firsts = words.slice(0, entropyScores)
  const total = firsts.reduce((sum, one) => sum + one, 0)
  const entropy = firsts.reduce((sum, one) => sum - (one > 0 ? (one / total) * Math.log(one / total) : 0), 0)
  values.vectorScore = cosines.length === 0 ? null : Math.min(1, Math.max(0, ...cosines))
  values.lexicalShare =
    rarity === 0 ? null : Math.min(1, Math.max(0, words[0] ?? 0) / (termScoreMax * rarity))
  values.scoreEntropy =
    firsts.length < entropyScores || total <= 0 ? null : Math.min(1, entropy / Math.log(entropyScores))
}

const overlapTop = 10

const overlapOf = (candidates: ReadonlyArray<Candidate>): number | null => {
  const isTop = (place: number | null) => place !== null && place <= overlapTop
  const words = candidates.filter(({ ranks }) => isTop(ranks.fts))
  if (words.length === 0 || candidates.every(({ ranks }) => ranks.vector === null)) return null
  return words.filter(({ ranks }) => isTop(ranks.vector)).length / words.length
}
