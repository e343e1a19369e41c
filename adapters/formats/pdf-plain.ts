/** The text layer of a page, with which its Markdown is compared. */
import { normalForm } from "../../core/platform/kernel/index.js"
import { lineText, textLines } from "./pdf-lines.js"
import { marginNumbers } from "./pdf-margin.js"
import { type PdfPage, wordsOf } from "./pdf-page.js"

/** The tokens of a line of which so many are in no line of the library's text are a line that it lacks. */
const lackedShare = 0.4

/** The text of a page as the library writes it, with the lines that only its words or `other`, another reading, have. */
export const plainLines = (
  page: PdfPage,
  text: string,
  other: string
): { readonly text: string; readonly isCertain: boolean } => {
  const counted = marginNumbers(page)
  const words = wordsOf(page)
  if (counted.size > 0)
    return certain(
      textLines(words.filter((word) => !counted.has(word)))
        .map(lineText)
        .join("\n")
    )
  // The text of a turned page is cut by its blanks, which its items are not.
  if (page.markdown.trim() === "") return certain(page.textItems.map((item) => item.text).join("\n"))
  const held = new Map<string, number>()
  for (const token of tokensOf(text)) held.set(token, (held.get(token) ?? 0) + 1)
  const isHeld = tokensOf(words.map((word) => word.text).join(" ")).every((token) => held.has(token))
  const whole = isHeld ? text : withLacked(text, textLines(words).map(lineText), held)
  if (tokensOf(other).every((token) => held.has(token))) return certain(whole)
  const found = withLacked(whole, other.split(/[\r\n]+/), held)
  // The library leaves out what is printed over other text, which is in doubt.
  return { text: found, isCertain: found === whole }
}

const certain = (text: string) => ({ text, isCertain: true })

const tokensOf = (text: string): ReadonlyArray<string> =>
  normalForm(text, "NFKC").match(/\p{L}{3,}|\p{N}+/gu) ?? []
const flat = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, "")

/** The text with the lines that it lacks behind those that stand above them. */
const withLacked = (
  text: string,
  lines: ReadonlyArray<string>,
  held: ReadonlyMap<string, number>
): string => {
  const rows = text.split("\n").map((row) => ({ row, flat: flat(row) }))
  let last = 0
  for (const line of lines) {
    const own = flat(line)
    const at = rows.findIndex(
      (row, place) => place >= last && own !== "" && row.flat.includes(own.slice(0, 20))
    )
    if (at >= 0) {
      last = at
      continue
    }
    const tokens = tokensOf(line)
    const lacked = tokens.filter((token) => !held.has(token))
    if (lacked.length === 0 || lacked.length < tokens.length * lackedShare) continue
    rows.splice(last + 1, 0, { row: line, flat: own })
    last += 1
  }
  return rows.map(({ row }) => row).join("\n")
}

/** A text with the beginnings of words before ligatures that another reading has: `ficient Mooring` is `Efficient Mooring`. */
export const withWholeWords = (text: string, other: string): string => {
  let whole = text
  for (const line of other.split(/[\r\n]+/)) {
    const words = normalForm(line, "NFKC").trim().split(/\s+/)
    for (const [at, word] of words.entries()) {
      const next = words[at + 1]
      if (next === undefined || !/^\p{L}{1,3}f[fil]\p{L}+$/u.test(word) || whole.includes(word)) continue
      const start = word.search(/f[fil]/)
      for (const cut of [start, start + 1]) {
        const place = whole.indexOf(`${word.slice(cut)} ${next}`)
        if (place < 0 || /\p{L}/u.test(whole[place - 1] ?? "")) continue
        whole = whole.slice(0, place) + word + whole.slice(place + word.length - cut)
        break
      }
    }
  }
  return whole
}
