import { type Asking, isOfSibling, type NamedBeginning } from "../evidence/index.js"
import {
  asksWho,
  pricedIn,
  questionFit,
  type ReadUnit,
  type Row,
  saysBound,
  tellsWeekdays
} from "../text-analysis/index.js"

/** What a question term in the sentence before is worth: pronouns carry it over. */
export const neighbourWeight = 0.45
/** "It" stands for something else that is named, and not for what the question names. */
export const otherSubject = 0.4

/** How well a unit, the one before it in its block, and what stands around it carry what is sought. */
export interface Rows {
  readonly row: Row
  readonly near: Row | undefined
  /** The sentence that says what its pronoun stands for. */
  readonly names: Row | undefined
  readonly around: Row
}

/**
 * A sentence that does not speak of what is asked ("rate", "cause") hardly answers, whatever else it shares; one that
 * speaks of another kind of it ("the charter" for "the minimum charter") answers less.
 */
export const focusFactor = (asking: Asking, { around, row }: Rows, unit: ReadUnit): number => {
  const { focus, modifiers, question } = asking
  if (focus === null) return 1
  const isSaid = (at: number) => (row[at] ?? 0) > 0 || (around[at] ?? 0) > 0.4
  if (!isSaid(focus) && !saysBound(question, unit)) return offFocus
  const missing = modifiers.filter((at) => !isSaid(at))
  return modifiers.length === 0 ? 1 : 1 - otherKind * (missing.length / modifiers.length)
}

/** A unit that speaks of another thing than what is asked about, hardly answers. */
export const thingFactor = (
  asking: Asking,
  named: ReadonlyArray<NamedBeginning>,
  rows: Rows,
  unit: ReadUnit
): number =>
  subjectFactor(asking, rows) *
  (missesThing(asking, rows) || saysOnlyName(asking, rows) ? otherSubject : 1) *
  (countsOther(asking, unit) || pricesOther(asking, unit) ? otherSubject : 1) *
  (isOfSibling(named, asking, unit) ? otherSubject : 1) *
  (holdsRival(asking, rows, unit) ? otherSubject : 1) *
  (asking.hasWeekday && !tellsWeekdays(unit) ? otherSubject : 1)

/** Of "the detection limit of arsenic" it says nothing of arsenic; of "are mattresses accepted?" nothing of mattresses. */
const missesThing = ({ thing }: Asking, rows: Rows): boolean =>
  thing.length > 0 && thing.every((at) => !isNear(rows, at))

/** It speaks of what is named, and of nothing that is asked of it: "Konrad was built in 1954", for when he was sold. */
const saysOnlyName = ({ asked, question }: Asking, rows: Rows): boolean => {
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

/** A whole list has many numbers: of what is counted one must be near. */
const countsOther = ({ question }: Asking, unit: ReadUnit): boolean =>
  unit.kind === "list" && question.answerType === "number" && questionFit(question, unit).countedThing === 0

/** "The service contract costs 5,150 euros", for what the machine cost. */
const pricesOther = (asking: Asking, unit: ReadUnit): boolean => {
  const said = asking.price === null ? null : pricedIn(unit)
  if (said === null) return false
  const terms = unit.part(said).termsIn(asking.question.language)
  return (
    terms.length > 0 &&
    !terms.some(
      ({ term }) => asking.termsOfQuestion.has(term) || asking.anchorTexts.some((text) => text.includes(term))
    )
  )
}

const isNear = ({ around, names, near, row }: Rows, at: number): boolean =>
  Math.max(row[at] ?? 0, around[at] ?? 0, names?.[at] ?? 0, neighbourWeight * (near?.[at] ?? 0)) >= subjectMin

/** Who is somebody is told by all the words for it: the chief security officer is not the chief executive officer. */
const subjectFactor = ({ asked, question, subject }: Asking, { around, near, row }: Rows): number =>
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

/** It says the opposite of a word of the question ("abroad" for "domestic"), and not the word itself. */
const holdsRival = ({ asked, question, rivals }: Asking, { around, row }: Rows, unit: ReadUnit): boolean =>
  rivals.length > 0 &&
  // Whoever asks whether it is open is answered by "closed".
  question.answerType !== "yes-no" &&
  asked.some(
    ({ term }, at) =>
      (row[at] ?? 0) === 0 &&
      (around[at] ?? 0) < subjectMin &&
      rivals.some((rival) => rival.of === term && unit.set.has(rival.term))
  )

const offFocus = 0.4
const otherKind = 0.25

/** A unit that only repeats the question tells nothing. */
export const noveltyFactor = ({ anchorTexts, question, termsOfQuestion }: Asking, unit: ReadUnit): number => {
  if (question.answerType === "yes-no" || unit.kind === "code") return 1
  const isNew = (term: string) =>
    !termsOfQuestion.has(term) && !anchorTexts.some((text) => text.includes(term))
  return unit.set.every((term) => !isNew(term)) ? 0.3 : 1
}
