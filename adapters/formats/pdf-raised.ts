import type { PdfItem, PdfPage, PdfWord } from "./pdf-page.js"

/** A word of a page with digits that stand above its line, and the words beside it. */
interface RaisedWord {
  readonly text: string
  readonly before: string | undefined
  readonly after: string | undefined
  /** How many digits are raised, with the size that they would have: a share of the size of the line. */
  readonly readings: ReadonlyArray<{ readonly digits: number; readonly size: number }>
}

/** Raised digits are this small and this large, as a share of the size of their line. */
const [smallest, largest] = [0.45, 0.88]
/** Widths of digits are medians: a reading this near to these bounds is possible, too. */
const nearBound = 0.03

/**
 * Writes raised digits as `10^6` and `12^5 days` into the text of each page, which has them glued to what stands before.
 * Words that can be read in two ways stay as they are, and their pages are named.
 */
export const withRaisedDigits = (
  pages: ReadonlyArray<PdfPage>,
  texts: ReadonlyArray<string>
): { readonly texts: ReadonlyArray<string>; readonly uncertain: ReadonlyArray<number> } => {
  const widths = digitWidths(pages)
  const raised = pages.map((page) => raisedWords(page, widths))
  const size = commonSize(raised.flat())
  const uncertain: Array<number> = []
  const textsWithRaised = texts.map((text, at) => {
    const apart = withRaisedWords(text, pages[at])
    if (!apart.isCertain) uncertain.push(pages[at]?.pageNum ?? 0)
    let result = apart.text
    const left = [...(raised[at] ?? [])]
    for (const word of raised[at] ?? []) {
      const digits = raisedCount(word, size)
      const alike = left.filter(({ text }) => text === word.text).length
      left.shift()
      const next = digits === null ? null : replaced(result, word, digits, alike)
      if (next === null) uncertain.push(pages[at]?.pageNum ?? 0)
      else result = next
    }
    return result
  })
  return { texts: textsWithRaised, uncertain }
}

/** Numbers of a font from which on the size of its digits is known; how much narrower and higher raised digits make one. */
const [numbersMin, narrower, higher] = [3, 0.97, 1.05]

/** Pages with words that may end with raised digits: numbers that are narrower or higher than others, or boxes of their own. */
export const mayHaveRaisedDigits = (pages: ReadonlyArray<PdfPage>): ReadonlyArray<PdfPage> => {
  const widths = digitWidths(pages)
  const heights = new Map<string, { count: number; least: number }>()
  for (const { textItems } of pages)
    for (const { fontName = "", fontSize = 0, words = [] } of textItems)
      for (const { height, text } of words)
        if (/^\d+$/.test(text) && fontSize > 0) {
          const { count, least } = heights.get(fontName) ?? { count: 0, least: Number.POSITIVE_INFINITY }
          heights.set(fontName, { count: count + 1, least: Math.min(least, height / fontSize) })
        }
  const mayBe = (
    item: PdfItem,
    word: PdfWord,
    ends: ReadonlyMap<number, ReadonlyArray<PdfWord>>
  ): boolean => {
    const core = word.text.replace(/[^\p{L}\p{N}]+$/u, "")
    if (!/\d$/.test(core) || (core.length > 2 && word.height > 3 * word.width)) return false
    if (/^[+\-−–]?\d{1,3}$/.test(core)) {
      const before = ends.get(Math.round(word.x)) ?? []
      if (before.some((other) => other.y < bottomOf(word) && bottomOf(other) > word.y)) return true
    }
    // A smaller number behind a dash ends no range.
    const parts = /^(\d+)[+\-−–](\d{1,2})$/.exec(core)
    if (parts !== null) return Number(parts[1]) > Number(parts[2])
    if (!/^\d[\d.,]*\d$/.test(core)) return false
    const { count, least } = heights.get(item.fontName ?? "") ?? { count: 0, least: 0 }
    const digit = (widths.get(item.fontName ?? "") ?? 0) * sizeOf(item)
    return (
      count < numbersMin ||
      word.width < narrower * fullWidth(word, digit) ||
      (/^\d+$/.test(word.text) && word.height > higher * least * (item.fontSize ?? 0))
    )
  }
  return pages.filter(({ textItems }) => {
    const ends = new Map<number, Array<PdfWord>>()
    for (const word of textItems.flatMap(({ words = [] }) => words)) {
      const end = Math.round(word.x + word.width)
      const others = ends.get(end)
      if (others === undefined) ends.set(end, [word])
      else others.push(word)
    }
    return textItems.some(
      (item) =>
        // Large type stands over the letters before a ligature, which the library leaves out.
        ((item.fontSize ?? 0) >= 14 && /^(?:ff|fi|fl)\p{Ll}/u.test(item.text)) ||
        (item.words ?? []).some((word) => mayBe(item, word, ends))
    )
  })
}

