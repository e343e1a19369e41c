import type { Passage } from "../documents/index.js"
import {
  askedAboveBonus,
  asksOfPast,
  asksWho,
  factOf,
  mayAnswerAsList,
  namesNobody,
  opensWithPronoun,
  type Question,
  type ReadPassage,
  type ReadUnit,
  type Row,
  saysBound,
  saysPurpose,
  type TermSet,
  tellsWeekdays
} from "../reading/index.js"
import { type AskedTerm, type Asking, askingOf } from "./asking.js"
import type { Evidence, EvidencePassage } from "./evidence.js"
import { type HeadingFacts, Headings, openingsOf } from "./headings.js"
import {
  asksTheSame,
  datedHeading,
  isOfSibling,
  isRowOfAsked,
  labelOf,
  type NamedBeginning,
  namedBeginnings,
  questionAbove
} from "./labels.js"
import { isOfAnother, namedBefore } from "./pronouns.js"
import { isWithinBound } from "./quantities.js"
import { Surroundings } from "./surroundings.js"

/** A unit with what it is worth as an answer. */
export interface Candidate {
  readonly source: EvidencePassage
  readonly unit: ReadUnit
  readonly terms: TermSet
  /** The sentence before, which tells who "he" is, where a person is asked for. */
  readonly namedBy: ReadUnit | undefined
  /** What it is quoted behind: the label of its paragraph, or the heading that says what is asked for. */
  readonly label: string | undefined
  /** The list below a title or heading that says all that is asked for, or what stands below the same question. */
  readonly isAskedAbove: boolean
  /** Share of the question's terms, weighted by rarity, that the unit and its surroundings carry; 0 to 1. */
  readonly coverage: number
  /** The same of the unit alone. */
  readonly ownCoverage: number
  /** Its document carries an anchor of the question in title or path. */
  readonly isNamed: boolean
  /** It holds a thing of the kind that was asked for. */
  readonly hasType: boolean
  /** It stands below a heading for reasons, or a sentence beside it gives one. */
  readonly isReasoned: boolean
  /** About 0 to 1.5; no unit. */
  readonly score: number
}

/** What a question term in the sentence before is worth: pronouns carry it over. */
const neighbourWeight = 0.45
/** The same of a name that "it" stands for. */
const antecedentWeight = 0.8
/** "It" stands for something else that is named, and not for what the question names. */
const otherSubject = 0.4

/** For "which services", a row of a table of services. */
const rowBonus = 0.15
/** A bound that holds a value, or the days that leave one out. */
const toldWeight = 0.8
/** An item and what leads to it are one statement, nearly. */
const leadWeight = 0.6
/** What others say of a document that the question names counts less than its own words. */
const elsewhereFactor = 0.6
/** What no longer holds counts less where something that does speaks of the same. */
const replacedFactor = 0.6
/** Share of the question, by weight, from which a unit does. */
const toldMin = 0.6

/**
 * Scores every unit of the evidence, in order of source and place:
 * (0.5 coverage + 0.2 own coverage + 0.2 BM25 / best BM25 + 0.1 / source rank + bonuses) × factors.
 * Bonuses: the expected kind of answer, a section made for such answers, a definition of the subject, a document
 * that the question names. Factors: anchors that are missing, units that say little.
 */
export const scoreUnits = factOf(
  (evidence: Evidence): ReadonlyArray<Candidate> =>
    scored(evidence).flatMap((one) => one.place.drafts.map((draft, at) => candidateOf(one, draft, at)))
)

/** The best of them, of equals the first; null where there is none. */
export const bestUnit = (evidence: Evidence): Candidate | null => {
  let best: {
    readonly one: Scored
    readonly draft: Draft
    readonly at: number
    readonly score: number
  } | null = null
  for (const one of scored(evidence))
    for (const [at, draft] of one.place.drafts.entries()) {
      const score = one.scores[at] ?? 0
      if (best === null || score > best.score) best = { one, draft, at, score }
    }
  return best === null ? null : candidateOf(best.one, best.draft, best.at)
}

const candidateOf = ({ place, scores, source }: Scored, draft: Draft, at: number): Candidate => ({
  source,
  unit: draft.unit,
  namedBy: draft.namedBy,
  label: draft.label,
  isAskedAbove: draft.isAskedAbove,
  terms: draft.unit.set,
  hasType: draft.hasType,
  isReasoned: draft.isReasoned,
  isNamed: place.isNamed,
  coverage: draft.coverage,
  ownCoverage: draft.ownCoverage,
  score: scores[at] ?? 0
})

