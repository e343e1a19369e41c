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
  parsed: Pick<ParsedMarkdown, "blocks">,
  small: ReadonlyArray<string>
): ProseFacts => {
  if (!isEnglish(prose)) return none
  const lowered = new Set(small)
  return readProse(plainly(prose), piecesOf(prose, parsed), (word) => lowered.has(word))
}

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
    .replace(/[*_`[\]|\n\r\t~]/gu, " ")
    .replace(/(?<=^|\s)[#>]+(?=\s)/gu, (marks) => " ".repeat(marks.length))

/** Returns paragraphs, items of lists and parts of quotes, without tables. */
const piecesOf = (prose: string, { blocks }: Pick<ParsedMarkdown, "blocks">): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  for (const { atoms, end, innerStarts, kind, partStarts, start } of blocks) {
    if (kind === "code" || kind === "html" || kind === "heading") continue
    const cuts = [
      ...new Set([start, ...partStarts, ...innerStarts, ...atoms.flatMap((atom) => [atom.start, atom.end])])
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
