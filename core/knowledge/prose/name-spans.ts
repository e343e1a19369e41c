import { isFunctionWord } from "../../language/languages/index.js"
import type { NameSpan } from "./model.js"
import { typeOfSpan } from "./name-type.js"
import {
  calendar,
  connectors,
  doubleMeaning,
  ordinaryWords,
  particles,
  titles,
  typeByFirstWord,
  typeByLastWord
} from "./name-words.js"
import { hasTag, isCapital, isSign, plainWord, type TaggedWord } from "./tagged-words.js"

/** Maximum number of words in a name. */
const wordsMax = 7
const charsMax = 100

/** Parts of speech that begin a sentence rather than a name. */
const openers = [
  "Verb",
  "Preposition",
  "Conjunction",
  "Determiner",
  "Pronoun",
  "Adverb",
  "QuestionWord",
  "Expression"
]
const known = ["Person", "Place", "Organization", "FirstName"]

/** Returns the names in one sentence. `small` tells whether the text has a word in small letters elsewhere. */
export const nameSpans = (
  sentence: string,
  words: ReadonlyArray<TaggedWord>,
  small: (word: string) => boolean
): ReadonlyArray<NameSpan> => {
  const found: Array<NameSpan> = []
  for (let at = 0; at < words.length; ) {
    const end = isCapital(words[at]) ? runEnd(sentence, words, at) : at
    const name = end > at ? nameInRun({ sentence, words, small }, at, end) : null
    if (name !== null) found.push(name)
    at = Math.max(end, at + 1)
  }
  return found
}

interface Around {
  readonly sentence: string
  readonly words: ReadonlyArray<TaggedWord>
  readonly small: (word: string) => boolean
}

/** Returns the place after the last word of the run of capitalised words that begins at a place. */
const runEnd = (sentence: string, words: ReadonlyArray<TaggedWord>, from: number): number => {
  let end = from + 1
  for (let at = from + 1; at < words.length && at - from < wordsMax; at++) {
    const [before, word] = [words[at - 1], words[at]]
    if (word === undefined || before === undefined || !isJoined(sentence, before, word)) break
    if (isCapital(word)) end = at + 1
    else if (/^\d+(?:\.\d+)*$/u.test(word.text) && at === end) return at + 1
    else if (!connectors.has(word.text) || !continues(sentence, words, from, at)) break
  }
  return end
}

/** Returns whether a small word joins two parts of one name: "Bank of Kenya", "Hendrik de Boer". */
const continues = (sentence: string, words: ReadonlyArray<TaggedWord>, from: number, at: number): boolean => {
  const [before, small, next, after] = [words[at - 1], words[at], words[at + 1], words[at + 2]]
  if (before === undefined || small === undefined || next === undefined) return false
  if (!isJoined(sentence, small, next)) return false
  if (small.text === "&") return isCapital(next)
  if (particles.has(small.text)) return isCapital(next) || (particles.has(next.text) && isCapital(after))
  if (small.text === "the") return before.text === "of" && isCapital(next)
  const head = plainWord(before.text)
  const takesOf = typeByFirstWord(head) ?? typeByLastWord(head)
  return (
    small.text === "of" &&
    at - from <= 3 &&
    (takesOf === "organization" || takesOf === "event") &&
    (isCapital(next) || (next.text === "the" && isCapital(after)))
  )
}

