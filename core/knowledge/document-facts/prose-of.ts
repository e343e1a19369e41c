import type { ParsedMarkdown } from "../../files/markdown/index.js"
import { functionWordCounts } from "../../language/languages/index.js"
import { surfaceKey } from "../entities/index.js"
import {
  hasRelationWords,
  type NamedInProse,
  type Piece,
  type ProseFacts,
  readProse
} from "../prose/index.js"
import type { Term } from "./terms.js"

const none: ProseFacts = { names: [], relations: [] }
/** Words of a text whose language is guessed. */
const guessedChars = 4000

/**
 * Returns the names and relations in the paragraphs and lists of an English text; other languages are read by the
 * rules for terms alone. `prose` is the source with blanks for what is no prose.
 */
export const proseOf = (
  prose: string,
  parsed: Pick<ParsedMarkdown, "blocks" | "source">,
  small: ReadonlyArray<string>
): ProseFacts => {
  if (!isEnglish(prose)) return none
  const lowered = new Set(small)
  const identifiers = new Set<number>()
  const text = plainly(
    prose.replace(codeSpan, (span, code: string, at: number) => {
      if (!/^[\p{L}\p{N}_]+(?:[.-][\p{L}\p{N}_]+)*$/u.test(code)) return " ".repeat(span.length)
      identifiers.add(at + 1)
      return `${codeEdge}${code}${codeEdge}`
    })
  )
  return readProse(
    text,
    piecesOf(prose, parsed),
    (word) => lowered.has(word),
    (start) => identifiers.has(start)
  )
}

/** Code within a line: an identifier may be a name, a command or an expression is none. */
const codeSpan = /`([^`\n]{1,500})`/gu
/** A blank that no name spans. */
const codeEdge = "\u2002"

/**
 * Returns whether no other known language has more function words in the text than English; one without any is English
 * if it has words that state a relation.
 */
const isEnglish = (prose: string): boolean => {
  // Capitalised words may be names: of "Norrland Energy AB" no word is German.
  const words = prose.slice(0, guessedChars).replace(/(?<!\p{L})\p{Lu}[\p{L}\p{M}]*/gu, " ")
  const counts = functionWordCounts(words)
  const english = counts.get("en") ?? 0
  // "Gearbox uses Redis": a short note may have no function word of any language.
  if ([...counts.values()].every((count) => count === 0)) return hasRelationWords(words)
  return english > 0 && [...counts].every(([language, count]) => language === "en" || count <= english)
}

/** Title of a note with a word in small letters, as in `[[Watch report 3]]`: a part of it is no name of its own. */
const linkedTitle =
  /\[\[[^[\]\n|]*(?<!\p{L})(?!(?:of|the|and|for|in|de|la|von)(?!\p{L}))\p{Ll}[^[\]\n|]*\]\]/gu

/** Blanks out marks of Markdown and linked titles; every character keeps its place. */
const plainly = (prose: string): string =>
  prose
    .replace(linkedTitle, (title) => " ".repeat(title.length))
    .replace(/[*`[\]|\n\r\t~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, " ")
    .replace(/(?<=^|\s)[#>]+(?=\s)/gu, (marks) => " ".repeat(marks.length))

/** Tags between which one sentence does not go on. */
const lineBreak = /<(?:br|hr|\/?(?:p|li|ul|ol|div|td|th|tr|table|summary|details|dt|dd))\b[^<>\n]{0,200}>/giu

/** Returns paragraphs, items of lists and parts of quotes, without tables. */
const piecesOf = (
  prose: string,
  { blocks, source }: Pick<ParsedMarkdown, "blocks" | "source">
): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  const breaks = [...source.matchAll(lineBreak)].map(({ index }) => index)
  let passed = 0
  for (const { atoms, end, innerStarts, kind, partStarts, start } of blocks) {
    if (kind === "code" || kind === "html" || kind === "heading") continue
    while (passed < breaks.length && (breaks[passed] ?? 0) < start) passed++
    const firstBreak = passed
    while (passed < breaks.length && (breaks[passed] ?? 0) < end) passed++
    const cuts = [
      ...new Set([
        start,
        ...partStarts,
        ...innerStarts,
        ...atoms.flatMap((atom) => [atom.start, atom.end]),
        ...breaks.slice(firstBreak, passed)
      ])
    ]
      .filter((at) => at >= start && at < end)
      .sort((a, b) => a - b)
    const ascending = [...atoms].sort((a, b) => a.start - b.start)
    let next = 0
    for (const [place, from] of cuts.entries()) {
      while (next < ascending.length && (ascending[next]?.end ?? 0) <= from) next++
      if ((ascending[next]?.start ?? end) <= from) continue
      const to = cuts[place + 1] ?? end
      const marker = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/u.exec(
        prose.slice(from, Math.min(to, from + 20))
      )?.[0]
      if (from < to) pieces.push({ start: from + (marker?.length ?? 0), end: to })
    }
  }
  return pieces
}

/** Returns the terms of a text with the types that its sentences show, and the names that are no term. */
export const withTypes = (
  terms: ReadonlyArray<Term>,
  names: ReadonlyArray<NamedInProse>
): ReadonlyArray<Term> => {
  const byName = new Map(names.map((one) => [one.name, one]))
  const known = new Set(terms.map(({ name }) => name))
  const typed = ({ type }: NamedInProse) => (type === null ? {} : { type })
  return [
    ...terms.map((term) => {
      const named = byName.get(term.name)
      return named === undefined
        ? term
        : { ...term, prose: Math.max(term.prose, named.count), ...typed(named) }
    }),
    ...names.flatMap((one): ReadonlyArray<Term> => {
      const key = surfaceKey(one.name)
      if (!one.sure || known.has(one.name) || key === "") return []
      return [{ key, name: one.name, prose: one.count, headings: 0, ...typed(one) }]
    })
  ]
}
