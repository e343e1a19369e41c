import type { EntityId } from "../kernel/index.js"
import {
  type Anchor,
  type AnswerType,
  contentTerms,
  findValues,
  isFunctionWord,
  type Language,
  negationCount,
  readQuestion,
  synonymOf,
  type Value
} from "../text-analysis/index.js"
import { analyse } from "../tokenization/index.js"

/** Where a question names known entities, in its normalised text (UTF-16 offsets). */
export interface Mention {
  readonly start: number
  readonly end: number
  readonly entityIds: ReadonlyArray<EntityId>
}

/** One word of a question, as it is compared. */
export interface Word {
  /** `entity` for a mention, whichever of its names stands there; `value` however it is written. */
  readonly kind: "entity" | "value" | "content" | "function"
  /** In small letters. */
  readonly surface: string
  /** Equal for two words of one stem; null for words without one. */
  readonly stem: string | null
  /** Listed synonyms share it. */
  readonly group: string | null
}

/** How a question is put: everything that must be the same in another one before its answer may be given again. */
export interface QuestionWording {
  /** NFKC, white space collapsed, case kept. */
  readonly text: string
  readonly language: Language
  readonly answerType: AnswerType
  /** Names, phrases and codes outside of the mentions. */
  readonly anchors: ReadonlyArray<Anchor>
  /** Numbers, quantities, dates and codes outside of the mentions. */
  readonly values: ReadonlyArray<Value>
  readonly negations: number
  /** Every word that says something, in order; articles and courtesies are none. */
  readonly words: ReadonlyArray<Word>
  readonly entityIds: ReadonlyArray<EntityId>
}

/** The text of a question as it is compared letter for letter: no case, typographic quotes, or closing marks. */
export const questionKey = (text: string): string =>
  spellOut(text.normalize("NFKC"))
    .toLowerCase()
    .replace(/\s+/gu, " ")
    .replace(/[\s.!?。？！…¿¡]+$/u, "")
    .replace(/^[\s¿¡]+/u, "")

/** Reads how a question is put. Pure. `mentions` are of its normalised text, sorted and apart from each other. */
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

/** A stretch of the text that is one word, however it is written. */
interface Stretch {
  readonly start: number
  readonly end: number
  readonly word: Word
}

const mentioned = ({ end, entityIds, start }: Mention): Stretch => {
  const surface = [...entityIds].sort().join(" ")
  return { start, end, word: { kind: "entity", surface, stem: null, group: null } }
}

/** What it says is compared value by value. */
const measured = ({ end, start }: Value): Stretch => ({
  start,
  end,
  word: { kind: "value", surface: "", stem: null, group: null }
})

/** Says nothing of what is asked. Of English alone: elsewhere an article may tell two words apart. */
const neutral = new Set("a an the please kindly do does".split(" "))

/** Forms of one function word. What a tense or a person tells apart stays apart. */
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
  ].flatMap(([written]): ReadonlyArray<Word> => {
    const surface = written.toLowerCase()
    if (language === "en" && neutral.has(surface)) return []
    if (isFunctionWord(surface, language)) {
      const form = language === "en" ? (sameFunction[surface] ?? surface) : surface
      return [{ kind: "function", surface: form, stem: null, group: null }]
    }
    const stem = stems.get(written) ?? null
    return [{ kind: "content", surface, stem, group: stem === null ? null : (synonymOf(stem) ?? null) }]
  })
}

/** "isn't" is "is not", "what's" is "what is": words that are compared one by one. */
const spellOut = (text: string): string =>
  text
    .replace(/[‘’ʼ]/gu, "'")
    .replace(/[“”„«»]/gu, '"')
    .replace(/\bcan't\b/giu, "can not")
    .replace(/\bcannot\b/giu, "can not")
    .replace(/\bwon't\b/giu, "will not")
    .replace(/n't\b/giu, " not")
    .replace(/\b(what|who|where|when|how|why|which|that|there|it)'s\b/giu, "$1 is")
