import { type Anchor, AnchorField } from "./anchors.js"
import { answerTypeTest } from "./answer-type.js"
import type { Evidence, EvidencePassage } from "./evidence.js"
import { opensWithPronoun } from "./language.js"
import type { AnswerType, Question } from "./question.js"
import { headingOf, Surroundings, termSet } from "./surroundings.js"
import type { TermSet } from "./terms.js"
import type { TextUnit } from "./units.js"

/** A unit with what it is worth as an answer. */
export interface Candidate {
  readonly source: EvidencePassage
  readonly unit: TextUnit
  readonly terms: TermSet
  /** Share of the question's terms, weighted by rarity, that the unit and its surroundings carry; 0 to 1. */
  readonly coverage: number
  /** The same of the unit alone. */
  readonly ownCoverage: number
  /** Its document carries an anchor of the question in title or path. */
  readonly isNamed: boolean
  /** It holds a thing of the kind that was asked for. */
  readonly hasType: boolean
  /** About 0 to 1.5; no unit. */
  readonly score: number
}

/** A question of more terms is read by its rarest ones. */
const termsMax = 48
/** What a question term in the sentence before is worth: pronouns carry it over. */
const neighbourWeight = 0.45

/** An item and what leads to it are one statement, nearly. */
const leadWeight = 0.6
/** What others say of a document that the question names counts less than its own words. */
const elsewhereFactor = 0.6

/**
 * Scores every unit of the evidence, in order of source and place:
 * (0.5 coverage + 0.2 own coverage + 0.2 BM25 / best BM25 + 0.1 / source rank + bonuses) × factors.
 * Bonuses: the expected kind of answer, a section made for such answers, a definition of the subject, a document
 * that the question names. Factors: anchors that are missing, units that say little.
 */
export const scoreUnits = (evidence: Evidence): ReadonlyArray<Candidate> => {
  const { question, sources } = evidence
  const asked = askedTerms(evidence)
  const holdsType = answerTypeTest(question)
  const places = sources.map((source) => ({
    source,
    around: new Surroundings(evidence, source),
    bodies: source.units.map((unit) => termSet(evidence, unit.text))
  }))
  const sizes = places.flatMap(({ bodies }) => bodies.map(({ size }) => size))
  const meanSize = Math.max(1, sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.length))
  const someNamed = places.some(({ around }) => around.isNamed)
  const drafts = places.flatMap(({ around, bodies, source }) =>
    source.units.map((unit, index) => {
      const terms = bodies[index] ?? termSet(evidence, "")
      const before = source.units[index - 1]?.block === unit.block ? bodies[index - 1] : undefined
      const field = new AnchorField(`${unit.lead} ${unit.text} ${unit.heading}`)
      const relativeSize = terms.size / meanSize
      const fit = fitOf({ asked, terms, field, before, around, unit, question, relativeSize })
      const hasType = holdsType(unit)
      const { bonus, isDefinition } = bonuses(question, around, unit, index, source)
      // In a document that the question names, "it" is what the question is about.
      const pronoun = opensWithPronoun(unit.text) && !isDefinition && !around.isNamed ? 0.85 : 1
      const aside = asideFactor(question, source, unit)
      const elsewhere = someNamed && !around.isNamed ? elsewhereFactor : 1
      const focus = focusFactor(question, terms, around, unit)
      const factor =
        focus *
        outdated(source) *
        around.anchorFactor(field) *
        noveltyFactor(evidence, terms, unit) *
        pronoun *
        aside *
        elsewhere *
        kindFactor(unit, evidence)
      return {
        source,
        unit,
        terms,
        hasType,
        isNamed: around.isNamed,
        ...fit,
        factor,
        bonus: bonus + (hasType ? 0.1 : 0)
      }
    })
  )
  const bestBm25 = drafts.reduce((best, { bm25 }) => Math.max(best, bm25), 1e-9)
  return drafts.map(({ bm25, factor, bonus, ...rest }) => ({
    ...rest,
    score:
      factor *
      (0.5 * rest.coverage +
        0.2 * rest.ownCoverage +
        (0.2 * bm25) / bestBm25 +
        0.1 / rest.source.rank +
        bonus)
  }))
}

