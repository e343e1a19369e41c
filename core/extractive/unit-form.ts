import { memoize } from "../caching/index.js"
import type { EvidencePassage, Surroundings } from "../evidence/index.js"
import { opensWithPronoun } from "../languages/index.js"
import { asksWho, type Question } from "../questions/index.js"
import type { ReadPassage, ReadUnit } from "../text-analysis/index.js"
import type { HeadingFacts } from "./headings.js"

/** Returns the bonuses of a unit: a definition, the opening of its page, a field requested by its heading. */
export const bonuses = (
  { subject }: Question,
  source: EvidencePassage,
  around: Surroundings,
  unit: ReadUnit,
  { about, asked, isAbstract, opening, section }: HeadingFacts
): { readonly bonus: number; readonly isDefinition: boolean } => {
  const named = around.isNamed ? 0.15 : 0
  if (subject === null) return { bonus: named + section + asked, isDefinition: false }
  // When the question names a document, statements elsewhere are not definitions.
  const defines = (around.isNamed || !/\d/u.test(subject)) && definesSubject(unit.text, subject)
  // Front matter may have a passage of its own before the first text.
  const isFirst = source.passage.ordinal <= 1 && unit === firstSentenceOf(source.read)
  const opens = isAbstract && unit === opening
  return {
    bonus: named + (defines ? 0.25 : 0) + about * (isFirst ? 0.55 : opens ? 0.45 : 0),
    isDefinition: defines || ((isFirst || opens) && about >= 0.3)
  }
}

const firstSentenceOf = memoize((passage: ReadPassage) =>
  passage.units.find(({ kind }) => kind === "sentence")
)

/** "X is …", "X (Y) refers to …", "X bezeichnet …". */
const definesSubject = (sentence: string, subject: string): boolean => {
  const lowerSubject = subject.toLowerCase()
  // Only the start of the sentence is searched; slightly more, because lower-casing may lengthen a letter.
  const at = sentence
    .slice(0, definedAtMax + lowerSubject.length + 8)
    .toLowerCase()
    .indexOf(lowerSubject)
  if (at < 0 || at > definedAtMax) return false
  return definitionVerb.test(sentence.slice(at + subject.length, at + subject.length + 80))
}

/** Maximum offset of the subject in a sentence that defines it. */
const definedAtMax = 24

const definitionVerb =
  /^s?["”]?(?:\s\([^)]{1,40}\))?,?\s?(?:is|are|was|means|refers|denotes|defines|describes|stands for|provides|allows|ist|sind|bezeichnet|bedeutet|regelt|beschreibt|est|sont|désigne|signifie|es|son|significa|[:–—-]|とは|は|是)(?:\s|$|\p{Script=Han})/iu

/** Returns the weight of the unit's kind for the question. */
export const kindFactor = (unit: ReadUnit, question: Question, heading: HeadingFacts): number => {
  const { answerType } = question
  const { ending, factor } = shapeOf(unit)
  if (ending === "colon") return 0.75
  if (ending === "question") return 0.3
  if (unit.kind === "code") return answerType === "procedure" ? 0.8 : 0.5
  // A front-matter field ("status: Final") answers only a question that names the field.
  if (unit.kind === "field") return heading.isNamed() || holdsSubject(unit, question) ? 1.1 : 0
  // "port: 5433" answers a question for the port.
  if (unit.kind === "setting") return asksFor(unit, question) ? 1 : 0.3
  if (unit.kind === "list" && answerType !== "list" && answerType !== "procedure") return 0.8
  return factor
}

/** "role: Head nurse" tells who the head nurse is. */
const holdsSubject = (unit: ReadUnit, question: Question): boolean =>
  unit.kind === "field" &&
  asksWho(question) &&
  question.terms.length > 0 &&
  question.terms.every(({ term }) => unit.set.match(term, question.language) >= 0.7)

const asksFor = (unit: ReadUnit, { language, terms }: Question): boolean => {
  const key = unit.part(/^[^:=\s]+/u.exec(unit.text)?.[0] ?? "").set
  return terms.some(({ term }) => key.match(term, language) >= 0.7)
}

/** Returns the question-independent form factor of a unit. */
export const shapeOf = memoize((unit: ReadUnit) => ({
  opensWithPronoun: opensWithPronoun(unit.text),
  ending: /[:：]$/u.test(unit.text) ? "colon" : /[?？]$/u.test(unit.text) ? "question" : null,
  factor: formFactor(unit)
}))

const formFactor = ({ kind, text }: ReadUnit): number => {
  // "TIMEOUT: 30" says what the value is.
  if (kind !== "row" && /^[^:.]{1,60}: \S/u.test(text) && text.length < 100) return 1
  // A line without closing punctuation is a label or a heading.
  if (kind === "sentence" && text.length < 100 && !/[.!。！…”"')\]]$/u.test(text)) return 0.8
  const isLabel = kind !== "row" && !/\s\S+\s\S+\s\S+/u.test(text) && !unspacedScript.test(text)
  // A long unit covers many terms by its length alone.
  const length = 1 - 0.2 * Math.min(1, Math.max(0, text.length - 240) / 480)
  return isLabel ? 0.8 * length : length
}

const unspacedScript = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}/u
