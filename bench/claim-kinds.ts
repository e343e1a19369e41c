import nlp from "compromise/two"
import type { Passage } from "../core/files/documents/index.js"
import { isFunctionWord } from "../core/language/languages/index.js"
import { sentences } from "../core/language/text-analysis/sentences.js"
import { analyse } from "../core/language/tokenization/index.js"
import { wordRelation } from "../core/language/word-relations/index.js"
import { type ClaimLanguage, synonymsIn } from "./claim-synonyms.js"
import { templatesIn } from "./claim-templates.js"
import { claimsOf, looseStatementOf, namesOf, shortenedOf, statementOf } from "./grounding-claims.js"
import { areNear, firstSenses } from "./near-words.js"
import { randomFrom, shuffled } from "./random.js"

/** A claim about a passage. A false one knows the true one that it was made of. */
export interface KindClaim {
  readonly kind: string
  readonly text: string
  readonly isTrue: boolean
  readonly passage: Passage
  readonly truth?: string
}

/** A question of a set with a short answer or a long one that a person wrote. */
export interface SetQuestion {
  readonly text: string
  readonly answer: string
  readonly passage: Passage
  readonly isLong: boolean
}

export interface ClaimSource {
  readonly language: ClaimLanguage
  readonly passages: ReadonlyArray<Passage>
  readonly questions: ReadonlyArray<SetQuestion>
}

type Random = () => number

/** A content word with what another word must be to take its place. */
interface Word {
  readonly text: string
  readonly start: number
  readonly form: string
}

const pick = <A>(items: ReadonlyArray<A>, random: Random): A | undefined =>
  items[Math.floor(random() * items.length)]

/** Forms of English words, of which one replaces another of the same. */
const forms = [
  "Plural",
  "Singular",
  "PastTense",
  "Gerund",
  "Infinitive",
  "PresentTense",
  "Adverb",
  "Adjective"
]
const noForms = [
  "ProperNoun",
  "Acronym",
  "Value",
  "Pronoun",
  "Auxiliary",
  "Copula",
  "Modal",
  "Determiner",
  "Abbreviation"
]

const lettersMin = 4

const wordsInEnglish = (sentence: string): ReadonlyArray<Word> => {
  const terms: ReadonlyArray<{ readonly text: string; readonly tags: ReadonlyArray<string> }> = nlp(sentence)
    .json()
    .flatMap(({ terms: of }: { readonly terms: ReadonlyArray<never> }) => of)
  const words: Array<Word> = []
  let from = 0
  for (const { tags, text } of terms) {
    const start = sentence.indexOf(text, from)
    if (start < 0 || text === "") continue
    from = start + text.length
    const form = forms.find((one) => tags.includes(one))
    if (form === undefined || form === "Adverb" || noForms.some((one) => tags.includes(one))) continue
    if (isContent(sentence, text, start, "en")) words.push({ text, start, form })
  }
  return words
}

/** Without a tagger a word takes the place of another with the same ending, and in German of the same case. */
const wordsByEnding = (sentence: string, language: ClaimLanguage): ReadonlyArray<Word> =>
  [...sentence.matchAll(/\p{L}+/gu)].flatMap(({ 0: text, index: start }) =>
    start > 0 && text.length > lettersMin && isContent(sentence, text, start, language)
      ? [{ text, start, form: `${/^\p{Lu}/u.test(text) ? "noun" : ""}${text.slice(-2)}` }]
      : []
  )

const isContent = (sentence: string, text: string, start: number, language: ClaimLanguage): boolean =>
  text.length >= lettersMin &&
  (language === "de" ? /^\p{L}\p{Ll}+$/u : /^\p{Ll}+$/u).test(text) &&
  !isFunctionWord(text, language) &&
  !/[\p{L}\p{N}-]/u.test(sentence.charAt(start + text.length)) &&
  !/[\p{L}\p{N}-]/u.test(sentence.charAt(start - 1))

const replaced = (sentence: string, { start, text }: Word, by: string): string =>
  sentence.slice(0, start) + by + sentence.slice(start + text.length)

const termsOf = (text: string): ReadonlySet<string> => new Set(analyse(text).map(({ term }) => term))

