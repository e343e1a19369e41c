import { matchesOf } from "../../language/languages/index.js"

const id = "[SD]\\d{1,6}"
const list = `${id}(?:\\s*[,;]\\s*${id})*`

/** Markers that prose may hold: [S1], [S1, D2]. */
export const markerPattern = new RegExp(`\\[(${list})\\]`, "gu")

/** A marker behind the full stop, which belongs to the sentence before it. */
const markerBehindStop = new RegExp(`(?<![.!?。！？])([.!?。！？]+)((?:\\s*\\[${list}\\])+)`, "gu")

/** Returns the prose with markers before the full stops that they stand behind. */
export const withMarkersInside = (prose: string): string => prose.replace(markerBehindStop, " $2$1")

/** The ids that prose cites, in order, each once. */
export const markersIn = (prose: string): ReadonlyArray<string> =>
  prose.includes("[")
    ? [...new Set(matchesOf(markerPattern, prose).flatMap((match) => (match[1] ?? "").split(/\s*[,;]\s*/u)))]
    : []

const named =
  "(?:(?:sources?|passages?|evidence|documents?|docs?|refs?|references?|see|quellen?|siehe|fuentes?)\\b\\s*[:#]?\\s*)?"
const digits = "\\d{1,6}"
/** One id as models write it: S1, s1, 1, ^1, S1†L3-L9; a bare number has two digits at most. */
const loose = `\\^?\\s*(?:[SDsdＳＤ]\\s?${digits}|\\d{1,2})(?:\\s*[†‡][^\\]】］,;]{0,60})?`
const separator = "\\s*(?:[,;、，]|\\band\\b|\\bund\\b|&|[-–])\\s*"
const inside = (one: string) => `${named}${one}(?:${separator}${named}${one}){0,20}`

/**
 * Code, which stays; else a citation in brackets of any kind, or in parentheses with the letter. Behind a word it is
 * an index, and before a parenthesis a link.
 */
const citation = new RegExp(
  [
    "```[^`]{0,20000}(?:```|$)|`[^`\\n]{1,400}`",
    `(?<![\\p{L}\\p{N}_!\\[])(?:\\[{1,2}|［|【|〔|⟦)\\s*(${inside(loose)})\\s*(?:\\]{1,2}|］|】|〕|⟧)(?!\\()`,
    `[(（]\\s*(${inside(`\\^?[SDsd]${digits}`)})\\s*[)）]`
  ].join("|"),
  "giu"
)

/** The list of footnotes at the end of a reply. */
const footnote = /^[ \t]{0,3}\[\^?[SD]?\d{1,6}\]:.*$\n?/gmu

/** Returns prose with its citations written as our markers, whatever form the model gave them: 【S1】, [1], (S1), [^1]. */
export const withPlainMarkers = (prose: string): string =>
  /[[［【〔⟦(（]/u.test(prose)
    ? prose
        .replace(footnote, "")
        .replace(citation, (whole, bracketed: string | undefined, round: string | undefined) => {
          const citedIds = bracketed ?? round
          return citedIds === undefined ? whole : `[${idsIn(citedIds).join(", ")}]`
        })
    : prose

const idsIn = (listed: string): ReadonlyArray<string> => {
  const ids: Array<string> = []
  let until = false
  for (const [found, letter = "", number = ""] of listed
    .replace(/[†‡][^,;]*/gu, "")
    .matchAll(/([SDsdＳＤ])?\s?(\d{1,6})|[-–]/gu)) {
    if (number === "") until = true
    else {
      const kind = /[dＤ]/iu.test(letter) ? "D" : "S"
      const last = Number(ids.at(-1)?.slice(1) ?? Number.NaN)
      // "S1-S3" names what lies between, too.
      if (until)
        for (let at = last + 1; at < Math.min(Number(number), last + 20); at++) ids.push(`${kind}${at}`)
      ids.push(`${kind}${Number(number)}`)
      until = false
    }
    if (found === "") break
  }
  return [...new Set(ids)]
}
