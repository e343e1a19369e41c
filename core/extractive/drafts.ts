import { memoize } from "../caching/index.js"
import type { Passage } from "../documents/index.js"
import {
  type AskedTerm,
  asksTheSame,
  datedHeading,
  type Evidence,
  type EvidencePassage,
  isRowOfAsked,
  namedBeginnings,
  type PreparedQuestion,
  questionAbove,
  Surroundings
} from "../evidence/index.js"
import {
  askedAboveBonus,
  lacksName,
  mayAnswerAsList,
  namesAnother,
  saysCondition,
  saysPrice,
  saysPurpose
} from "../questions/index.js"
import { isWithinBound, mentionsWeekdays, type ReadUnit, type Row } from "../text-analysis/index.js"
import { Headings, openingsOf } from "./headings.js"
import { isOfAnother, namedBefore, opensWithAnother } from "./pronouns.js"
import {
  focusFactor,
  neighbourWeight,
  noveltyFactor,
  otherSubject,
  type Rows,
  thingFactor
} from "./subject-factors.js"
import { bonuses, kindFactor, shapeOf } from "./unit-form.js"

/** Weight of a term covered by the antecedent of "it". */
const antecedentWeight = 0.8
/** The same when only the unit is considered: "She is 31 metres long" refers to the ship named before. */
const pronounWeight = 0.3

/** Bonus for a row of a table of services when the question asks "which services". */
const rowBonus = 0.15
/**
 * Factor for a sentence without a name when the question asks who does something; a row would have the name in its
 * cell.
 */
const noNameFactor = 0.6
const nobodyInRow = 0.4
/** Weight of a bound that includes a value, or of weekdays that exclude one. */
const impliedWeight = 0.8
/** Weight of a term in the lead of an item, which is nearly one statement with it. */
const leadWeight = 0.6

/** Score components of a unit that do not depend on other evidence. */
export interface Draft {
  readonly unit: ReadUnit
  /** The preceding sentence that names the antecedent of "he", when the question asks for a person. */
  readonly namedBy: ReadUnit | undefined
  /** The heading with the requested value when the unit lacks it. */
  readonly dated: string | undefined
  /** A list below a title or heading that contains the whole question, or a reply below the same question. */
  readonly isAskedAbove: boolean
  /** Weighted share of the question's terms covered by the unit and its context, 0 to 1. */
  readonly coverage: number
  /** Weighted share covered by the unit alone. */
  readonly ownCoverage: number
  /** Whether it contains a thing of the requested kind. */
  readonly hasType: boolean
  /** Whether it is below a heading for reasons, or beside a sentence with a reason. */
  readonly isReasoned: boolean
  /** Coverage of each question term by the unit itself. */
  readonly held: Row
  /** The same with its context. */
  readonly said: Row
  readonly bonus: number
  readonly factor: number
  /** The last factor: the weight of the unit's kind. */
  readonly kind: number
}

export interface Place {
  /** Whether title or path of its document contains an anchor of the question. */
  readonly isNamed: boolean
  readonly drafts: ReadonlyArray<Draft>
}

/** A selected passage already has drafts from the pool. */
export const placeOf = (asking: PreparedQuestion, evidence: Evidence, source: EvidencePassage): Place => {
  const known = placesOf(asking)
  const held = known.get(source.passage)
  if (held !== undefined) return held
  const made = draftPlace(asking, evidence, source)
  known.set(source.passage, made)
  return made
}
const placesOf = memoize((_: PreparedQuestion) => new Map<Passage, Place>())

