/**
 * Accents that stand apart from their letters: old fonts of TeX draw both as signs of their own, so that a text layer has
 * `Gr¨oße`, and the accent of a capital at the end of its line.
 */
import { normalForm } from "../../core/platform/kernel/index.js"
import { emOf, type PdfPage, type PdfWord, wordsOf } from "./pdf-page.js"

/** Accents as signs of their own, and as they stand behind a letter. */
const combining: Readonly<Record<string, string>> = {
  "¨": "\u0308",
  "´": "\u0301",
  "`": "\u0300",
  ˆ: "\u0302",
  "˜": "\u0303",
  ˇ: "\u030c",
  "˚": "\u030a",
  "¸": "\u0327",
  "˙": "\u0307",
  "¯": "\u0304",
  "˘": "\u0306",
  "˝": "\u030b"
}

const accents = "¨´ˆ˜ˇ˚¸˙¯˘˝"
const fontOfTex = /^(?:[A-Z]{6}\+)?(?:CM|LM|SF)[A-Z]{1,6}\d/

/** One letter with its accent; null where no such letter exists. */
const composed = (accent: string, letter: string): string | null => {
  const plain = letter === "ı" ? "i" : letter === "ȷ" ? "j" : letter
  const whole = normalForm(plain + (combining[accent] ?? ""), "NFC")
  return [...whole].length === 1 && whole !== plain ? whole : null
}

/** The text of a page with letters and accents put together. */
export const withAccents = (text: string, page: PdfPage): string => {
  const words = wordsOf(page)
  const isTex = page.textItems.some(({ fontName = "" }) => fontOfTex.test(fontName))
  // A grave accent is a sign of ASCII, which is one in fonts of TeX alone.
  const marks = isTex ? `${accents}\`` : accents
  if (![...marks].some((mark) => text.includes(mark))) return text
  const alone = words.filter(({ text: sign }) => [...sign].length === 1 && marks.includes(sign))
  const result = alone.reduce((found, accent) => withAccent(found, accent, words), text)
  return result.replace(
    // A gap between a letter and its accent is one of the type.
    new RegExp(`(?<!\`)([${marks}])((?<=\\p{L}.) )?(\\p{L})(?!\`)`, "gu"),
    (found, accent: string, _blank: string | undefined, letter: string) => composed(accent, letter) ?? found
  )
}

/** A text with an accent that is a word of its own, above the first letter of another one or beside it. */
const withAccent = (text: string, accent: PdfWord, words: ReadonlyArray<PdfWord>): string => {
  const middle = accent.x + accent.width / 2
  const below = words.find(
    (word) =>
      word !== accent &&
      /^[("'‘“„]?\p{L}/u.test(word.text) &&
      middle > word.x - 0.1 * emOf(word) &&
      middle < word.x + Math.min(word.width, 0.9 * emOf(word)) &&
      Math.abs(word.y + word.height - accent.y - accent.height) < emOf(word)
  )
  const [lead = "", letter = ""] = /^([("'‘“„]?)(\p{L})/u.exec(below?.text ?? "")?.slice(1) ?? []
  const whole = composed(accent.text, letter)
  if (below === undefined || whole === null) return text
  const sign = accent.text.replace(/[`^]/, "\\$&")
  const at = [
    ...text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])${escaped(below.text)}(?![\\p{L}\\p{N}])`, "gu"))
  ]
  const marks = [...text.matchAll(new RegExp(`(?<=^|[\\s|*])\\\\?${sign}(?=$|[\\s|*])`, "gmu"))]
  // The mark that stands nearest to a word that lacks it.
  const [place] = at
    .flatMap((word) => marks.map((mark) => ({ word, mark, far: Math.abs(word.index - mark.index) })))
    .sort((a, b) => a.far - b.far)
  if (place === undefined) return text
  const { mark, word } = place
  const start = word.index + lead.length
  const end = mark.index + mark[0].length
  const isBehind = text[mark.index - 1] === " "
  return [
    { from: start, to: start + letter.length, text: whole },
    // With the blank before it, or behind it at the beginning of a line.
    { from: mark.index - (isBehind ? 1 : 0), to: end + (!isBehind && text[end] === " " ? 1 : 0), text: "" }
  ]
    .sort((a, b) => b.from - a.from)
    .reduce((found, edit) => found.slice(0, edit.from) + edit.text + found.slice(edit.to), text)
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
