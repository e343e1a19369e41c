import {
  type AnchorField,
  isStateWord,
  type ReadText,
  type Term,
  TermLookup,
  type TermSet
} from "../../language/text-analysis/index.js"
import { isUnitWord } from "../../language/values/index.js"
import { type Claim, claimText, type Evidence, prepareQuestion } from "../evidence/index.js"
import type { PolicyBlock } from "../policy/index.js"
import { type Disagreement, disagreementOf } from "./compare.js"
import { CellComparisons } from "./data-cells.js"
import { isProperty } from "./measured-properties.js"
import { preferredOf, type SourceGovernance, standingOf } from "./preference.js"
import { type Statement, statementsOf } from "./statements.js"

type EvidenceConflict = PolicyBlock["conflicts"][number]

/** Minimum weighted share of the question's (or a claim's) words for a statement to be relevant. */
const bearingMin = 0.6
/** Lower minimum: the other statement of a pair shares most of the words anyway. */
const nearMin = 0.3
/** Lower minimum for what is asked about a named thing. */
const namedMin = 0.3
const statementsMax = 400
const conflictsMax = 20

/**
 * Returns the conflicts in the evidence of one question: pairs of statements from different sources about one subject
 * that are relevant to the question or a claim and cannot both hold. Pure and symmetric: the order of the sources
 * changes only their ids. Sides are in source order; at most 20 conflicts.
 *
 * @param governance Governance of the entities that the sources may be about, and of the documents by their front
 * matter; when absent, the document row alone decides.
 */
export const findConflicts = (
  evidence: Evidence,
  claims: ReadonlyArray<Claim>,
  governance: SourceGovernance = { entities: [] }
): ReadonlyArray<EvidenceConflict> => {
  const bearing = bearingOn(evidence, claims)
  const all = statementsOf(evidence, (read, around) => bearing(read, around) >= nearMin).slice(
    0,
    statementsMax
  )
  const near = all.map(({ quoted, read }) => bearing(read, quoted) >= bearingMin)
  const answers = all.map((statement) => answersQuestion(evidence, statement))
  const apart = all.map((statement) => namesAskedIn(evidence, statement))
  const cells = new CellComparisons(
    all,
    evidence.question,
    (statement) => bearing(statement.read, statement.context) >= bearingMin
  )
  const found: Array<Pair> = []
  for (const [at, one] of all.entries()) {
    for (let next = at + 1; next < all.length; next += 1) {
      const other = all[next]
      if (other === undefined || !(near[at] || near[next]) || !areTwoSources(one, other)) continue
      // One is about what the question names, the other is not.
      if (apart[at] !== apart[next]) continue
      const areAnswers = answers[at] === true && answers[next] === true
      if (!cells.areComparable(one, other)) continue
      const disagreement = disagreementOf(one, other, evidence.idf, areAnswers)
      if (disagreement !== undefined) found.push({ one, other, disagreement })
    }
  }
  const order = new Map([...evidence.sources, ...evidence.data].map(({ id }, index) => [id, index]))
  return groupsOf(found)
    .slice(0, conflictsMax)
    .map((group) => conflictOf(group, evidence, governance, order))
}

/** Returns, as one key, which names and codes of the question occur in a statement or its surroundings. */
const namesAskedIn = ({ question }: Evidence, { aroundField, field }: Statement): string =>
  question.anchors
    .flatMap((anchor) =>
      anchor.kind === "name" || anchor.kind === "code" ? [field.has(anchor) || aroundField.has(anchor)] : []
    )
    .join()

/**
 * Whether a statement with its surroundings has most of what the question asks about, and some of it itself. Words for
 * the property that it asks for differ ("lift", "load").
 */
const answersQuestion = (evidence: Evidence, { around, cell, language, set }: Statement): boolean => {
  const prepared = prepareQuestion(evidence)
  let [held, total, own] = [0, 0, 0]
  for (const { surface, term } of evidence.question.terms) {
    // A statement gives its values in units of its own ("How many tonnes …?", "42 t").
    if (isProperty(surface) || isUnitWord(surface)) continue
    const weight = prepared.weigh(term)
    const match = set.match(term, language)
    total += weight
    own += match
    held += weight * Math.max(match, around.match(term, language))
  }
  // A cell says nothing but its value: the row's entity stands around it.
  return total > 0 && (own > 0 || cell !== null) && held / total >= answersMin
}

/** Minimum share of the question's words that an answer to it has, with its title and headings. */
const answersMin = 0.72

interface Pair {
  readonly one: Statement
  readonly other: Statement
  readonly disagreement: Disagreement
}

/** A section of past changes does not contradict its page. */
const history =
  /\b(?:history|changelog|change log|changes|revisions?|release notes|archive|verlauf|änderungen|historique|historial)\b/u

/** A changelog page does not contradict other pages either. */
const changelog =
  /\b(?:change ?log|release notes|versionshistorie|änderungsprotokoll|journal des modifications)\b/u

const areTwoSources = (one: Statement, other: Statement): boolean =>
  one.sourceId !== other.sourceId &&
  !changelog.test(one.heading) &&
  !changelog.test(other.heading) &&
  !(one.origin === other.origin && (history.test(one.heading) || history.test(other.heading)))