const draftPlace = (asking: PreparedQuestion, evidence: Evidence, source: EvidencePassage): Place => {
  const { question } = asking
  const around = new Surroundings(evidence, source, asking.sought)
  const headings = new Headings(source, around, asking)
  const named = namedBeginnings(source, asking)
  const within = source.read.unitTerms
  let before: { readonly unit: ReadUnit; readonly row: Row } | undefined
  let spoken: { readonly unit: ReadUnit; readonly row: Row } | undefined
  const drafts = source.units.map((unit): Draft => {
    const row = withPrice(asking, unit, asking.sought.rowWithin(unit.set, within))
    const last = before?.unit
    const near = last?.block === unit.block ? before?.row : undefined
    const namedBy = last === undefined ? undefined : namedBefore(question, last, unit)
    before = { unit, row }
    const { opensWithPronoun: isOfPronoun } = shapeOf(unit)
    const antecedent = isOfPronoun && spoken?.unit.block === unit.block ? spoken : undefined
    if (unit.kind === "sentence" && !isOfPronoun) spoken = before
    const rows = { row, near, names: antecedent?.row, around: around.around(unit) }
    const isElliptic = antecedent !== undefined && saysOnlyValue(unit)
    const fit = fitOf(asking, rows, around, unit, isElliptic)
    const holdsType = asking.holdsType(unit) || saysCondition(question, unit)
    const dated = holdsType || fit.ownCoverage < datedMin ? undefined : datedHeading(asking, source, unit)
    const isFact = isFactOf(asking, around, unit)
    const hasType = holdsType || dated !== undefined || (isFact && mayBeValue(question, unit))
    // A subject without a name may tell who, but says so less surely.
    const hasName =
      hasType &&
      (question.answerType !== "person" || question.language !== "en" || namesAnother(question, unit))
    const isSame = isFact || isReply(evidence, asking, rows, questionAbove(source, unit, last))
    const isAskedAbove =
      isSame ||
      (mayAnswerAsList(question, unit) && isSaidAbove(asking, rows, around)) ||
      isDatedOpening(asking, source, unit, () => isSaidAbove(asking, rows, around))
    const heading = headings.of(unit)
    const { bonus, isDefinition } = bonuses(question, source, around, unit, heading)
    const factor =
      focusFactor(asking, rows, unit) *
      thingFactor(asking, named, rows, unit) *
      around.anchorFactor(unit) *
      (namedBy === undefined && dated === undefined ? noveltyFactor(asking, unit) : 1) *
      (lacksName(asking, hasName, row) ? (unit.kind === "row" ? nobodyInRow : noNameFactor) : 1) *
      // In a document that the question names, "it" refers to the subject of the question.
      (isOfPronoun && !isDefinition && !around.isNamed ? 0.85 : 1) *
      (antecedent !== undefined && isOfAnother(question, around, antecedent.unit, unit) ? otherSubject : 1) *
      (opensWithAnother(question, around, source.read, unit) ? otherSubject : 1) *
      heading.aside
    return {
      unit,
      namedBy,
      dated,
      isAskedAbove,
      hasType,
      isReasoned: question.answerType === "reason" && (heading.section > 0 || saysPurpose(unit)),
      coverage: isSame ? 1 : fit.coverage,
      ownCoverage: fit.ownCoverage,
      held: fit.held,
      said: fit.said,
      factor,
      bonus:
        bonus +
        (hasName ? 0.1 : 0) +
        (isRowOfAsked(asking, unit) ? rowBonus : 0) +
        (isAskedAbove ? askedAboveBonus(question) : 0),
      kind: kindFactor(unit, question, heading)
    }
  })
  return { isNamed: around.isNamed, drafts }
}

/** "It is now 150 euros": a statement whose subject and attribute are those of the sentence before it. */
const saysOnlyValue = memoize(
  (unit: ReadUnit): boolean =>
    unit.values.length > 0 &&
    unit
      .termsIn(unit.language)
      .every(
        ({ end, start, surface }) =>
          unit.values.some((value) => start < value.end && value.start < end) || adverb.test(surface)
      )
)
const adverb =
  /^(?:now|currently|today|still|already|only|about|approximately|then|jetzt|nun|derzeit|aktuell|heute|inzwischen|maintenant|actuellement|désormais|ahora|actualmente|сейчас|теперь)$/iu

/** A purchase price states the cost without the word. */
const withPrice = (asking: PreparedQuestion, unit: ReadUnit, row: Row): Row =>
  asking.price === null || (row[asking.price] ?? 0) > 0 || !saysPrice(unit)
    ? row
    : row.map((value, at) => (at === asking.price ? impliedWeight : value))

/** "Planned for October 2026.", first below "Launch of the Falcon", tells when the Falcon is launched. */
const isDatedOpening = (
  { question }: PreparedQuestion,
  source: EvidencePassage,
  unit: ReadUnit,
  isSaid: () => boolean
): boolean =>
  question.answerType === "date" &&
  unit === openingsOf(source.read).get(unit.heading) &&
  unit.values.some(({ kind }) => kind === "date") &&
  isSaid()

/** Minimum own coverage of a unit whose heading may supply the date. */
const datedMin = 0.5

