import { nameNorm } from "../kernel/index.js"
import type { AnswerFacts, EvidenceConflict, EvidenceFacts, FeatureValues } from "../policy/index.js"
import type { AnchorField } from "./anchors.js"
import { askingOf } from "./asking.js"
import { claimText } from "./claim-text.js"
import type { Evidence, EvidencePassage } from "./evidence.js"
import { evidenceValues } from "./evidence-features.js"
import type { Gathered } from "./evidence-source.js"
import { factOf } from "./fact-of.js"
import type { Governance } from "./governance.js"
import type { ClaimCheck } from "./grounding.js"
import type { Claim } from "./model.js"
import type { Outcome } from "./outcome.js"
import type { ReadText } from "./read-text.js"
import { markersIn } from "./reply.js"
import { namesOf } from "./surroundings.js"
import type { TermSet } from "./terms.js"

/** What the gate wants to know of question and evidence before an answer is written. Pure. */
export const evidenceFacts = (evidence: Evidence, gathered: Gathered): EvidenceFacts => {
  const cosines = (gathered.candidates ?? []).flatMap(({ vectorScore }) => vectorScore ?? [])
  return {
    sources: evidence.sources.length,
    dataRows: evidence.data.reduce((sum, { rows }) => sum + rows.length, 0),
    hasSubject: evidence.question.hasSubject,
    ambiguous: [...(gathered.ambiguous ?? [])],
    unknownTerms: [...(gathered.unknownTerms ?? [])],
    coverage: coverageOf(evidence, evidence.sources, headed(evidence)),
    bestCosine: gathered.embedded === true && cosines.length > 0 ? Math.max(...cosines) : null
  }
}

/** Features that are known before an answer is written. Pure. */
export const priorValues = (
  evidence: Evidence,
  { coverage }: EvidenceFacts,
  { candidates = [], embedded }: Gathered
): FeatureValues => {
  const words = candidates.flatMap(({ lexicalScore }) => lexicalScore ?? []).sort((a, b) => b - a)
  const rerank = candidates.flatMap(({ rerankScore }) => rerankScore ?? [])
  const best = rerank.length === 0 ? null : Math.max(...rerank)
  return {
    evidenceCoverage: coverage,
    evidenceAnchors: anchorShare(evidence, evidence.sources, (source) => underItsHead(source).field),
    ...scoreShape(words.slice(0, shapedScores)),
    ...presenceValues(evidence, candidates, words, embedded === true),
    channelOverlap: overlapOf(candidates),
    rerankerScore: best !== null && best >= 0 && best <= 1 ? best : null,
    ...evidenceValues(evidence, { candidates, ...(embedded === undefined ? {} : { embedded }) })
  }
}

/** Features of an answer that was written. Pure. */
export const answerValues = (
  evidence: Evidence,
  { claims }: Outcome,
  checks: ReadonlyArray<ClaimCheck>,
  conflicts: ReadonlyArray<EvidenceConflict>
): FeatureValues => {
  const hasConflict = conflicts.length > 0 ? 1 : 0
  if (claims.length === 0) return { conflictPresent: hasConflict }
  const cited = citedPassagesOf(evidence, claims, "")
  const documents = new Map(cited.map(({ passage }) => [passage.documentId, passage.docVerification]))
  const trusted = [...documents.values()].filter((one) => one === "verified" || one === "certified")
  const supports = checks.map(({ support }) => support)
  // What a claim does not say of its subject, title and headings do.
  const said = [
    ...claims.map(({ text }) => claimText(evidence, text)),
    ...cited.map((source) => evidence.texts.read(aroundText(evidence, source)))
  ]
  return {
    verifiedShare: checks.filter(({ supported }) => supported).length / claims.length,
    supportLeast: Math.min(1, ...supports),
    supportMean: supports.reduce((sum, one) => sum + one, 0) / claims.length,
    citedShare: claims.filter(({ citations }) => citations.length > 0).length / claims.length,
    questionCoverage: coverageOf(evidence, said, { own: ({ set }) => set, all: ({ set }) => [set] }),
    anchorCoverage: anchorShare(evidence, said, ({ field }) => field),
    answerTypeMatch: typeMatch(evidence, claims),
    valueVeto: checks.some(({ veto }) => veto === "value") ? 1 : 0,
    trustedShare: documents.size === 0 ? null : trusted.length / documents.size,
    conflictPresent: hasConflict,
    documentCount: Math.min(1, documents.size / 5)
  }
}

/** What the gate wants to know of an answer. Pure. */
export const answerFacts = (
  evidence: Evidence,
  outcome: Outcome,
  checks: ReadonlyArray<ClaimCheck>,
  conflicts: ReadonlyArray<EvidenceConflict>,
  governance: Governance,
  fromCache: boolean
): AnswerFacts => {
  const { answer, answerable, claims } = outcome
  const cited = citedPassagesOf(evidence, claims, answer)
  const ids = new Set([...claims.flatMap(({ citations }) => citations), ...markersIn(answer)])
  const texts =
    governance.entities.length === 0
      ? []
      : cited.map((source) => ({ id: source.id, words: wordsIn(underItsHead(source)) }))
  return {
    answerable,
    claims: claims.length,
    verified: checks.filter(({ supported }) => supported).length,
    unverifiedSourceIds: unique(
      claims.flatMap(({ citations }, place) => (checks[place]?.supported === true ? [] : citations))
    ),
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
    fromCache,
    notes: [...outcome.reasons]
  }
}

/** The passages that claims or prose cite, in the order of the registry. */
const citedPassagesOf = (
  { sources }: Evidence,
  claims: ReadonlyArray<Claim>,
  prose: string
): ReadonlyArray<EvidencePassage> => {
  const ids = new Set([...claims.flatMap(({ citations }) => citations), ...markersIn(prose)])
  return sources.filter(({ id }) => ids.has(id))
}