const ofStates = /^(?:stat(?:e|us|ut)|mode|zustand|modus|estado)$/iu

/** Returns how much of the question, or of the closest claim, a text covers with its surroundings, 0 to 1. */
const bearingOn = (evidence: Evidence, claims: ReadonlyArray<Claim>) => {
  const { question } = evidence
  const prepared = prepareQuestion(evidence)
  const claimed = claims.map(({ text }) => claimText(evidence, text).termsIn(question.language))
  const lookup = new TermLookup([...new Set(claimed.flat().map(({ term }) => term))], question.language)
  const shareOf = (of: Pick<TermLookup, "matchIn">, terms: ReadonlyArray<Term>) => {
    const weights = terms.map(({ term }) => prepared.weigh(term))
    const total = weights.reduce((sum, one) => sum + one, 0)
    return (sets: ReadonlyArray<TermSet>): number => {
      let matchedWeight = 0
      for (const [at, { term }] of terms.entries())
        matchedWeight += (weights[at] ?? 0) * of.matchIn(sets, term)
      return total === 0 ? 0 : matchedWeight / total
    }
  }
  const claimShares = claimed.map((terms) => shareOf(lookup, terms))
  const namesAndCodes = question.anchors.filter(({ kind }) => kind === "name" || kind === "code")
  // The terms asked about the named things.
  const otherTerms = question.terms.filter(
    ({ surface }) => !namesAndCodes.some(({ text }) => text.includes(surface))
  )
  // "Is P-17 enabled?" is also about a page that says that it is disabled.
  const isOfState =
    otherTerms.length > 0 && otherTerms.every(({ surface }) => isStateWord(surface) || ofStates.test(surface))
  const [ofAll, ofAsked] = [shareOf(prepared, question.terms), shareOf(prepared, otherTerms)]
  const ofQuestion = (sets: ReadonlyArray<TermSet>, field: () => AnchorField): number => {
    if (namesAndCodes.length === 0 || otherTerms.length === 0) return ofAll(sets)
    const part = isOfState ? namedMin : ofAsked(sets)
    if (part < namedMin) return 0
    return namesAndCodes.every((anchor) => field().has(anchor)) ? Math.max(bearingMin, part) : ofAll(sets)
  }
  return (read: ReadText, around: ReadText): number => {
    const sets = [read.set, around.set]
    return Math.max(
      ofQuestion(sets, () => evidence.texts.read(`${read.text} ${around.text}`).field),
      ...claimShares.map((shareIn) => shareIn(sets))
    )
  }
}

/** Merges pairs that share a statement and a kind into one conflict of several sides; the closest pairs come first. */
const groupsOf = (pairs: ReadonlyArray<Pair>): ReadonlyArray<ReadonlyArray<Pair>> => {
  const groups: Array<Array<Pair>> = []
  const rank = ({ disagreement, one, other }: Pair) =>
    [
      disagreement.overlap.toFixed(6),
      [one, other]
        .map(({ origin, quote, text }) => [text, quote, origin].join("\n"))
        .sort()
        .join("\n")
    ] as const
  const sorted = [...pairs].sort((a, b) => {
    const [[x, s], [y, t]] = [rank(a), rank(b)]
    return x === y ? (s < t ? -1 : s > t ? 1 : 0) : x < y ? 1 : -1
  })
  for (const pair of sorted) {
    const places = [placeOf(pair.one), placeOf(pair.other)]
    const group = groups.find(
      (group) =>
        group[0]?.disagreement.kind === pair.disagreement.kind &&
        group.some(({ one, other }) => [one, other].some((each) => places.includes(placeOf(each))))
    )
    if (group === undefined) groups.push([pair])
    else group.push(pair)
  }
  return groups
}

/** A sentence and its clauses have one location. */
const placeOf = ({ quote, sourceId }: Statement): string => `${sourceId}\n${quote}`

const conflictOf = (
  pairs: ReadonlyArray<Pair>,
  evidence: Evidence,
  governance: SourceGovernance,
  order: ReadonlyMap<string, number>
): EvidenceConflict => {
  const sides = new Map<string, EvidenceConflict["sides"][number]>()
  for (const { disagreement, one, other } of pairs) {
    for (const [statement, value] of [
      [one, disagreement.a],
      [other, disagreement.b]
    ] as const) {
      const { quote, sourceId } = statement
      // A page that states it twice, in a table and below it, is one side.
      const side = `${sourceId}\n${value}`
      if (!sides.has(side)) sides.set(side, { sourceId, value, quote })
    }
  }
  const sorted = [...sides.values()].sort(
    (a, b) => (order.get(a.sourceId) ?? 0) - (order.get(b.sourceId) ?? 0)
  )
  const { isSuperseded, preferred, reason } = preferredOf(
    sorted.map(({ sourceId }) => ({ sourceId, standing: standingOf(evidence, sourceId, governance) }))
  )
  const first = pairs[0]?.disagreement
  return {
    kind: isSuperseded ? "superseded" : (first?.kind ?? "number"),
    subject: first?.subject ?? "",
    attribute: first?.attribute ?? "",
    sides: sorted,
    preferred,
    reason
  }
}
