import { functionWordCounts } from "../languages/index.js"
import { withoutMarkers } from "./fold-text.js"

/** Scripts that distinguish languages by themselves; Chinese, Japanese and Korean mix several. */
const scripts: Readonly<Record<string, RegExp>> = {
  latin: /\p{Script=Latin}/gu,
  cyrillic: /\p{Script=Cyrillic}/gu,
  greek: /\p{Script=Greek}/gu,
  arabic: /\p{Script=Arabic}/gu,
  hebrew: /\p{Script=Hebrew}/gu,
  devanagari: /\p{Script=Devanagari}/gu,
  thai: /\p{Script=Thai}/gu,
  cjk: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu
}

/** Minimum number of letters, and of function words, to judge the language of a text. */
const lettersMin = 20
const wordsMin = 3
/** Required ratio of function words of its own language to those of the other. */
const clearly = 3

/**
 * Whether a text is clearly in another language than a question: in another script or, when both use Latin letters,
 * with the function words of another language. False for short texts, names, numbers and languages without known
 * function words. Pure.
 */
export const isInOtherLanguage = (text: string, question: string): boolean => {
  const prose = withoutMarkers(text)
  const [own, asked] = [scriptOf(prose, lettersMin), scriptOf(question, 1)]
  if (own === null || asked === null) return false
  if (own !== asked) return true
  if (own !== "latin") return false
  // "Der Spiegel" and "La Paz" are names: only the first of capitalised words may be a function word.
  const small = prose.replace(/(?<!^\P{L}*)(?<!\p{L})\p{Lu}[\p{L}\p{M}]*/gu, " ")
  const [said, wanted] = [functionWordCounts(small), functionWordCounts(question)]
  const [language, count] = most(said)
  const [expected, expectedCount] = most(wanted)
  if (expectedCount === 0 || language === expected) return false
  return count >= wordsMin && count >= clearly * (said.get(expected) ?? 0)
}

/** Returns the script of most letters; null for a text with fewer letters than the minimum. */
const scriptOf = (text: string, least: number): string | null => {
  const counts = Object.entries(scripts).map(
    ([name, letters]) => [name, text.match(letters)?.length ?? 0] as const
  )
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  const [name, count] = counts.reduce((best, one) => (one[1] > best[1] ? one : best), ["", 0])
  // A Chinese character counts as several letters.
  const worth = name === "cjk" ? count * 3 : count
  return worth >= least && count * 2 > total ? name : null
}

const most = (counts: ReadonlyMap<string, number>): readonly [string, number] =>
  [...counts].reduce<readonly [string, number]>((best, one) => (one[1] > best[1] ? one : best), ["", 0])
