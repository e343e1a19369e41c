import * as Effect from "effect/Effect"
import {
  type Anchor,
  type AnchorField,
  isStateWord,
  type ReadText,
  type Term,
  TermLookup,
  type TermSet
} from "../../language/text-analysis/index.js"
import { isUnitWord } from "../../language/values/index.js"
import { yieldToEventLoop } from "../../platform/kernel/index.js"
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
  const steps = comparison(evidence, claims, governance)
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value
}

/** The same with turns for other requests in between: up to 80,000 pairs of statements are compared. */
export const findConflictsInTurns = (
  evidence: Evidence,
  claims: ReadonlyArray<Claim>,
  governance: SourceGovernance
): Effect.Effect<ReadonlyArray<EvidenceConflict>> =>
  Effect.gen(function* () {
    const [steps, yieldWhenDue] = [comparison(evidence, claims, governance), yieldToEventLoop()]
    for (;;) {
      yield* yieldWhenDue
      const step = steps.next()
      if (step.done === true) return step.value
    }
  })

/** Compares the statements of the evidence, and pauses after each. */
function* comparison(
  evidence: Evidence,
  claims: ReadonlyArray<Claim>,
  governance: SourceGovernance
): Generator<void, ReadonlyArray<EvidenceConflict>> {
  const bearing = bearingOn(evidence, claims)
  const all: Array<Statement> = []
  for (const some of statementsOf(evidence, (read, around) => bearing(read, around) >= nearMin)) {
    all.push(...some.slice(0, statementsMax - all.length))
    yield
  }
  const asked = counted(evidence.question.terms)
  const named = distinctAnchors(evidence.question.anchors)
  const looks: Array<{ readonly near: boolean; readonly answers: boolean; readonly apart: string }> = []
  for (const statement of all) {
    looks.push({
      near: bearing(statement.read, statement.quoted) >= bearingMin,
      answers: answersQuestion(evidence, asked, statement),
      apart: namesAskedIn(named, statement)
    })
    yield
  }
  const cells = new CellComparisons(
    all,
    evidence.question,
    (statement) => bearing(statement.read, statement.context) >= bearingMin
  )
  const found: Array<Pair> = []
  for (const [at, one] of all.entries()) {
    yield
    for (let next = at + 1; next < all.length; next += 1) {
      const [other, look, otherLook] = [all[next], looks[at], looks[next]]
      if (other === undefined || look === undefined || otherLook === undefined) continue
      if (!(look.near || otherLook.near) || !areTwoSources(one, other)) continue
      // One is about what the question names, the other is not.
      if (look.apart !== otherLook.apart) continue
      if (!cells.areComparable(one, other)) continue
      const disagreement = disagreementOf(one, other, evidence.idf, look.answers && otherLook.answers)
      if (disagreement !== undefined) found.push({ one, other, disagreement })
    }
  }
  const order = new Map([...evidence.sources, ...evidence.data].map(({ id }, index) => [id, index]))
  return groupsOf(found)
    .slice(0, conflictsMax)
    .map((group) => conflictOf(group, evidence, governance, order))
}

interface CountedTerm {
  readonly term: string
  readonly surface: string
  readonly count: number
}

/** Terms with how often each comes: a question may repeat one word a thousand times. */
const counted = (terms: ReadonlyArray<Term>): ReadonlyArray<CountedTerm> => {
  const known = new Map<string, CountedTerm>()
  for (const { surface, term } of terms) {
    const key = `${term}\n${surface}`
    known.set(key, { term, surface, count: (known.get(key)?.count ?? 0) + 1 })
  }
  return [...known.values()]
}

/** Names and codes, each once. */
const distinctAnchors = (anchors: ReadonlyArray<Anchor>): ReadonlyArray<NamedAnchor> => [
  ...new Map(
    anchors.flatMap((anchor) =>
      anchor.kind === "name" || anchor.kind === "code" ? [[JSON.stringify(anchor.text), anchor] as const] : []
    )
  ).values()
]
type NamedAnchor = Exclude<Anchor, { readonly kind: "value" }>

/** Returns, as one key, which names and codes of the question occur in a statement or its surroundings. */
const namesAskedIn = (named: ReadonlyArray<NamedAnchor>, { aroundField, field }: Statement): string =>
  named.map((anchor) => field.has(anchor) || aroundField.has(anchor)).join()

/**
 * Whether a statement with its surroundings has most of what the question asks about, and some of it itself. Words for
 * the property that it asks for differ ("lift", "load").
 */
const answersQuestion = (
  evidence: Evidence,
  asked: ReadonlyArray<CountedTerm>,
  { around, cell, language, set }: Statement
): boolean => {
  const prepared = prepareQuestion(evidence)
  let [held, total, own] = [0, 0, 0]
  for (const { count, surface, term } of asked) {
    // A statement gives its values in units of its own ("How many tonnes …?", "42 t").
    if (isProperty(surface) || isUnitWord(surface)) continue
    const weight = count * prepared.weigh(term)
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
  const shareOf = (of: Pick<TermLookup, "matchIn">, all: ReadonlyArray<Term>) => {
    const terms = counted(all)
    const weights = terms.map(({ count, term }) => count * prepared.weigh(term))
    const total = weights.reduce((sum, one) => sum + one, 0)
    return (sets: ReadonlyArray<TermSet>): number => {
      let matchedWeight = 0
      for (const [at, { term }] of terms.entries())
        matchedWeight += (weights[at] ?? 0) * of.matchIn(sets, term)
      return total === 0 ? 0 : matchedWeight / total
    }
  }
  const claimShares = claimed.map((terms) => shareOf(lookup, terms))
  const namesAndCodes = distinctAnchors(question.anchors)
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
  const groups: Array<{
    readonly kind: Disagreement["kind"]
    readonly places: Set<string>
    readonly pairs: Array<Pair>
  }> = []
  const rank = ({ disagreement, one, other }: Pair) =>
    [
      disagreement.overlap.toFixed(6),
      [one, other]
        .map(({ origin, quote, text }) => [text, quote, origin].join("\n"))
        .sort()
        .join("\n")
    ] as const
  const sorted = pairs
    .map((pair) => ({ pair, key: rank(pair) }))
    .sort(({ key: [x, s] }, { key: [y, t] }) => (x === y ? (s < t ? -1 : s > t ? 1 : 0) : x < y ? 1 : -1))
  for (const { pair } of sorted) {
    const places = [placeOf(pair.one), placeOf(pair.other)]
    const group = groups.find(
      ({ kind, places: known }) => kind === pair.disagreement.kind && places.some((place) => known.has(place))
    )
    if (group === undefined)
      groups.push({ kind: pair.disagreement.kind, places: new Set(places), pairs: [pair] })
    else {
      group.pairs.push(pair)
      for (const place of places) group.places.add(place)
    }
  }
  return groups.map((group) => group.pairs)
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
