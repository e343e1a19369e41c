import { isFunctionWord, type Language, negationCount, synonymOf } from "../../language/languages/index.js"
import { type AnswerType, readQuestion } from "../../language/questions/index.js"
import { type Anchor, contentTerms } from "../../language/text-analysis/index.js"
import { analyse } from "../../language/tokenization/index.js"
import { findValues, type Value } from "../../language/values/index.js"
import { type EntityId, normalForm } from "../../platform/kernel/index.js"

/** Position of known entities in the normalized question (UTF-16 offsets). */
export interface Mention {
  readonly start: number
  readonly end: number
  readonly entityIds: ReadonlyArray<EntityId>
}

/** A word of a question in the form that is compared. */
export interface Word {
  /** `entity` for a mention under any of its names; `value` in any spelling. */
  readonly kind: "entity" | "value" | "content" | "function"
  /** In lower case. */
  readonly surface: string
  /** Equal for words of one stem; null without a stem. */
  readonly stem: string | null
  /** Shared by listed synonyms. */
  readonly group: string | null
}

/** The parsed wording of a question: everything that must match before its answer may be reused. */
export interface QuestionWording {
  /** NFKC, white space collapsed, case preserved. */
  readonly text: string
  readonly language: Language
  readonly answerType: AnswerType
  /** Names, phrases and codes outside of the mentions. */
  readonly anchors: ReadonlyArray<Anchor>
  /** Numbers, quantities, dates and codes outside of the mentions. */
  readonly values: ReadonlyArray<Value>
  readonly negations: number
  /** Every significant word in order, without articles and courtesies. */
  readonly words: ReadonlyArray<Word>
  readonly entityIds: ReadonlyArray<EntityId>
}

/** Returns the question in the form for exact comparison: without case, typographic quotes and closing marks. */
export const questionKey = (text: string): string =>
  spellOut(normalForm(text, "NFKC"))
    .toLowerCase()
    .replace(/\s+/gu, " ")
    .replace(/[\s.!?。？！…¿¡]+$/u, "")
    .replace(/^[\s¿¡]+/u, "")

/** Parses the wording of a question. Pure. `mentions` refer to its normalized text, sorted and without overlaps. */
export const parseWording = (text: string, mentions: ReadonlyArray<Mention>): QuestionWording => {
  const question = readQuestion(text, analyse)
  const { anchors, answerType, language } = question
  const named = mentions.map(({ end, start }) => question.text.slice(start, end))
  const values = findValues(question.text).filter(
    (value) => !mentions.some(({ end, start }) => value.start < end && value.end > start)
  )
  return {
    text: question.text,
    language,
    answerType,
    anchors: anchors.filter(
      (anchor) => anchor.kind !== "value" && !named.some((name) => name.includes(anchor.text))
    ),
    values,
    negations: negationCount(question.text),
    words: wordsOf(question.text, language, [...mentions.map(mentioned), ...values.map(measured)]),
    entityIds: [...new Set(mentions.flatMap(({ entityIds }) => entityIds))].sort()
  }
}

/** A span of the text that counts as one word. */
interface Stretch {
  readonly start: number
  readonly end: number
  readonly word: Word
}

const mentioned = ({ end, entityIds, start }: Mention): Stretch => {
  const surface = [...entityIds].sort().join(" ")
  return { start, end, word: { kind: "entity", surface, stem: null, group: null } }
}

/** Returns the span of a value, which is compared as a value. */
const measured = ({ end, start }: Value): Stretch => ({
  start,
  end,
  word: { kind: "value", surface: "", stem: null, group: null }
})

/** Words without significance, in English only: elsewhere articles may distinguish words. */
const neutral = new Set("a an the please kindly do does".split(" "))

/** Variants of one function word. Forms that differ in tense or person stay distinct. */
const sameFunction: Readonly<Record<string, string>> = { are: "is", am: "is", were: "was", has: "have" }

const wordsOf = (
  text: string,
  language: Language,
  stretches: ReadonlyArray<Stretch>
): ReadonlyArray<Word> => {
  const found: Array<Word> = []
  let place = 0
  for (const { end, start, word } of [...stretches].sort((a, b) => a.start - b.start)) {
    found.push(...plainWords(text.slice(place, start), language), word)
    place = end
  }
  found.push(...plainWords(text.slice(place), language))
  return found
}

const plainWords = (part: string, language: Language): ReadonlyArray<Word> => {
  const text = spellOut(part)
  const stems = new Map(contentTerms(analyse, text, language).map((term) => [term.surface, term.term]))
  return [
    ...text.matchAll(/[\p{L}\p{M}\p{N}_]+(?:[.,:'/-][\p{L}\p{M}\p{N}_]+)*|[%€$£¥§&+<>=≤≥/*^~@#-]+/gu)
  ].flatMap(([word]): ReadonlyArray<Word> => {
    const surface = word.toLowerCase()
    if (language === "en" && neutral.has(surface)) return []
    if (isFunctionWord(surface, language)) {
      const form = language === "en" ? (sameFunction[surface] ?? surface) : surface
      return [{ kind: "function", surface: form, stem: null, group: null }]
    }
    const stem = stems.get(word) ?? null
    return [{ kind: "content", surface, stem, group: stem === null ? null : (synonymOf(stem) ?? null) }]
  })
}

/** Expands contractions: "isn't" to "is not", "what's" to "what is". */
const spellOut = (text: string): string =>
  text
    .replace(/[‘’ʼ]/gu, "'")
    .replace(/[“”„«»]/gu, '"')
    .replace(/\bcan't\b/giu, "can not")
    .replace(/\bcannot\b/giu, "can not")
    .replace(/\bwon't\b/giu, "will not")
    .replace(/n't\b/giu, " not")
    .replace(/\b(what|who|where|when|how|why|which|that|there|it)'s\b/giu, "$1 is")