/** A word of the question, or a code that is looked up whole. */
interface AskedTerm {
  readonly term: string
  readonly code: Anchor | null
  readonly weight: number
}

/** Distinct terms, the rarest first. */
const askedTerms = ({ analyse, idf, question }: Evidence): ReadonlyArray<AskedTerm> => {
  const weigh = (term: string) => Math.max(0.05, idf(term))
  const byTerm = new Map<string, AskedTerm>()
  for (const { term } of question.terms) byTerm.set(term, { term, code: null, weight: weigh(term) })
  for (const anchor of question.anchors) {
    if (anchor.kind !== "code") continue
    const weight = Math.max(0.05, ...analyse(anchor.text).map(({ term }) => weigh(term)))
    byTerm.set(anchor.code, { term: anchor.code, code: anchor, weight })
  }
  return [...byTerm.values()].sort((a, b) => b.weight - a.weight).slice(0, termsMax)
}

/** Coverage and BM25 (k1 1.2, b 0.75, over units) of one unit. */
const fitOf = (input: {
  readonly asked: ReadonlyArray<AskedTerm>
  readonly terms: TermSet
  readonly field: AnchorField
  readonly before: TermSet | undefined
  readonly around: Surroundings
  readonly unit: TextUnit
  readonly question: Question
  readonly relativeSize: number
}): { readonly coverage: number; readonly ownCoverage: number; readonly bm25: number } => {
  const { language } = input.question
  let [covered, own, bm25, total] = [0, 0, 0, 0]
  for (const { code, term, weight } of input.asked) {
    const inUnit = code === null ? input.terms.match(term, language) : input.field.has(code) ? 1 : 0
    const inOwn =
      code === null
        ? Math.max(inUnit, leadWeight * input.around.leadMatch(term, input.unit))
        : input.around.isOf(code)
          ? 1
          : inUnit
    const near =
      code === null
        ? Math.max(
            input.around.match(term, input.unit),
            neighbourWeight * (input.before?.match(term, language) ?? 0)
          )
        : input.around.matchAnchor(code)
    total += weight
    own += weight * inOwn
    covered += weight * Math.max(inUnit, near)
    bm25 += (weight * inUnit * 2.2) / (inUnit + 1.2 * (0.25 + 0.75 * input.relativeSize))
  }
  return total === 0
    ? { coverage: 0, ownCoverage: 0, bm25: 0 }
    : { coverage: covered / total, ownCoverage: own / total, bm25 }
}

/**
 * A sentence that does not speak of what is asked ("rate", "cause") hardly answers, whatever else it shares; one that
 * speaks of another kind of it ("the charter" for "the minimum charter") answers less.
 */
const focusFactor = (
  { focus, focusModifiers, language }: Question,
  terms: TermSet,
  around: Surroundings,
  unit: TextUnit
): number => {
  const isSaid = (term: string) => terms.match(term, language) > 0 || around.match(term, unit) > 0.4
  if (focus === null) return 1
  if (!isSaid(focus)) return offFocus
  const missing = focusModifiers.filter((term) => !isSaid(term))
  return focusModifiers.length === 0 ? 1 : 1 - otherKind * (missing.length / focusModifiers.length)
}
const offFocus = 0.4
const otherKind = 0.25

/** A unit that only repeats the question tells nothing. */
const noveltyFactor = ({ question }: Evidence, terms: TermSet, unit: TextUnit): number => {
  if (question.answerType === "yes-no" || unit.kind === "code") return 1
  const isNew = (term: string) =>
    !question.terms.some((asked) => asked.term === term) &&
    !question.anchors.some(({ text }) => text.toLowerCase().includes(term))
  return terms.every((term) => !isNew(term)) ? 0.3 : 1
}

const outdated = (source: EvidencePassage): number =>
  source.passage.docVerification === "deprecated" ? 0.9 : 1

const abstractHeading =
  /^(?:abstract|description|(?:simple )?summary|overview|introduction|purpose|definition|about|zusammenfassung|überblick|einleitung|zweck|résumé|présentation|resumen|introducción|概要)$/iu

/** Sections that hold no statements about the subject. */
const asideHeading =
  /^(?:references?|copyright|see also|links?|further reading|change ?log|history|test cases|table of contents|quellen|siehe auch|références|voir aussi|referencias)\s*$/iu

