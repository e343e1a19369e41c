import type { PdfPage, PdfWord } from "./pdf-page.js"

/** Joins words that large type cuts at a ligature: `Ef ficient`, whose parts stand without a gap. */
export const withLigaturesJoined = (text: string, { textItems }: PdfPage): string =>
  adjacentWords(textItems.map(({ words = [], ...item }) => (words.length === 0 ? [item] : words))).reduce(
    (result, [first, second]) => {
      const gap = second.x - first.x - first.width
      const isCut =
        /\p{L}$/u.test(first.text) &&
        /^\p{L}/u.test(second.text) &&
        (/[fﬀ-ﬄ]$/u.test(first.text) || /^(?:f[fil]|[ﬀ-ﬄ])/u.test(second.text)) &&
        gap < 0.1 * second.height &&
        Math.abs(first.y + first.height - second.y - second.height) < 0.5 * second.height
      return isCut ? result.replace(`${first.text} ${second.text}`, () => first.text + second.text) : result
    },
    text
  )

const adjacentWords = (items: ReadonlyArray<ReadonlyArray<PdfWord>>): ReadonlyArray<[PdfWord, PdfWord]> => {
  const words = items.flat()
  return words.slice(1).flatMap((second, at): ReadonlyArray<[PdfWord, PdfWord]> => {
    const first = words[at]
    return first === undefined ? [] : [[first, second]]
  })
}

const hangulAtEnd = /[\p{Script=Hangul}]$/u

/**
 * Joins Korean words that are cut at the ends of lines, where the document has the whole word elsewhere. Korean is broken
 * between any two syllables, and a line does not tell whether a blank was there.
 */
export const withKoreanJoined = (pages: ReadonlyArray<PdfPage>, texts: ReadonlyArray<string>) => {
  const lines = pages
    .flatMap(({ textItems }) => textItems)
    .filter(({ text }) => /\p{Script=Hangul}/u.test(text))
  if (lines.length === 0) return { texts, uncertain: [] }
  const [inner, firsts, lasts] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for (const { text } of lines) {
    const words = text.split(/\s+/)
    for (const word of words.slice(1, -1)) inner.add(word.replace(/[^\p{L}\p{N}]+$/u, ""))
    firsts.add(words[0] ?? "")
    lasts.add(words.at(-1) ?? "")
  }
  const known = [...inner].join(" ")
  let joined = 0
  const kept: Array<number> = []
  const joinedTexts = texts.map((text, at) =>
    text.replace(/(?<=^|[ \n])([^\s|]+) (?=([^\s|]+))/gu, (found: string, first: string, second: string) => {
      if (!lasts.has(first) || !firsts.has(second) || !hangulAtEnd.test(first)) return found
      if (!/^\p{Script=Hangul}/u.test(second)) return found
      const core = second.replace(/[^\p{L}\p{N}].*$/u, "")
      const isWhole = inner.has(first) && inner.has(core)
      if (!isWhole && isKnown(known, inner, first, core)) {
        joined += 1
        return first
      }
      if (!isWhole) kept.push(pages[at]?.pageNum ?? 0)
      return found
    })
  )
  return { texts: joinedTexts, uncertain: joined > 0 ? [...new Set(kept)] : [] }
}

/** Endings that are no words. */
const neverAlone = /^[는을를에와며어]$/u

/** Whether the words inside of lines have the syllables on both sides of a cut next to each other. */
const isKnown = (known: string, inner: ReadonlySet<string>, first: string, second: string): boolean => {
  if (neverAlone.test(second)) return true
  const [before, after] = [
    /\p{Script=Hangul}{1,2}$/u.exec(first)?.[0] ?? "",
    [...second].slice(0, 2).join("")
  ]
  if (after.length < 2) return inner.has(first + second)
  const seam = before + after
  if (first.length === 1) return !inner.has(first) && ` ${known}`.includes(` ${first}${after.slice(0, 1)}`)
  return first.length === 2 ? ` ${known}`.includes(` ${seam}`) : known.includes(seam)
}