/** The score of the best unit of each source; 0 of one without units. Of a wide pool nothing else is asked. */
export const bestScores = (evidence: Evidence): ReadonlyArray<number> =>
  scored(evidence).map(({ scores }) => scores.reduce((best, one) => Math.max(best, one), 0))

interface Scored {
  readonly source: EvidencePassage
  readonly place: Place
  /** Of its units, in their order. */
  readonly scores: ReadonlyArray<number>
}

const scored = factOf((evidence: Evidence): ReadonlyArray<Scored> => {
  const asking = askingOf(evidence)
  const places = evidence.sources.map((source) => ({ source, place: placeOf(asking, evidence, source) }))
  let [units, size] = [0, 0]
  for (const { place } of places) {
    units += place.drafts.length
    for (const { unit } of place.drafts) size += unit.set.size
  }
  const meanSize = Math.max(1, size / Math.max(1, units))
  const someNamed = places.some(({ place }) => place.isNamed)
  let bestBm25 = 1e-9
  const bm25s = places.map(({ place }) =>
    place.drafts.map(({ held, unit }) => {
      const bm25 = bm25Of(asking, held, unit.set.size / meanSize)
      bestBm25 = Math.max(bestBm25, bm25)
      return bm25
    })
  )
  const isCurrentKnown =
    places.some(({ source }) => isOutOfUse(evidence, source)) &&
    !asksOfPast(asking.question) &&
    places.some(
      ({ place, source }) =>
        !isOutOfUse(evidence, source) && place.drafts.some((draft) => isTold(asking, draft))
    )
  return places.map(({ place, source }, at) => {
    const isOld = isOutOfUse(evidence, source)
    const givesWay = isCurrentKnown && isOld && !place.isNamed && !isAskedAbout(evidence, asking, source)
    const late = (isOld ? 0.9 : 1) * (givesWay ? replacedFactor : 1)
    const elsewhere = (someNamed && !place.isNamed ? elsewhereFactor : 1) * late
    const scores = place.drafts.map(({ bonus, coverage, factor, kind, ownCoverage }, index) => {
      const bm25 = (0.2 * (bm25s[at]?.[index] ?? 0)) / bestBm25
      const worth = 0.5 * coverage + 0.2 * ownCoverage + bm25 + 0.1 / source.rank + bonus
      return factor * elsewhere * kind * worth
    })
    return { source, place, scores }
  })
})

/** What a unit is worth whatever stands beside it in the evidence. */
interface Draft
  extends Pick<
    Candidate,
    "coverage" | "hasType" | "isAskedAbove" | "isReasoned" | "label" | "namedBy" | "ownCoverage" | "unit"
  > {
  /** How well it carries each term that is asked for itself. */
  readonly held: Row
  readonly bonus: number
  readonly factor: number
  /** The last of its factors: what its kind counts. */
  readonly kind: number
}

interface Place {
  /** Its document carries an anchor of the question in title or path. */
  readonly isNamed: boolean
  readonly drafts: ReadonlyArray<Draft>
}

/** A passage that was chosen out of the pool was drafted there. */
const placeOf = (asking: Asking, evidence: Evidence, source: EvidencePassage): Place => {
  const known = placesOf(asking)
  const held = known.get(source.passage)
  if (held !== undefined) return held
  const made = draftPlace(asking, evidence, source)
  known.set(source.passage, made)
  return made
}
const placesOf = factOf((_: Asking) => new Map<Passage, Place>())

