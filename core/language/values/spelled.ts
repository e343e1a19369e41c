import { wordwise } from "../languages/index.js"
import { hanDigits, numberWord, numberWords, scaleOf } from "./measures.js"

/** A number in words, which may go over several of them. */
export interface Spelled {
  readonly amount: number
  readonly end: number
}

const next = wordwise(
  () => /^(?:[\s\u00a0](?:and|y)[\s\u00a0]|[\s\u00a0-])(\p{L}{3,12}(?:-\p{L}{2,8})?)(?![\p{L}\p{N}])/iu
)

/**
 * Returns the number that begins with a word: "two hundred and fifty", "treinta y cinco", "zweihundertfünfzig". A scale
 * at its end is left to what reads the unit ("two million euros"). Undefined where the word is no number.
 */
export const spelledAt = (text: string, start: number, word: string): Spelled | undefined => {
  const first = isOne(text, start, word) ? 1 : (numberWord(word) ?? germanNumber(word))
  if (first === undefined) return undefined
  let known: Spelled = { amount: first, end: start + word.length }
  let [sum, current, end, last] = [0, first, known.end, first]
  for (let words = 0; words < wordsMax; words += 1) {
    const [found, following = ""] = next().exec(text.slice(end, end + 32)) ?? []
    if (found === undefined) break
    const scale = scaleOf(following)
    const number = scale === undefined ? (numberWord(following) ?? germanNumber(following)) : undefined
    if (scale !== undefined && following.length > 1) {
      if (scale === 100) current *= 100
      else [sum, current] = [sum + current * scale, 0]
      last = scale
    } else if (
      number !== undefined &&
      number > 0 &&
      number < last &&
      (last >= 100 || (last >= 20 && last % 10 === 0 && number < 10))
    ) {
      current += number
      last = number
    } else break
    end += found.length
    // A scale may belong to the unit; a number behind it shows that it does not.
    if (scale === undefined) known = { amount: sum + current, end }
  }
  return known
}
const wordsMax = 8
/** "A hundred", "one million". */
const isOne = (text: string, start: number, word: string): boolean =>
  (word === "a" || word === "one" || word === "A" || word === "One") &&
  countsNext().test(text.slice(start + word.length, start + word.length + 12))
const countsNext = wordwise(() => /^[\s\u00a0-](?:hundred|thousand|million|billion)(?!\p{L})/iu)

const hundreds = wordwise(() => /^(?:(\p{L}+?)?hundert)?(?:und)?(\p{L}+)?$/iu)

/** A German number in one word: "zweihundertfünfzig", "dreitausendvierhundert"; undefined for other words. */
const germanNumber = (word: string): number | undefined => {
  if (word.length < 7 || !/hundert|tausend/i.test(word)) return undefined
  const parts = word.toLowerCase().split("tausend")
  if (parts.length > 2) return undefined
  const [thousands = "", rest] = parts
  if (rest === undefined) return belowThousand(thousands)
  const high = thousands === "" ? 1 : belowThousand(thousands)
  const low = rest === "" ? 0 : belowThousand(rest)
  return high === undefined || low === undefined ? undefined : high * 1000 + low
}

const belowThousand = (written: string): number | undefined => {
  if (written === "ein") return 1
  const [found, before, after] = hundreds().exec(written) ?? []
  if (found === undefined || !written.includes("hundert")) return numberWord(written)
  const high = before === undefined || before === "ein" ? 1 : numberWord(before)
  const low = after === undefined || after === "" ? 0 : numberWord(after)
  return high === undefined || low === undefined ? undefined : high * 100 + low
}

/** For texts that may spell a number: a pattern that most sentences fail is cheaper than looking up their words. */
export const mayCount = (() => {
  const isFirst = (word: string, _: number, words: ReadonlyArray<string>) =>
    !words.some((other) => other !== word && word.startsWith(other))
  let made: RegExp | undefined
  return () => {
    made ??= new RegExp(
      `(?<![a-z0-9])(?:${numberWords()
        .map(([word]) => word)
        .filter(isFirst)
        .join("|")})|hund(?:ert|red)|t(?:ausend|housand)|[mb]illion|[${hanDigits}]`,
      "i"
    )
    return made
  }
})()
