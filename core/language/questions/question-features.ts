import { wordwise } from "../languages/index.js"
import { lettersOf, type ReadText } from "../text-analysis/index.js"
import { askedUnitOf, holdsUnit } from "./asked-unit.js"
import type { Question } from "./question.js"

/**
 * Features of a text that may answer a question, from the form of the question. Each is 0 or 1, or null when not
 * applicable.
 */
export interface QuestionFit {
  /** The question has a word with a negating prefix and the text has it without ("non-members", "members"). */
  readonly deniedWord: 0 | 1
  /** For "how many berths", the text has a number of berths. */
  readonly countedThing: 0 | 1 | null
}

export const questionFit = (question: Question, passage: ReadText): QuestionFit => ({
  deniedWord: deniesWord(lettersOf(question.read), lettersOf(passage)) ? 1 : 0,
  countedThing: countedThing(question, passage)
})

const prefixes = ["non", "un", "in", "im", "ir", "il", "dis", "anti", "mis"]
const prefixed = /^(?:non|un|i[nmrl]|dis|anti|mis)/u
/** Shorter remainders are rarely words of their own ("under", "into"). */
const restMin = 4

const deniesWord = (asked: ReadonlyArray<string>, passage: ReadonlyArray<string>): boolean =>
  asked.some((word, at) => {
    if (!prefixed.test(word)) return false
    // The analyser splits "non-members" into two words.
    const next = asked[at + 1]
    if (word === "non" || word === "anti")
      return (
        next !== undefined && passage.some((other, place) => other === next && passage[place - 1] !== word)
      )
    return (
      !passage.includes(word) &&
      prefixes.some(
        (prefix) =>
          word.startsWith(prefix) &&
          word.length >= prefix.length + restMin &&
          passage.includes(word.slice(prefix.length))
      )
    )
  })

const countPattern = wordwise(
  () =>
    /\b(?:how many|wie viele|combien d['e]|cuánt[oa]s) ?(?:(?:different|other|of the|of|more|\p{L}+(?:ing|ed)) )?(?<first>\p{L}+)(?: (?<second>\p{L}+))?/iu
)
/** Maximum distance between a number and the counted thing. */
const reachChars = 45
const reachWords = 4

const countedThing = (question: Question, passage: ReadText): 0 | 1 | null => {
  const { language, read, terms, text } = question
  if (question.answerType !== "number") return null
  const { first = "", second = "" } = countPattern().exec(text)?.groups ?? {}
  if (first === "" || language === "cjk") return null
  const unit = askedUnitOf(question)
  if (unit !== null && holdsUnit(unit, passage)) return 1
  const questionTerms = new Set(terms.map(({ term }) => term))
  const things = new Set(
    [first, second].flatMap((word) =>
      read.part(word).words.flatMap(({ term }) => (questionTerms.has(term) ? [term] : []))
    )
  )
  if (things.size === 0) return null
  const isCounted = passage.values.some(
    (value) =>
      value.kind === "quantity" &&
      passage
        // "28 days" holds the counted thing as its unit.
        .part(passage.text.slice(value.start, value.end + reachChars))
        .words.slice(0, reachWords)
        .some(({ term }) => things.has(term))
  )
  return isCounted ? 1 : 0
}
