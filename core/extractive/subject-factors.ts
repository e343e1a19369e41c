import { isOfSibling, type NamedBeginning, type PreparedQuestion } from "../evidence/index.js"
import { wordwise } from "../languages/index.js"
import { asksWho, pricedIn, saysBound } from "../questions/index.js"
import { mentionsMonths, mentionsWeekdays, type ReadUnit, type Row } from "../text-analysis/index.js"
import { monthsIn } from "../values/index.js"

/** Weight of a question term in the preceding sentence, to which pronouns may refer. */
export const neighbourWeight = 0.45
/** Factor when "it" refers to something other than the name in the question. */
export const otherSubject = 0.4

/** Term coverage of a unit, of the unit before it in its block, and of their context. */
export interface Rows {
  readonly row: Row
  readonly near: Row | undefined
  /** Coverage of the sentence with the antecedent of its pronoun. */
  readonly names: Row | undefined
  readonly around: Row
}

/**
 * Returns a low factor for a sentence without the requested attribute ("rate", "cause"), and a reduced one for another
 * kind of it ("the charter" for "the minimum charter").
 */
export const focusFactor = (asking: PreparedQuestion, { around, row }: Rows, unit: ReadUnit): number => {
  const { focus, modifiers, question } = asking
  if (focus === null) return 1
  const isSaid = (at: number) => (row[at] ?? 0) > 0 || (around[at] ?? 0) > 0.4
  if (!isSaid(focus) && !saysBound(question, unit)) return offFocus
  const missing = modifiers.filter((at) => !isSaid(at))
  return modifiers.length === 0 ? 1 : 1 - otherKind * (missing.length / modifiers.length)
}

/** Returns a low factor for a unit about another thing than the question's. */
export const thingFactor = (
  asking: PreparedQuestion,
  named: ReadonlyArray<NamedBeginning>,
  rows: Rows,
  unit: ReadUnit
): number =>
  subjectFactor(asking, rows) *
  (missesThing(asking, rows) || saysOnlyName(asking, rows) ? otherSubject : 1) *
  (pricesOther(asking, unit) ? otherSubject : 1) *
  (isOfSibling(named, asking, unit) ? otherSubject : 1) *
  (holdsRival(asking, rows, unit) ? otherSubject : 1) *
  (asking.hasWeekday && !mentionsWeekdays(unit) ? otherSubject : 1) *
  (isOfOtherMonth(asking, unit) ? otherSubject : 1)

/** Whether the unit counts what was in other months than the question: "9 falls in September" for those in October. */
const isOfOtherMonth = ({ question }: PreparedQuestion, unit: ReadUnit): boolean => {
  const asked = question.answerType === "number" ? monthAsked().exec(question.text)?.[1] : undefined
  if (asked === undefined || mentionsMonths(unit)) return false
  const [sought, told] = [monthsIn(asked), monthsIn(unit.text)]
  return sought.size > 0 && told.size > 0 && ![...sought].some((one) => told.has(one))
}
const monthAsked = wordwise(/\b(?:in|during|for|im|en|durante|pendant|в) (\p{L}{3,})/iu)

/**
 * Whether the unit lacks the thing: arsenic in "the detection limit of arsenic", mattresses in "are mattresses
 * accepted?".
 */
const missesThing = ({ thing }: PreparedQuestion, rows: Rows): boolean =>
  thing.length > 0 && thing.every((at) => !isNear(rows, at))

/**
 * Whether the unit contains only the name and nothing of the request: "Konrad was built in 1954" for when it was sold.
 */
const saysOnlyName = ({ asked, question }: PreparedQuestion, rows: Rows): boolean => {
  if (!asksOfNamed.has(question.answerType)) return false
  let others = 0
  for (const [at, { code, isName, isWeekday, value }] of asked.entries()) {
    if (code !== null || isName || isWeekday || value !== null) continue
    if (isNear(rows, at)) return false
    others += 1
  }
  return others > 0 && others < asked.length
}
const asksOfNamed: ReadonlySet<string> = new Set(["number", "date", "person", "place"])

/**
 * Whether the unit gives the price of another thing: "The service contract costs 5,150 euros" for the cost of the
 * machine.
 */
const pricesOther = (asking: PreparedQuestion, unit: ReadUnit): boolean => {
  const pricedThing = asking.price === null ? null : pricedIn(unit)
  if (pricedThing === null) return false
  const terms = unit.part(pricedThing).termsIn(asking.question.language)
  return (
    terms.length > 0 &&
    !terms.some(
      ({ term }) => asking.termsOfQuestion.has(term) || asking.anchorTexts.some((text) => text.includes(term))
    )
  )
}

const isNear = ({ around, names, near, row }: Rows, at: number): boolean =>
  Math.max(row[at] ?? 0, around[at] ?? 0, names?.[at] ?? 0, neighbourWeight * (near?.[at] ?? 0)) >= subjectMin

/**
 * For a person defined by a role, all words must match: the chief security officer is not the chief executive officer.
 */
const subjectFactor = (
  { asked, question, subject }: PreparedQuestion,
  { around, near, row }: Rows
): number =>
  subject.length >= 2 &&
  asksWho(question) &&
  asked.some(
    ({ term }, at) =>
      Math.max(row[at] ?? 0, around[at] ?? 0, neighbourWeight * (near?.[at] ?? 0)) < subjectMin &&
      subject.some((one) => one.term === term)
  )
    ? otherSubject
    : 1
const subjectMin = 0.4

/** Whether the unit contains the antonym of a question word ("abroad" for "domestic") and not the word itself. */
const holdsRival = (
  { asked, question, rivals }: PreparedQuestion,
  { around, row }: Rows,
  unit: ReadUnit
): boolean =>
  rivals.length > 0 &&
  // A question whether something is open may be answered by "closed".
  question.answerType !== "yes-no" &&
  asked.some(
    ({ term }, at) =>
      (row[at] ?? 0) === 0 &&
      (around[at] ?? 0) < subjectMin &&
      rivals.some((rival) => rival.of === term && unit.set.has(rival.term))
  )

const offFocus = 0.4
const otherKind = 0.25

/** Returns a low factor for a unit that only repeats the question. */
export const noveltyFactor = (
  { anchorTexts, question, termsOfQuestion }: PreparedQuestion,
  unit: ReadUnit
): number => {
  if (question.answerType === "yes-no" || unit.kind === "code") return 1
  const isNew = (term: string) =>
    !termsOfQuestion.has(term) && !anchorTexts.some((text) => text.includes(term))
  return unit.set.every((term) => !isNew(term)) ? 0.3 : 1
}