/**
 * Raised digits that are words of their own, right behind a word: `10 7` or `107` is `10^7`, where as many such words
 * stand on the page as the text has. Digits around `⁄` are one fraction. Says whether each word was found.
 */
const withRaisedWords = (text: string, page: PdfPage | undefined): { text: string; isCertain: boolean } => {
  const words = page?.textItems.flatMap((item) => item.words ?? [item]) ?? []
  const pairs = words
    .filter(({ text: digits }) => /^[+\-−–]?\d{1,3}(?:\.\d{1,2})?[.,;:)]*$/.test(digits))
    .flatMap((word): ReadonlyArray<readonly [string, string]> => {
      const before = words.find(
        (other) =>
          Math.abs(other.x + other.width - word.x) < 0.12 * other.height &&
          word.height < 0.92 * other.height &&
          word.y < other.y + 0.1 * other.height &&
          bottomOf(word) > other.y + 0.2 * other.height &&
          bottomOf(word) < bottomOf(other) - 0.12 * other.height
      )
      return before === undefined || /[⁄/]$/.test(before.text) ? [] : [[before.text, word.text]]
    })
  const counts = new Map<string, number>()
  for (const [first, second] of pairs) {
    const key = `${first} ${second}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  let [result, isCertain] = [text, true]
  for (const [key, count] of counts) {
    const [first = "", second = ""] = key.split(" ")
    const apart = placesOf(result, first, second, " ")
    const glued = placesOf(result, first, second, "")
    const places = (apart.length === count ? [...apart] : [...apart, ...glued]).sort((a, b) => b - a)
    // Digits behind a letter stay readable; a number behind a number would be another one.
    if (places.length !== count) isCertain &&= !/\d$/.test(first) || places.length === 0
    else
      for (const place of places)
        result = `${result.slice(0, place)}^${result.slice(apart.includes(place) ? place + 1 : place)}`
  }
  return { text: result.replace(/(?<=\d) ?⁄ ?(?=\d)/g, "⁄"), isCertain }
}

/** Returns where the second of two words that follow each other in a text begins, or the blank before it. */
const placesOf = (text: string, first: string, second: string, between: string): ReadonlyArray<number> => {
  const places: Array<number> = []
  const pair = first + between + second
  for (let at = text.indexOf(pair); at >= 0; at = text.indexOf(pair, at + 1))
    if (!/[^\s*_|]/.test(text[at + pair.length] ?? " ") && !/[\w^.,]/.test(text[at - 1] ?? " "))
      places.push(at + first.length)
  return places
}

/** The size of the type of an item, to which the widths of its digits are compared. */
const sizeOf = ({ fontSize = 0, height, words = [] }: PdfItem): number =>
  fontSize > 0 ? fontSize : words.length === 0 ? height : median(words.map((word) => word.height))

/**
 * The width of a digit of each font, as a share of the size of its type: the widest, because raised digits are smaller. What
 * is higher than most words is larger type.
 */
const digitWidths = (pages: ReadonlyArray<PdfPage>): ReadonlyMap<string, number> => {
  const found = new Map<string, Array<{ readonly high: number; readonly wide: number }>>()
  for (const { textItems } of pages)
    for (const item of textItems) {
      const size = sizeOf(item)
      for (const { height, text, width } of item.words ?? [])
        if (/^\d+$/.test(text) && height > 0 && size > 0) {
          const known = found.get(item.fontName ?? "") ?? []
          known.push({ high: height / size, wide: width / text.length / size })
          found.set(item.fontName ?? "", known)
        }
    }
  return new Map(
    [...found].map(([font, words]) => {
      const highs = words.map(({ high }) => high).sort((a, b) => a - b)
      const usual = highs[Math.floor((highs.length - 1) / 2)] ?? 0
      return [font, Math.max(...words.filter(({ high }) => high < 1.06 * usual).map(({ wide }) => wide))]
    })
  )
}

const median = (numbers: ReadonlyArray<number>): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

const bottomOf = ({ height, y }: PdfWord): number => y + height

/** Words that begin above the others of their line and end with them. */
const raisedWords = (
  { textItems }: PdfPage,
  widths: ReadonlyMap<string, number>
): ReadonlyArray<RaisedWord> => {
  const ofLine = textItems.flatMap(({ words = [] }) => words).filter(({ text }) => /[A-Za-z0-9]/.test(text))
  return textItems.flatMap((item) => {
    const words = item.words ?? []
    return words.flatMap((word, at): ReadonlyArray<RaisedWord> => {
      if (!/[\p{L}\d)\]%"”’.,][+\-−–]?\d{1,3}[.,;:!?)\]"”’]*$/u.test(word.text)) return []
      const height = lineHeight(word, ofLine)
      const letters = height === null ? letterLine(word, ofLine) : null
      if (height === null && letters === null) return []
      const share = widths.get(item.fontName ?? "")
      const digit = share === undefined ? null : share * sizeOf(item)
      const all = readingsOf(word, digit)
      // Letters of the line say how much higher the word is; boxes of a font's height, how much higher its box.
      const up = letters ?? (height === null ? 0 : (word.height - height) / (digitShare * height))
      const likely = all?.filter(({ size }) => {
        const shift = height === null ? up + 1 - size : up + ((1 - size) * ascentShare) / digitShare
        return shift > shiftLeast && shift < shiftMost
      })
      const [only] = likely ?? []
      const isTold = likely?.length === 1 && only !== undefined && only.digits < 3
      const readings = all !== null && all.length > 1 && isTold ? likely : all
      // In larger type a number is as much wider as it is higher.
      const isLarger =
        height !== null &&
        digit !== null &&
        word.width / fullWidth(word, digit) > 0.92 * (word.height / height)
      if (all?.length === 0 && isLarger) return []
      return [
        { text: word.text, before: words[at - 1]?.text, after: words[at + 1]?.text, readings: readings ?? [] }
      ]
    })
  })
}

/** The width of a number without raised digits. */
const fullWidth = ({ text }: Pick<PdfWord, "text">, digit: number): number =>
  [...text].reduce((sum, sign) => sum + (/\d/.test(sign) ? digit : digit / 2), 0)

/** Height of digits and ascent of letters, as shares of the box of a font. */
const [digitShare, ascentShare] = [0.62, 0.8]
/** By how much programs raise digits, as a share of the height of digits. */
const [shiftLeast, shiftMost] = [0.36, 0.7]

/**
 * By how much a word is higher than the letters of its line, as a share of their height, where boxes are as high as
 * letters; null where it is not.
 */
const letterLine = (word: PdfWord, words: ReadonlyArray<PdfWord>): number | null => {
  if (/[,;()[\]]/.test(word.text)) return null
  const near = words.filter(
    (other) =>
      other !== word &&
      /^\p{L}+$/u.test(other.text) &&
      Math.min(bottomOf(other), bottomOf(word)) - Math.max(other.y, word.y) > 0.6 * other.height
  )
  const tall = near.filter(({ text }) => /[A-Zbdfhkl]/.test(text))
  const flat = near.filter(({ text }) => /^[^gjpqyQJ]+$/.test(text))
  if (tall.length === 0 || flat.length === 0) return null
  const [top, bottom] = [median(tall.map(({ y }) => y)), median(flat.map(bottomOf))]
  const height = bottom - top
  const isOnLine = Math.abs(bottomOf(word) - bottom) < 0.12 * height
  const up = (top - word.y) / height
  return isOnLine && up > 0.12 && up < 0.7 ? up : null
}

/** The height of words that end at the same height as a word and begin clearly lower; null where it is not raised. */
const lineHeight = (word: PdfWord, words: ReadonlyArray<PdfWord>): number | null => {
  const neighbours = words.filter(
    (other) =>
      other !== word &&
      Math.abs(bottomOf(other) - bottomOf(word)) < 0.08 * word.height &&
      other.height > word.height / 2
  )
  const height = median(neighbours.map((other) => other.height))
  const alike = neighbours.filter((other) => Math.abs(other.height - height) < 0.02 * height).length
  // Fonts whose words are as high as their letters tell nothing by the height of a word.
  if (neighbours.length === 0 || alike * 2 < neighbours.length) return null
  return word.height > 1.1 * height && word.height < 1.9 * height ? height : null
}

/**
 * Returns the readings of a number, with and without raised digits, that its width allows; null for other words, and
 * when the width of a digit is unknown.
 */
const readingsOf = ({ text, width }: PdfWord, digit: number | null): RaisedWord["readings"] | null => {
  const core = text.replace(/\D+$/, "")
  if (digit === null || !/^[\d.,]+$/.test(core)) return null
  const widthOf = (part: string): number => fullWidth({ text: part }, digit)
  const after = widthOf(text.slice(core.length))
  return [1, 2, 3].flatMap((count) => {
    const [head, tail] = [core.slice(0, -count), core.slice(-count)]
    // An exponent may have a decimal of its own, behind a number of one or two digits.
    const isExponent = /^[1-9]\d*$|^0$/.test(tail) || (/^[1-9]\.\d$/.test(tail) && /^\d{1,2}$/.test(head))
    const size = (width - after - widthOf(head)) / widthOf(tail)
    return head !== "" &&
      isExponent &&
      /\d$/.test(head) &&
      size >= smallest - nearBound &&
      size <= largest + nearBound
      ? [{ digits: count, size }]
      : []
  })
}

type Reading = RaisedWord["readings"][number]

const isUsual = ({ size }: Reading): boolean => size >= smallest && size <= largest

/** The size of raised digits that most words of the document can have. */
const commonSize = (words: ReadonlyArray<RaisedWord>): number | null => {
  const usual = words.map(({ readings }) => readings.filter(isUsual))
  const sizes = usual.flatMap((readings) => readings.map(({ size }) => size))
  const votes = (size: number) =>
    usual.filter((readings) => readings.some((one) => Math.abs(one.size - size) < 0.04)).length
  const [best, ...others] = [...sizes].sort((a, b) => votes(b) - votes(a))
  if (best === undefined || votes(best) < 2) return null
  // As many votes for another size are no answer.
  return others.some((size) => votes(size) === votes(best) && Math.abs(size - best) >= 0.08) ? null : best
}

/** How many digits at the end of a word are raised; null where two readings are possible. */
const raisedCount = ({ before = "", readings, text }: RaisedWord, common: number | null): number | null => {
  const core = text.replace(/[^\d]+$/, "")
  const tail = /[^\d][+\-−–]?(\d{1,3})$/.exec(core)?.[1]
  if (tail !== undefined && /[\p{L})\]%"”’][+\-−–]?\d{1,3}$/u.test(core)) return tail.length
  // A power of ten, also a negative one.
  const power = /^10[+\-−–]?(\d{1,2})$/.exec(core)?.[1]
  if (power !== undefined && /[×x·*]$/.test(before)) return power.length
  // A smaller number behind a dash ends no range.
  const negative = /^(\d+)[-−–](\d{1,2})$/.exec(core)
  if (negative !== null && Number(negative[1]) > Number(negative[2])) return negative[2]?.length ?? null
  // Thousands are three digits.
  const grouped = /^\d{1,3}(?:,\d{3})*,\d{3}(\d{1,2})$/.exec(core)?.[1]
  if (grouped !== undefined) return grouped.length
  const likely = common === null ? readings : readings.filter(({ size }) => Math.abs(size - common) < 0.04)
  const [only] = likely
  return likely.length === 1 && only !== undefined && isUsual(only) ? only.digits : null
}

/** The text with the raised digits of one word written so; null where it is not clear which word of the text it is. */
const replaced = (
  text: string,
  { after, before, text: word }: RaisedWord,
  digits: number,
  alike: number
): string | null => {
  const places = [...text.matchAll(/[^\s|]+/g)]
  const plain = (at: number) => places[at]?.[0].replace(/[*_\\`]/g, "")
  const same = places.flatMap((place, at) =>
    plain(at) === word
      ? [{ place, near: Number(plain(at - 1) === before) + Number(plain(at + 1) === after) }]
      : []
  )
  const nearest = Math.max(...same.map(({ near }) => near))
  const nearestOnes = same.filter(({ near }) => near === nearest)
  const [found] = nearestOnes
  // The same words may stand there as often as they are raised: then each is marked in its turn.
  if (found === undefined || nearestOnes.length > alike) return null
  const core = word.replace(/\D+$/, "")
  const sign = /[+\-−–]\d+$/.test(core.slice(-digits - 1)) ? 1 : 0
  const head = found.place[0].lastIndexOf(core.slice(-digits - sign))
  const at = found.place.index + head
  return `${text.slice(0, at)}^${text.slice(at)}`
}