/** Sections that discuss: who asks for a fact is better served by those that state it. */
const discussionHeading =
  /\b(?:rationale|motivation|background|discussion|alternatives?|considerations?|compatibility|begründung|hintergrund|contexte|alternativas?)\b/iu

const asideFactor = ({ answerType }: Question, source: EvidencePassage, unit: TextUnit): number => {
  if (asideHeading.test(headingOf(source, unit))) return 0.8
  const headings = `${source.passage.headingPath.join(" | ")} | ${unit.heading}`
  const wantsFact = answerType === "number" || answerType === "date" || answerType === "list"
  return wantsFact && discussionHeading.test(headings) ? 0.85 : 1
}

/** Headings under which answers of a kind are kept. */
const sections: Partial<Record<AnswerType, RegExp>> = {
  reason:
    /motivation|rationale|background|reason|cause|why|grund|begründung|ursache|hintergrund|warum|pourquoi|raison|motiv/iu,
  procedure:
    /how|step|procedure|process|usage|guide|instruction|ablauf|vorgehen|anleitung|schritt|procédure|étape|proced|pasos/iu
}

const bonuses = (
  question: Question,
  around: Surroundings,
  unit: TextUnit,
  index: number,
  source: EvidencePassage
): { readonly bonus: number; readonly isDefinition: boolean } => {
  const { subject } = question
  const heading = headingOf(source, unit)
  const named = around.isNamed ? 0.15 : 0
  if (subject === null) {
    const section = sections[question.answerType]?.test(heading) === true ? 0.1 : 0
    return { bonus: named + section + (around.isAsked(heading) ? 0.1 : 0), isDefinition: false }
  }
  // When the question names a document, what others say in passing defines nothing.
  const defines = (around.isNamed || !/\d/u.test(subject)) && definesSubject(unit.text, subject)
  // Front matter may have a passage of its own before the first words.
  const isFirst =
    source.passage.ordinal <= 1 && index === source.units.findIndex(({ kind }) => kind === "sentence")
  const opens =
    index === source.units.findIndex((one) => one.kind === "sentence" && one.heading === unit.heading)
  const isAbstract = opens && abstractHeading.test(heading)
  const about = around.aboutness(subject, unit)
  return {
    bonus: named + (defines ? 0.25 : 0) + about * (isFirst ? 0.55 : isAbstract ? 0.45 : 0),
    isDefinition: defines || ((isFirst || isAbstract) && about >= 0.3)
  }
}

/** "X is …", "X (Y) refers to …", "X bezeichnet …". */
const definesSubject = (sentence: string, subject: string): boolean => {
  const at = sentence.toLowerCase().indexOf(subject.toLowerCase())
  if (at < 0 || at > 24) return false
  return definitionVerb.test(sentence.slice(at + subject.length, at + subject.length + 80))
}

const definitionVerb =
  /^s?["”]?(?:\s\([^)]{1,40}\))?,?\s?(?:is|are|was|means|refers|denotes|defines|describes|stands for|provides|allows|ist|sind|bezeichnet|bedeutet|regelt|beschreibt|est|sont|désigne|signifie|es|son|significa|[:–—-]|とは|は|是)(?:\s|$|\p{Script=Han})/iu

/** A datum of the front matter ("status: Final") answers only who asks for it by name. */
const asksForField = ({ heading }: TextUnit, evidence: Evidence): boolean => {
  const { language, terms } = evidence.question
  const key = termSet(evidence, heading)
  return terms.some(({ surface, term }) => !/\d/u.test(surface) && key.match(term, language) >= 0.7)
}

const kindFactor = (unit: TextUnit, evidence: Evidence): number => {
  const { answerType } = evidence.question
  const { kind, text } = unit
  if (/[:：]$/u.test(text)) return 0.75
  if (/[?？]$/u.test(text)) return 0.6
  if (kind === "code") return answerType === "procedure" ? 0.8 : 0.5
  if (kind === "field") return asksForField(unit, evidence) ? 1.1 : 0
  if (kind === "list" && answerType !== "list" && answerType !== "procedure") return 0.8
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
