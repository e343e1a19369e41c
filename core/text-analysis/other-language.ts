import { withoutMarkers } from "./fold-text.js"
import { functionWordCounts } from "./language.js"

/** Alphabets that tell languages apart by themselves; Chinese, Japanese and Korean write in several at once. */
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

/** Letters, and small words of its own language, that a text must have before its language is judged. */
const lettersMin = 20
const wordsMin = 3
/** How many times more it must have of its own small words than of those of the other language. */
const clearly = 3

/**
 * Whether a text is clearly written in another language than a question: in another script, or, where both are
 * written in Latin letters, with the small words of another language. Short texts, names, numbers and languages
 * whose small words are not known never are. Pure.
 */
export const isInOtherLanguage = (text: string, question: string): boolean => {
  const prose = withoutMarkers(text)
  const [own, asked] = [scriptOf(prose, lettersMin), scriptOf(question, 1)]
  if (own === null || asked === null) return false
  if (own !== asked) return true
  if (own !== "latin") return false
  // "Der Spiegel" and "La Paz" are names: of capitalised words the first alone may be a small one.
  const small = prose.replace(/(?<!^\P{L}*)(?<!\p{L})\p{Lu}[\p{L}\p{M}]*/gu, " ")
  const [said, wanted] = [functionWordCounts(small), functionWordCounts(question)]
  const [language, count] = most(said)
  const [expected, expectedCount] = most(wanted)
  if (expectedCount === 0 || language === expected) return false
  return count >= wordsMin && count >= clearly * (said.get(expected) ?? 0)
}

/** The script of most letters; null for a text with fewer letters than that. */
const scriptOf = (text: string, least: number): string | null => {
  const counts = Object.entries(scripts).map(
    ([name, letters]) => [name, text.match(letters)?.length ?? 0] as const
  )
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  const [name, count] = counts.reduce((best, one) => (one[1] > best[1] ? one : best), ["", 0])
  // Chinese signs say as much as several letters.
  const worth = name === "cjk" ? count * 3 : count
  return worth >= least && count * 2 > total ? name : null
}

const most = (counts: ReadonlyMap<string, number>): readonly [string, number] =>
  [...counts].reduce<readonly [string, number]>((best, one) => (one[1] > best[1] ? one : best), ["", 0])
