import type { Passage } from "../documents/index.js"
import {
  type AskedTerm,
  type Asking,
  asksTheSame,
  datedHeading,
  type Evidence,
  type EvidencePassage,
  isRowOfAsked,
  namedBeginnings,
  questionAbove,
  Surroundings
} from "../evidence/index.js"
import {
  askedAboveBonus,
  isWithinBound,
  mayAnswerAsList,
  memoize,
  namesNobody,
  type ReadUnit,
  type Row,
  saysCondition,
  saysPrice,
  saysPurpose,
  tellsWeekdays
} from "../text-analysis/index.js"
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

/** The same of a name that "it" stands for. */
const antecedentWeight = 0.8
/** The same where the unit alone is looked at: "She is 31 metres long" says it of the ship that was named. */
const pronounWeight = 0.3

/** For "which services", a row of a table of services. */
const rowBonus = 0.15
/** Who does something is not told by a sentence that names nobody; of a row the cell would be there. */
const nobody = 0.6
const nobodyInRow = 0.4
/** A bound that holds a value, or the days that leave one out. */
const toldWeight = 0.8
/** An item and what leads to it are one statement, nearly. */
const leadWeight = 0.6

/** What a unit is worth whatever stands beside it in the evidence. */
export interface Draft {
  readonly unit: ReadUnit
  /** The sentence before, which tells who "he" is, where a person is asked for. */
  readonly namedBy: ReadUnit | undefined
  /** The heading that says what is asked for, of a unit that does not. */
  readonly dated: string | undefined
  /** The list below a title or heading that says all that is asked for, or what stands below the same question. */
  readonly isAskedAbove: boolean
  /** Share of the question's terms, weighted by rarity, that the unit and its surroundings carry; 0 to 1. */
  readonly coverage: number
  /** The same of the unit alone. */
  readonly ownCoverage: number
  /** It holds a thing of the kind that was asked for. */
  readonly hasType: boolean
  /** It stands below a heading for reasons, or a sentence beside it gives one. */
  readonly isReasoned: boolean
  /** How well it carries each term that is asked for itself. */
  readonly held: Row
  readonly bonus: number
  readonly factor: number
  /** The last of its factors: what its kind counts. */
  readonly kind: number
}

export interface Place {
  /** Its document carries an anchor of the question in title or path. */
  readonly isNamed: boolean
  readonly drafts: ReadonlyArray<Draft>
}

/** A passage that was chosen out of the pool was drafted there. */
export const placeOf = (asking: Asking, evidence: Evidence, source: EvidencePassage): Place => {
  const known = placesOf(asking)
  const held = known.get(source.passage)
  if (held !== undefined) return held
  const made = draftPlace(asking, evidence, source)
  known.set(source.passage, made)
  return made
}
const placesOf = memoize((_: Asking) => new Map<Passage, Place>())

const draftPlace = (asking: Asking, evidence: Evidence, source: EvidencePassage): Place => {
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
    const fit = fitOf(asking, rows, around, unit)
    const holdsType = asking.holdsType(unit) || saysCondition(question, unit)
    const dated = holdsType || fit.ownCoverage < datedMin ? undefined : datedHeading(asking, source, unit)
    const hasType = holdsType || dated !== undefined
    const isSame = isReply(evidence, asking, rows, questionAbove(source, unit, last))
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
      (namesNobody(asking, hasType, row) ? (unit.kind === "row" ? nobodyInRow : nobody) : 1) *
      // In a document that the question names, "it" is what the question is about.
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
      factor,
      bonus:
        bonus +
        (hasType ? 0.1 : 0) +
        (isRowOfAsked(asking, unit) ? rowBonus : 0) +
        (isAskedAbove ? askedAboveBonus(question) : 0),
      kind: kindFactor(unit, question, heading)
    }
  })
  return { isNamed: around.isNamed, drafts }
}

/** What a thing was bought for says its cost without the word. */
const withPrice = (asking: Asking, unit: ReadUnit, row: Row): Row =>
  asking.price === null || (row[asking.price] ?? 0) > 0 || !saysPrice(unit)
    ? row
    : row.map((value, at) => (at === asking.price ? toldWeight : value))

/** "Planned for October 2026.", first below "Launch of the Falcon", tells when the Falcon is launched. */
const isDatedOpening = (
  { question }: Asking,
  source: EvidencePassage,
  unit: ReadUnit,
  isSaid: () => boolean
): boolean =>
  question.answerType === "date" &&
  unit === openingsOf(source.read).get(unit.heading) &&
  unit.values.some(({ kind }) => kind === "date") &&
  isSaid()

/** Share of the question that a unit says itself, from which its heading may say when. */
const datedMin = 0.5

/** What of the question a unit carries itself, and with what stands around it. */
const fitOf = (
  { asked, hasMore }: Asking,
  { around: far, names, near, row }: Rows,
  around: Surroundings,
  unit: ReadUnit
): Pick<Draft, "coverage" | "held" | "ownCoverage"> => {
  const lead = unit.lead === "" ? undefined : around.lead(unit)
  // Where nothing but words is asked for, what the unit holds is its row, which reaches further than what is asked.
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
        isName ? pronounWeight * (names?.[at] ?? 0) : 0
      )
      outside = Math.max(
        far[at] ?? 0,
        neighbourWeight * (near?.[at] ?? 0),
        isName ? antecedentWeight * (names?.[at] ?? 0) : 0
      )
    } else {
      if (around.isOf(code)) inOwn = 1
      outside = around.matchAnchor(code)
    }
    total += weight
    own += weight * inOwn
    covered += weight * Math.max(inUnit, outside)
  }
  return total === 0
    ? { coverage: 0, ownCoverage: 0, held }
    : { coverage: covered / total, ownCoverage: own / total, held }
}

const inUnitOf = ({ code, isWeekday, value }: AskedTerm, inRow: number, unit: ReadUnit): number => {
  if (code !== null) return unit.place.has(code) ? 1 : 0
  const isTold = (value !== null && isWithinBound(unit, value)) || (isWeekday && tellsWeekdays(unit))
  return isTold ? Math.max(inRow, toldWeight) : inRow
}

/** Whether it answers a question that the document asks itself, and that is the one that is asked. */
const isReply = (evidence: Evidence, asking: Asking, rows: Rows, above: string | undefined): boolean =>
  above !== undefined && asksTheSame(evidence, asking, above, rows.around)

/** Whether title, headings and lead-in say all that is asked. */
const isSaidAbove = ({ asked }: Asking, rows: Rows, around: Surroundings): boolean =>
  asked.length > 0 &&
  asked.every(({ code }, at) => (code === null ? (rows.around[at] ?? 0) : around.matchAnchor(code)) >= 0.5)