const isJoined = (sentence: string, before: TaggedWord, word: TaggedWord): boolean => {
  const gap = sentence.slice(before.end, word.start)
  if (/^(?:[ ]+|-| ?& ?)$/u.test(gap)) return !/['’]s$/u.test(before.text)
  const isShort = before.text.length === 1 || titles.has(plainWord(before.text)) || before.text === "St"
  return /^\.[ ]*$/u.test(gap) && isShort
}

/** Returns the name in a run of capitalised words, if it holds one. */
const nameInRun = (around: Around, from: number, to: number): NameSpan | null => {
  const { sentence, small, words } = around
  const textAt = (at: number) => plainWord(words[at]?.text ?? "")
  const opens = opensSentence(sentence, words, from)
  let [first, last] = [from, to]
  const rest = () => last - first
  while (rest() > 1 && (opens || isFunctionWord(textAt(first), "en")) && isOpener(around, first, last))
    first++
  while (rest() > 1 && (calendar.has(textAt(first)) || ["the", "a", "an"].includes(textAt(first)))) {
    if (doubleMeaning.has(textAt(first)) && hasTag(words[first + 1], "Person")) break
    first++
  }
  if (rest() > 1 && hasTag(words[first], "Demonym") && titles.has(textAt(first + 1))) first++
  const isOffice = typeByLastWord(textAt(last - 1)) === "organization"
  const isTitled = rest() > 1 && titles.has(textAt(first)) && !isOffice
  while (isTitled && rest() > 1 && titles.has(textAt(first))) first++
  while (rest() > 1 && (connectors.has(textAt(last - 1)) || calendar.has(textAt(last - 1)))) last--
  const part = words.slice(first, last)
  const [head, tail] = [part[0], part.at(-1)]
  if (head === undefined || tail === undefined) return null
  if (part.every((word) => ordinaryWords.has(plainWord(word.text)) && !isNamedLike(around, word))) return null
  if (part.every((word) => hasTag(word, "Demonym", "Date", "Pronoun", "Determiner"))) return null
  // "There are …", "Never run …"
  if (opens && first === from && part.length === 1 && isOpening(head)) return null
  const end = tail.end - (/['’]s$/u.test(tail.text) ? 2 : /['’]$/u.test(tail.text) ? 1 : 0)
  const name = sentence.slice(head.start, end).replace(/\s+/gu, " ")
  if (/\p{Ll}\.\p{Lu}/u.test(name) || (part.length === 1 && isAttribute(around, last))) return null
  if (name.length < 2 || name.length > charsMax || !/\p{L}/u.test(name)) return null
  const certainty = part.length > 1 || isTitled ? "sure" : certaintyOf(around, first, opens && first === from)
  if (certainty === "unsure" && part.length === 1 && small(plainWord(name))) return null
  return { start: head.start, end, name, type: typeOfSpan(sentence, words, first, last, isTitled), certainty }
}

/** Returns whether a single word is the adjective of a country or people: "the Tanzanian island". */
const isAttribute = ({ sentence, words }: Around, last: number): boolean => {
  const [word, next] = [words[last - 1], words[last]]
  if (word === undefined || next === undefined || !/(?:ian|ean|ish|ese|can)$/u.test(word.text)) return false
  return (
    /^ \p{Ll}/u.test(sentence.slice(word.end, next.start + 1)) &&
    !hasTag(next, "Verb", "Preposition", "Conjunction")
  )
}

/** Returns whether a word opens a sentence as one of its small words does. */
const isOpening = (word: TaggedWord): boolean => {
  const text = plainWord(word.text)
  if (doubleMeaning.has(text) || isSign(word.text) || hasTag(word, ...known, "LastName")) return false
  return isFunctionWord(text, "en") || /^(?:there|here|never|always)$/u.test(text)
}

const isNamedLike = ({ small }: Around, { text }: TaggedWord): boolean =>
  doubleMeaning.has(plainWord(text)) && !small(plainWord(text))

const opensSentence = (sentence: string, words: ReadonlyArray<TaggedWord>, at: number): boolean =>
  at === 0 || /[:“"„«]\s*$/u.test(sentence.slice(words[at - 1]?.end ?? 0, words[at]?.start ?? 0))

/** Returns whether the first of several words has its capital from the start of the sentence alone. */
const isOpener = ({ sentence, small, words }: Around, first: number, last: number): boolean => {
  const [word, next] = [words[first], words[first + 1]]
  if (word === undefined || next === undefined || isSign(word.text) || word.text.length === 1) return false
  // "Cell-Level Deltas" is one name.
  if (sentence.charAt(word.end) === "-" || word.text.endsWith("-")) return false
  const text = plainWord(word.text)
  // "Will Sourcegraph support it?" asks, "Will Harper left." names.
  if (/^(?:will|may)$/u.test(text) && first === 0 && /\?["”']?$/u.test(sentence)) return true
  if (doubleMeaning.has(text) && !small(text)) return false
  if (ordinaryWords.has(text)) return true
  if (next.text === "&" || typeByFirstWord(text) !== null || hasTag(word, ...known)) return false
  if (isFunctionWord(text, "en") || (hasTag(word, "Adjective") && last - first === 2 && isSign(next.text)))
    return true
  // A verb behind the name shows that it is a subject, whose first word is no verb: "Northgate Cider is a member".
  if (hasTag(word, "Verb") && !hasTag(word, "Gerund") && !small(text) && isBeforeVerb(sentence, words, last))
    return false
  return hasTag(word, ...openers) || (small(text) && !hasTag(word, "ProperNoun") && last - first > 1)
}

/** Returns whether a finite verb stands at a place, behind a blank alone. */
const isBeforeVerb = (sentence: string, words: ReadonlyArray<TaggedWord>, at: number): boolean => {
  const [before, verb] = [words[at - 1], words[at]]
  return (
    before !== undefined &&
    verb !== undefined &&
    sentence.slice(before.end, verb.start) === " " &&
    !/ing$/u.test(verb.text) &&
    (hasTag(verb, "Copula", "PastTense", "Modal") || (hasTag(verb, "PresentTense") && /s$/u.test(verb.text)))
  )
}

/** Returns how sure it is that a single capitalised word is a name. */
const certaintyOf = (
  { sentence, small, words }: Around,
  at: number,
  opens: boolean
): NameSpan["certainty"] => {
  const word = words[at]
  if (word === undefined) return "unsure"
  const text = plainWord(word.text)
  if (titles.has(text) || ordinaryWords.has(text) || /^\p{Lu}\d{1,3}$/u.test(word.text)) return "unsure"
  if (doubleMeaning.has(text) && opens) return "unsure"
  if (sentence.startsWith("-based", word.end)) return "sure"
  if (hasTag(word, "FirstName", "LastName", "City", "Country", "Region", "Organization")) return "sure"
  // "`Payload` Defined as …"
  if (small(text) || (/ed$/u.test(text) && hasTag(word, "PastTense", "Participle"))) return "unsure"
  if (!opens || isSign(word.text)) return "sure"
  return isSubject(sentence, words, at) ? "likely" : "unsure"
}

/** Returns whether a verb or a possessive ending shows that the first word of a sentence is a name. */
const isSubject = (sentence: string, words: ReadonlyArray<TaggedWord>, at: number): boolean => {
  const [word, next] = [words[at], words[at + 1]]
  if (word === undefined || next === undefined) return false
  if (/['’]s$/u.test(word.text)) return true
  // "Atlas uses" and "Northgate uses": the verb is that of one thing, and no imperative stands before it.
  const isOfOne =
    /(?:[^s]s|ses)$/u.test(next.text) && hasTag(next, "PresentTense") && isBeforeVerb(sentence, words, at + 1)
  if (
    isOfOne &&
    !hasTag(word, "Gerund", "Adverb", "Preposition", "Conjunction", "Determiner", "Pronoun", "QuestionWord")
  )
    return true
  if (/s$/u.test(word.text) || hasTag(word, "Plural", "Adjective", ...openers)) return false
  const gap = sentence.slice(word.end, next.start)
  return (
    gap === " " && hasTag(next, "Copula", "PresentTense", "PastTense", "Modal") && !/ing$/u.test(next.text)
  )
}