/** Returns the question coverage of a unit, alone and with its context. */
const fitOf = (
  { asked, hasMore }: PreparedQuestion,
  { around: far, names, near, row }: Rows,
  around: Surroundings,
  unit: ReadUnit,
  isElliptic: boolean
): Pick<Draft, "coverage" | "held" | "ownCoverage" | "said"> => {
  const said: Array<number> = []
  const lead = unit.lead === "" ? undefined : around.lead(unit)
  // For word-only questions the row already contains the unit's own coverage.
  const held = hasMore ? asked.map((term, at) => inUnitOf(term, row[at] ?? 0, unit)) : row
  let [covered, own, total] = [0, 0, 0]
  for (let at = 0; at < asked.length; at += 1) {
    const term = asked[at]
    if (term === undefined) continue
    const { code, isName, weight } = term
    const inUnit = held[at] ?? 0
    let [inOwn, outside] = [inUnit, 0]
    if (code === null) {
      inOwn = Math.max(
        inUnit,
        leadWeight * (lead?.[at] ?? 0),
        isName || isElliptic ? pronounWeight * (names?.[at] ?? 0) : 0
      )
      outside = Math.max(
        far[at] ?? 0,
        neighbourWeight * (near?.[at] ?? 0),
        isName || isElliptic ? antecedentWeight * (names?.[at] ?? 0) : 0
      )
    } else {
      if (around.isOf(code)) inOwn = 1
      outside = around.matchAnchor(code)
    }
    total += weight
    own += weight * inOwn
    const best = Math.max(inUnit, outside)
    said.push(best)
    covered += weight * best
  }
  return total === 0
    ? { coverage: 0, ownCoverage: 0, held, said }
    : { coverage: covered / total, ownCoverage: own / total, held, said }
}

const inUnitOf = (
  { code, hasProperty, isWeekday, value }: AskedTerm,
  inRow: number,
  unit: ReadUnit
): number => {
  if (code !== null) return unit.place.has(code) ? 1 : 0
  const isTold =
    (inRow === 0 && hasProperty?.(unit) === true) ||
    (value !== null && isWithinBound(unit, value)) ||
    (isWeekday && mentionsWeekdays(unit))
  return isTold ? Math.max(inRow, impliedWeight) : inRow
}

/**
 * Whether a field of front matter is the asked property of the named thing: "phone: 0700 1000" of Petra Sand for "What
 * is the phone number of Petra Sand?". At most one other word may be left over ("number", "speak").
 */
const isFactOf = ({ asked, question }: PreparedQuestion, around: Surroundings, unit: ReadUnit): boolean => {
  if (unit.kind !== "field" || question.anchors.length === 0) return false
  const names = question.anchors.filter(({ kind }) => kind === "name" || kind === "code" || kind === "phrase")
  if (names.length === 0 || !names.every((name) => around.isOf(name))) return false
  const key = unit.part(unit.heading).set
  const isKey = (term: string) => key.match(term, question.language) >= keyMin
  const property = question.focus ?? question.terms.find(({ surface }) => !isPartOf(names, surface))?.term
  if (property === undefined || !isKey(property)) return false
  const others = asked.filter(({ code, isName, term }) => code === null && !isName && !isKey(term))
  return others.length <= 1
}
const keyMin = 0.7

/** A property holds what is asked of it; of a number or a date at least a digit. */
const mayBeValue = ({ answerType }: PreparedQuestion["question"], { text }: ReadUnit): boolean =>
  (answerType !== "number" && answerType !== "date") || /\d/u.test(text)

const isPartOf = (names: ReadonlyArray<{ readonly text: string }>, surface: string): boolean =>
  names.some(({ text }) => text.includes(surface))

/** Whether the unit replies to a question in the document that equals the user's question. */
const isReply = (
  evidence: Evidence,
  asking: PreparedQuestion,
  rows: Rows,
  above: string | undefined
): boolean => above !== undefined && asksTheSame(evidence, asking, above, rows.around)

/** Whether title, headings and lead-in contain the whole question. */
const isSaidAbove = ({ asked }: PreparedQuestion, rows: Rows, around: Surroundings): boolean =>
  asked.length > 0 &&
  asked.every(({ code }, at) => (code === null ? (rows.around[at] ?? 0) : around.matchAnchor(code)) >= 0.5)
