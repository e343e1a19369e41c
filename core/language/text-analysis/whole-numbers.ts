/** Numbers as one word each: the analyser for the index splits them at their separators. */
interface Placed {
  readonly term: string
  readonly start: number
  readonly end: number
}

/**
 * Joins the parts of a written number into one word: "7.5" and "7,5" are the term `7.5`, "1,200" and "1.200" are
 * `1200`, so that neither holds the 5 of "berth 5". The index keeps the parts. Longer runs of digits ("2.3.1",
 * "12.05.2026", "1,2,3") are versions, dates and lists and stay as they are.
 */
export const withWholeNumbers = <Word extends Placed>(
  text: string,
  words: ReadonlyArray<Word>
): ReadonlyArray<Word> => {
  if (!mayJoin.test(text)) return words
  const numbers = new Map<number, { readonly end: number; readonly term: string }>()
  for (const { 0: found, index } of text.matchAll(written))
    numbers.set(index, { end: index + found.length, term: termOf(found) })
  if (numbers.size === 0) return words
  const joined: Array<Word> = []
  let end = 0
  for (const word of words) {
    if (word.start < end) continue
    const number = numbers.get(word.start)
    // A longer code that begins with a number ("7.5-A") keeps its parts.
    if (number === undefined || word.end > number.end) joined.push(word)
    else {
      joined.push({ ...word, term: number.term, end: number.end })
      end = number.end
    }
  }
  return joined
}

const mayJoin = /\d[.,]\d/
const written =
  /(?<![\p{L}\p{N}_]|\p{N}[.,]|\p{L}[.-])(?:\d{1,3}(?:(?:,\d{3}){1,4}|(?:\.\d{3}){1,4})|\d{1,9}[.,]\d{1,9})(?![\p{L}\p{N}_]|[.,]\p{N}|-\p{L})/gu
const grouped = /^\d{1,3}(?:[.,]\d{3})+$/

const termOf = (number: string): string =>
  grouped.test(number) && !number.startsWith("0") ? number.replace(/[.,]/g, "") : number.replace(",", ".")