const sentencesIn = (passage: Passage): ReadonlyArray<string> =>
  sentences(passage.text)
    .map(({ end, start }) => passage.text.slice(start, end).trim())
    .filter((text) => text.length >= 50 && text.length <= 240 && /^\p{Lu}[^\n|*#`[\]]*\.$/u.test(text))

/** Verbs between two nouns that do not read alike both ways. */
const bothWays =
  /\b(?:is|are|was|were|be|been|and|or|equals?|resembles?|met|meets?|married|versus|like|as|between)\b/u

/** Where most of a set's words come from: enough for any word to find one of its form. */
const poolSentences = 700

/** Makes claims of every kind of the passages and questions of a set, at most `perKind` of a kind. */
export const claimsOfKinds = (
  { language, passages, questions }: ClaimSource,
  perKind: number,
  seed: number
): ReadonlyArray<KindClaim> => {
  const random = randomFrom(seed)
  const wordsOf = (text: string) => (language === "en" ? wordsInEnglish(text) : wordsByEnding(text, language))
  const all = shuffled(
    passages.flatMap((passage) => sentencesIn(passage).map((text) => ({ passage, text }))),
    seed
  ).slice(0, poolSentences)
  const pool = new Map<string, Set<string>>()
  for (const { text } of all)
    for (const word of wordsOf(text)) pool.set(word.form, (pool.get(word.form) ?? new Set()).add(word.text))
  const names = [...new Set(passages.slice(0, 400).flatMap(({ text }) => namesOf(text)))]
  const synonyms = synonymsIn(language)
  const made = new Map<string, Array<KindClaim>>()
  const isFull = (kind: string) => (made.get(kind)?.length ?? 0) >= perKind
  const add = (kind: string, isTrue: boolean, text: string | null, passage: Passage, truth?: string) => {
    if (text === null || isFull(kind)) return
    made.set(kind, [
      ...(made.get(kind) ?? []),
      { kind, isTrue, text, passage, ...(truth === undefined ? {} : { truth }) }
    ])
  }

  /** A word that is nowhere in the passage and not related to the one whose place it takes. */
  const otherWord = (word: Word, passage: Passage, near: boolean): string | undefined => {
    const known = termsOf(passage.text)
    const candidates = shuffled([...(pool.get(word.form) ?? [])], Math.floor(random() * 1e9))
    const isNear = near ? nearTo(word) : () => true
    return candidates.find(
      (other) =>
        isNear(other) &&
        ![...termsOf(other)].some((term) => known.has(term)) &&
        other.slice(0, 4) !== word.text.slice(0, 4) &&
        wordRelation(word.text, other, language) === undefined &&
        !areListed(word.text, other)
    )
  }
  const areListed = (one: string, other: string) => synonyms.get(one)?.includes(other) === true
  const nearTo = (word: Word): ((other: string) => boolean) => {
    const senses = /Plural|Singular/u.test(word.form) ? nouns() : verbs()
    const senseOf = (text: string) =>
      basesOf(text)
        .map((base) => senses.get(base))
        .find((sense) => sense !== undefined)
    const sense = senseOf(word.text)
    return (other) => areNear(sense, senseOf(other))
  }
  const exchanged = (sentence: string, passage: Passage, near = false, not = -1): string | null => {
    const words = shuffled(
      wordsOf(sentence).filter(({ form, start }) => start !== not && (!near || form !== "Adjective")),
      Math.floor(random() * 1e9)
    )
    for (const word of words) {
      const other = otherWord(word, passage, near)
      if (other !== undefined) return replaced(sentence, word, other)
    }
    return null
  }
  const synonymised = (sentence: string): string | null => {
    const words = shuffled([...sentence.matchAll(/\p{L}+/gu)], Math.floor(random() * 1e9))
    for (const { 0: text, index: start } of words) {
      const other = pick(synonyms.get(text) ?? [], random)
      if (other !== undefined && !sentence.includes(other))
        return replaced(sentence, { text, start, form: "" }, other)
    }
    return null
  }
  const ofParagraph = (sentence: string, passage: Passage): string | null => {
    const own = termsOf(sentence)
    const others = sentencesIn(passage)
      .filter((text) => text !== sentence)
      .flatMap(wordsOf)
      .filter(({ text }) => ![...termsOf(text)].some((term) => own.has(term)))
    for (const word of shuffled(wordsOf(sentence), Math.floor(random() * 1e9))) {
      const other = pick(
        others.filter(
          ({ form, text }) => form === word.form && wordRelation(word.text, text, language) === undefined
        ),
        random
      )
      if (other !== undefined) return replaced(sentence, word, other.text)
    }
    return null
  }
  const swapped = (sentence: string): string | null => {
    const nouns = wordsOf(sentence).filter(({ form }) =>
      (language === "en" ? /Plural|Singular/u : /^noun/u).test(form)
    )
    for (const [at, first] of nouns.entries()) {
      const second = nouns[at + 1]
      if (second === undefined || second.form !== first.form || second.text === first.text) continue
      const middle = sentence.slice(first.start + first.text.length, second.start)
      if (middle.length > 50 || bothWays.test(middle) || /[,;:]/u.test(middle)) continue
      if (
        !wordsOf(sentence).some(
          ({ form, start }) => verbForms.test(form) && start > first.start && start < second.start
        )
      )
        continue
      return replaced(replaced(sentence, second, first.text), first, second.text)
    }
    return null
  }

  for (const { passage, text } of all) {
    add("as written", true, text, passage)
    const short = shortenedOf(text)
    add("shortened", true, short, passage)
    const once = isFull("two synonyms") ? null : synonymised(text)
    add("one synonym", true, once, passage)
    add("two synonyms", true, once === null ? null : synonymised(once), passage)
    if (!isFull("one word exchanged"))
      add("one word exchanged", false, exchanged(text, passage), passage, text)
    if (language === "en" && !isFull("near word"))
      add("near word", false, exchanged(text, passage, true), passage, text)
    if (!isFull("word of the same paragraph"))
      add("word of the same paragraph", false, ofParagraph(text, passage), passage, text)
    if (!isFull("two words exchanged")) {
      const first = exchanged(text, passage)
      add("two words exchanged", false, first === null ? null : exchanged(first, passage), passage, text)
    }
    if (once !== null && !isFull("beside a true synonym"))
      add("beside a true synonym", false, exchanged(once, passage), passage, once)
    if (short !== null && !isFull("shortened and one word"))
      add("shortened and one word", false, exchanged(short, passage), passage, short)
    if (language === "en" && !isFull("nouns swapped"))
      add("nouns swapped", false, swapped(text), passage, text)
    for (const one of claimsOf(text, passage.text, names, Math.floor(random() * 1e9)))
      if (one.kind !== "verbatim" && one.kind !== "part of a sentence")
        add(one.kind, one.isTrue, one.text, passage, one.isTrue ? undefined : text)
  }
  for (const { passage } of all.slice(0, perKind))
    for (const { claims, source } of templatesIn(language, random))
      for (const [kind, isTrue, text] of claims)
        add(kind, isTrue, text, withSentence(passage, source), source)
  for (const { answer, isLong, passage, text: question } of questions) {
    if (isLong) {
      for (const text of sentencesIn({ ...passage, text: answer })) {
        add("long human answer", true, text, passage)
        if (!isFull("word in a human answer"))
          add("word in a human answer", false, exchanged(text, passage), passage, text)
      }
      continue
    }
    const stated = statementOf(question, answer) ?? looseStatementOf(question, answer)
    if (stated === null) continue
    add("question and answer", true, stated, passage)
    if (!isFull("word in question and answer"))
      add("word in question and answer", false, exchanged(stated, passage), passage, stated)
    const other = pick(
      questions.filter((one) => one.passage === passage && isLike(one.answer, answer)),
      random
    )
    const wrong =
      other === undefined
        ? null
        : (statementOf(question, other.answer) ?? looseStatementOf(question, other.answer))
    add("answer of another question", false, wrong, passage, stated)
  }
  return [...made.values()].flat()
}

const verbForms = /Tense|Gerund|Infinitive/u

/** The sentence stands behind the first of the passage, where others surround it. */
const withSentence = (passage: Passage, sentence: string): Passage => {
  const first = sentences(passage.text)[0]?.end ?? 0
  return {
    ...passage,
    text: `${passage.text.slice(0, first).trimEnd()} ${sentence} ${passage.text.slice(first).trimStart()}`
  }
}

let read:
  | { readonly noun: ReturnType<typeof firstSenses>; readonly verb: ReturnType<typeof firstSenses> }
  | undefined
const senses = () => {
  read ??= { noun: firstSenses("noun"), verb: firstSenses("verb") }
  return read
}
const nouns = () => senses().noun
const verbs = () => senses().verb

const basesOf = (word: string): ReadonlyArray<string> => [
  word,
  word.replace(/(?:s|ed|ing)$/u, ""),
  word.replace(/(?:es|d|ing)$/u, "").replace(/([^e])$/u, word.endsWith("ing") ? "$1e" : "$1"),
  word.replace(/ie[sd]$/u, "y")
]

/** Whether two answers are of one kind and neither contains the other. */
const isLike = (a: string, b: string): boolean => {
  const kindOf = (text: string) =>
    /^[12]\d{3}$/u.test(text)
      ? "year"
      : /\d/u.test(text)
        ? "number"
        : /^\p{Lu}/u.test(text)
          ? "name"
          : "other"
  const [x, y] = [a.toLowerCase(), b.toLowerCase()]
  return kindOf(a) === kindOf(b) && !x.includes(y) && !y.includes(x)
}