const unique = (ids: ReadonlyArray<string>): Array<string> => [...new Set(ids)]

const aroundText = (evidence: Evidence, { passage }: EvidencePassage): string =>
  [...namesOf(evidence, passage.docTitle), ...passage.headingPath].join(" | ")

const headOf = ({ passage: { docPath, docTitle, headingPath } }: EvidencePassage): string =>
  [docTitle, ...headingPath, docPath].join(" | ")

/** A passage behind its title, headings and path. */
const underItsHead = (source: EvidencePassage): ReadText => source.read.under(headOf(source))

/** Of a source its own words, and those above them, too. */
const headed = ({ texts }: Evidence): Parts<EvidencePassage> => ({
  own: ({ read }) => read.set,
  all: (source) => [source.read.set, texts.read(headOf(source)).set]
})

interface Parts<Text> {
  /** One of all. */
  readonly own: (text: Text) => TermSet
  readonly all: (text: Text) => ReadonlyArray<TermSet>
}

/** The words of a text with a blank around each: what is sought in it is sought as whole words. */
const wordsOf = (text: string): string =>
  ` ${nameNorm(text)
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `

const wordsIn = factOf(({ text }: ReadText) => wordsOf(text))

/** Share of the question's terms, by rarity, that texts hold between them, 0 to 1. */
const coverageOf = <Text>(
  evidence: Evidence,
  texts: ReadonlyArray<Text>,
  { all, own }: Parts<Text>
): number => {
  const asking = askingOf(evidence)
  let total = 0
  let covered = 0
  for (const { term } of evidence.question.terms) {
    const weight = asking.weigh(term)
    // Where a text says the word itself nothing can carry it better.
    const isSaid = texts.some((text) => asking.match(own(text), term) === 1)
    const carried = isSaid
      ? 1
      : texts.reduce((best, text) => Math.max(best, asking.matchIn(all(text), term)), 0)
    total += weight
    covered += weight * carried
  }
  return total === 0 ? (texts.length === 0 ? 0 : 1) : Math.min(1, covered / total)
}

/** Share of what the question names that one of the texts holds; null where it names nothing. */
const anchorShare = <Text>(
  { question }: Evidence,
  texts: ReadonlyArray<Text>,
  fieldOf: (text: Text) => AnchorField
): number | null => {
  if (question.anchors.length === 0) return null
  const shares = question.anchors.map((anchor) => {
    let best = 0
    // What one of them holds whole need not be looked for in the others.
    for (const text of texts) if (best < 1) best = Math.max(best, fieldOf(text).share(anchor))
    return best
  })
  return shares.reduce((sum, share) => sum + share, 0) / shares.length
}

const typeMatch = (evidence: Evidence, claims: ReadonlyArray<Claim>): number | null => {
  if (!typed.has(evidence.question.answerType)) return null
  const { holdsType } = askingOf(evidence)
  return claims.some(({ text }) => holdsType(claimText(evidence, text))) ? 1 : 0
}

/** Kinds of answers that can be told from a text. */
const typed = new Set(["number", "date", "person", "place", "yes-no"])

/** Scores whose shape is looked at. */
const shapedScores = 8

const scoreShape = (scores: ReadonlyArray<number>): FeatureValues => {
  const [first, last] = [scores[0], scores.at(-1)]
  if (first === undefined || last === undefined || scores.length < 2 || first <= 0) return {}
  const mean = scores.reduce((sum, one) => sum + one, 0) / scores.length
  const spread = Math.sqrt(scores.reduce((sum, one) => sum + (one - mean) ** 2, 0) / scores.length)
  return {
    scoreGap: Math.min(1, Math.max(0, (first - last) / first)),
    scoreSpread: mean <= 0 ? null : Math.min(1, spread / mean)
  }
}

/** The most that a term can score by words: k1 + 1 times its rarity. */
const termScoreMax = 2.2
const entropyScores = 10

/** Whether the workspace speaks of it at all. `words` are the scores by words, descending. */
const presenceValues = (
  { idf, question }: Evidence,
  candidates: NonNullable<Gathered["candidates"]>,
  words: ReadonlyArray<number>,
  embedded: boolean
): FeatureValues => {
  const cosines = embedded ? [] : candidates.flatMap(({ vectorScore }) => vectorScore ?? [])
  const rarity = [...new Set(question.terms.map(({ term }) => term))].reduce(
    (sum, term) => sum + Math.max(0.05, idf(term)),
    0
  )
  const firsts = words.slice(0, entropyScores)
  const total = firsts.reduce((sum, one) => sum + one, 0)
  const entropy = firsts.reduce((sum, one) => sum - (one > 0 ? (one / total) * Math.log(one / total) : 0), 0)
  return {
    vectorScore: cosines.length === 0 ? null : Math.min(1, Math.max(0, ...cosines)),
    lexicalShare: rarity === 0 ? null : Math.min(1, Math.max(0, words[0] ?? 0) / (termScoreMax * rarity)),
    scoreEntropy:
      firsts.length < entropyScores || total <= 0 ? null : Math.min(1, entropy / Math.log(entropyScores))
  }
}

const overlapTop = 10

const overlapOf = (candidates: NonNullable<Gathered["candidates"]>): number | null => {
  const isTop = (place: number | null) => place !== null && place <= overlapTop
  const words = candidates.filter(({ ranks }) => isTop(ranks.fts))
  if (words.length === 0 || candidates.every(({ ranks }) => ranks.vector === null)) return null
  return words.filter(({ ranks }) => isTop(ranks.vector)).length / words.length
}