const draftPlace = (asking: Asking, evidence: Evidence, source: EvidencePassage): Place => {
  const { question } = asking
  const around = new Surroundings(evidence, source, asking.sought)
  const headings = new Headings(source, around, asking)
  const named = namedBeginnings(source, asking)
  const within = source.read.unitTerms
  let before: { readonly unit: ReadUnit; readonly row: Row } | undefined
  let spoken: { readonly unit: ReadUnit; readonly row: Row } | undefined
  const drafts = source.units.map((unit): Draft => {
    const row = asking.sought.rowWithin(unit.set, within)
    const last = before?.unit
    const near = last?.block === unit.block ? before?.row : undefined
    const namedBy = last === undefined ? undefined : namedBefore(question, last, unit)
    before = { unit, row }
    const { opensWithPronoun: isOfPronoun } = shapeOf(unit)
    const antecedent = isOfPronoun && spoken?.unit.block === unit.block ? spoken : undefined
    if (unit.kind === "sentence" && !isOfPronoun) spoken = before
    const rows = { row, near, names: antecedent?.row, around: around.around(unit) }
    const fit = fitOf(asking, rows, around, unit)
    const holdsType = asking.holdsType(unit)
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
      (namedBy === undefined ? noveltyFactor(asking, unit) : 1) *
      (namesNobody(asking, hasType, row) ? 0.6 : 1) *
      // In a document that the question names, "it" is what the question is about.
      (isOfPronoun && !isDefinition && !around.isNamed ? 0.85 : 1) *
      (antecedent !== undefined && isOfAnother(question, around, antecedent.unit, unit) ? otherSubject : 1) *
      heading.aside
    return {
      unit,
      namedBy,
      label: dated ?? labelOf(unit),
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

/** How well a unit, the one before it in its block, and what stands around it carry what is sought. */
interface Rows {
  readonly row: Row
  readonly near: Row | undefined
  /** The sentence that says what its pronoun stands for. */
  readonly names: Row | undefined
  readonly around: Row
}

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
      inOwn = Math.max(inUnit, leadWeight * (lead?.[at] ?? 0))
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

/** BM25 (k1 1.2, b 0.75, over units) of one unit. */
const bm25Of = ({ asked }: Asking, held: Row, relativeSize: number): number => {
  const length = 1.2 * (0.25 + 0.75 * relativeSize)
  let sum = 0
  for (let at = 0; at < asked.length; at += 1) {
    const inUnit = held[at] ?? 0
    if (inUnit > 0) sum += ((asked[at]?.weight ?? 0) * inUnit * 2.2) / (inUnit + length)
  }
  return sum
}

/**
 * A sentence that does not speak of what is asked ("rate", "cause") hardly answers, whatever else it shares; one that
 * speaks of another kind of it ("the charter" for "the minimum charter") answers less.
 */
const focusFactor = (asking: Asking, { around, row }: Rows, unit: ReadUnit): number => {
  const { focus, modifiers, question } = asking
  if (focus === null) return 1
  const isSaid = (at: number) => (row[at] ?? 0) > 0 || (around[at] ?? 0) > 0.4
  if (!isSaid(focus) && !saysBound(question, unit)) return offFocus
  const missing = modifiers.filter((at) => !isSaid(at))
  return modifiers.length === 0 ? 1 : 1 - otherKind * (missing.length / modifiers.length)
}

/** A unit that speaks of another thing than what is asked about, hardly answers. */
const thingFactor = (
  asking: Asking,
  named: ReadonlyArray<NamedBeginning>,
  rows: Rows,
  unit: ReadUnit
): number =>
  subjectFactor(asking, rows) *
  (isOfSibling(named, asking, unit) ? otherSubject : 1) *
  (holdsRival(asking, rows, unit) ? otherSubject : 1) *
  (asking.asked.some(({ isWeekday }) => isWeekday) && !tellsWeekdays(unit) ? otherSubject : 1)

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
const holdsRival = ({ asked, rivals }: Asking, { around, row }: Rows, unit: ReadUnit): boolean =>
  rivals.length > 0 &&
  asked.some(
    ({ term }, at) =>
      (row[at] ?? 0) === 0 &&
      (around[at] ?? 0) < subjectMin &&
      rivals.some((rival) => rival.of === term && unit.set.has(rival.term))
  )

const offFocus = 0.4
const otherKind = 0.25

/** A unit that only repeats the question tells nothing. */
const noveltyFactor = ({ anchorTexts, question, termsOfQuestion }: Asking, unit: ReadUnit): number => {
  if (question.answerType === "yes-no" || unit.kind === "code") return 1
  const isNew = (term: string) =>
    !termsOfQuestion.has(term) && !anchorTexts.some((text) => text.includes(term))
  return unit.set.every((term) => !isNew(term)) ? 0.3 : 1
}

/** Whether it answers a question that the document asks itself, and that is the one that is asked. */
const isReply = (evidence: Evidence, asking: Asking, rows: Rows, above: string | undefined): boolean =>
  above !== undefined && asksTheSame(evidence, asking, above, rows.around)

/** Whether title, headings and lead-in say all that is asked. */
const isSaidAbove = ({ asked }: Asking, rows: Rows, around: Surroundings): boolean =>
  asked.length > 0 &&
  asked.every(({ code }, at) => (code === null ? (rows.around[at] ?? 0) : around.matchAnchor(code)) >= 0.5)

/** Its title is what is to be defined: what is out of use is asked for by name. */
const isAskedAbout = (evidence: Evidence, { question, subject }: Asking, { passage }: EvidencePassage) => {
  const title = evidence.texts.read(passage.docTitle).set
  return subject.length > 0 && subject.every(({ term }) => title.match(term, question.language) >= 0.7)
}

/** By decision of the workspace, or by its own front matter. */
const isOutOfUse = ({ retired }: Evidence, { passage }: EvidencePassage): boolean =>
  passage.docVerification === "deprecated" || retired.has(passage.documentId)

const isTold = ({ question: { answerType } }: Asking, { coverage, hasType }: Draft): boolean =>
  coverage >= toldMin && (hasType || (answerType !== "number" && answerType !== "date"))

const bonuses = (
  { subject }: Question,
  source: EvidencePassage,
  around: Surroundings,
  unit: ReadUnit,
  { about, asked, isAbstract, opening, section }: HeadingFacts
): { readonly bonus: number; readonly isDefinition: boolean } => {
  const named = around.isNamed ? 0.15 : 0
  if (subject === null) return { bonus: named + section + asked, isDefinition: false }
  // When the question names a document, what others say in passing defines nothing.
  const defines = (around.isNamed || !/\d/u.test(subject)) && definesSubject(unit.text, subject)
  // Front matter may have a passage of its own before the first words.
  const isFirst = source.passage.ordinal <= 1 && unit === firstSentenceOf(source.read)
  const opens = isAbstract && unit === opening
  return {
    bonus: named + (defines ? 0.25 : 0) + about * (isFirst ? 0.55 : opens ? 0.45 : 0),
    isDefinition: defines || ((isFirst || opens) && about >= 0.3)
  }
}

const firstSentenceOf = factOf((passage: ReadPassage) =>
  passage.units.find(({ kind }) => kind === "sentence")
)

/** "X is …", "X (Y) refers to …", "X bezeichnet …". */
const definesSubject = (sentence: string, subject: string): boolean => {
  const sought = subject.toLowerCase()
  // No further than it may stand; a little beyond, since the last letter of a word may have a small form of its own.
  const at = sentence
    .slice(0, definedAtMax + sought.length + 8)
    .toLowerCase()
    .indexOf(sought)
  if (at < 0 || at > definedAtMax) return false
  return definitionVerb.test(sentence.slice(at + subject.length, at + subject.length + 80))
}

/** A sentence that defines its subject names it in its first words. */
const definedAtMax = 24

const definitionVerb =
  /^s?["”]?(?:\s\([^)]{1,40}\))?,?\s?(?:is|are|was|means|refers|denotes|defines|describes|stands for|provides|allows|ist|sind|bezeichnet|bedeutet|regelt|beschreibt|est|sont|désigne|signifie|es|son|significa|[:–—-]|とは|は|是)(?:\s|$|\p{Script=Han})/iu

const kindFactor = (unit: ReadUnit, { answerType }: Question, heading: HeadingFacts): number => {
  const { ending, factor } = shapeOf(unit)
  if (ending === "colon") return 0.75
  if (ending === "question") return 0.3
  if (unit.kind === "code") return answerType === "procedure" ? 0.8 : 0.5
  // A datum of the front matter ("status: Final") answers only who asks for it by name.
  if (unit.kind === "field") return heading.isNamed() ? 1.1 : 0
  if (unit.kind === "list" && answerType !== "list" && answerType !== "procedure") return 0.8
  return factor
}

/** What the form of a unit says of it, whatever is asked. */
const shapeOf = factOf((unit: ReadUnit) => ({
  opensWithPronoun: opensWithPronoun(unit.text),
  ending: /[:：]$/u.test(unit.text) ? "colon" : /[?？]$/u.test(unit.text) ? "question" : null,
  factor: formFactor(unit)
}))

const formFactor = ({ kind, text }: ReadUnit): number => {
  // "TIMEOUT: 30" says what the value is.
  if (kind !== "row" && /^[^:.]{1,60}: \S/u.test(text) && text.length < 100) return 1
  // A line without an end is a label or a heading in disguise.
  if (kind === "sentence" && text.length < 100 && !/[.!。！…”"')\]]$/u.test(text)) return 0.8
  const isLabel = kind !== "row" && !/\s\S+\s\S+\s\S+/u.test(text) && !unspacedScript.test(text)
  // A long unit covers much by its length alone.
  const length = 1 - 0.2 * Math.min(1, Math.max(0, text.length - 240) / 480)
  return isLabel ? 0.8 * length : length
}

const unspacedScript = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}/u
