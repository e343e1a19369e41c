import type { ParsedMarkdown } from "../../files/markdown/index.js"

/**
 * Matches inline markup whose words are not prose. Each alternative stops at the next delimiter of its kind, so
 * matching is linear.
 */
const markup = new RegExp(
  [
    /\b(?:https?|ftp|mailto|ipfs|git):[^\s<>()[\]"'`]{1,2000}/u,
    /(?<=\])\([^()[\]\n]{0,1000}(?:\([^()[\]\n]{0,200}\)[^()[\]\n]{0,500})?\)/u,
    /(?<=\[\[)[^[\]|\n]{1,500}\|/u,
    /<!--[^<>]{0,2000}-->/u,
    /<\/?[a-zA-Z][^<>\n]{0,1000}>/u,
    // Components of MDX, with properties on lines of their own, and the lines that import them.
    /<[A-Z][\w.]{0,100}\s[^<>]{0,2000}>/u,
    /^import\s(?:[^\n"']{0,500}\sfrom\s)?["'][^\n"']{1,300}["'];?[ \t]*$/u,
    /^export\s(?:const|default|function)\s[^\n]{0,500}$/u,
    /[\w.+-]{1,100}@[\w-]{1,100}\.[\w.-]{1,100}/u,
    /^ {0,3}\[[^[\]\n]{1,200}\]:[^\n]*/u,
    /\$\$[^$]{1,5000}\$\$/u
  ]
    .map(({ source }) => source)
    .join("|"),
  "gmu"
)

/** Returns the spans of a document that are not prose, as ascending start and end offsets. */
export const hiddenSpans = ({
  blocks,
  bodyStart,
  source
}: Pick<ParsedMarkdown, "blocks" | "bodyStart" | "source">): ReadonlyArray<number> => {
  const spans: Array<readonly [number, number]> = bodyStart > 0 ? [[0, bodyStart]] : []
  for (const block of blocks) {
    if (block.kind === "code" || block.kind === "html") spans.push([block.start, block.end])
    else for (const atom of block.atoms) if (!isTable(source, atom.start)) spans.push([atom.start, atom.end])
  }
  const bare = mask(source, spans.flat())
  for (const match of bare.matchAll(markup)) spans.push([match.index, match.index + match[0].length])
  const merged: Array<number> = []
  for (const [start, end] of spans.sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const last = merged.at(-1) ?? -1
    if (merged.length > 0 && start <= last) merged[merged.length - 1] = Math.max(last, end)
    else merged.push(start, end)
  }
  return merged
}

/** Returns whether an atom is a table; the first character distinguishes code, tables and HTML. */
const isTable = (source: string, start: number): boolean => {
  const line = source.slice(start, start + 200).split("\n", 1)[0] ?? ""
  return line.includes("|") && !/^\s*(?:```|~~~|<)/u.test(line)
}

/** Replaces the spans in a text by blanks, keeping length and offsets. `from` is the text's offset in the source. */
export const mask = (text: string, spans: ReadonlyArray<number>, from = 0): string => {
  const pieces: Array<string> = []
  let at = 0
  for (let i = firstAfter(spans, from); i < spans.length; i += 2) {
    const start = Math.max(at, Math.min(text.length, (spans[i] ?? 0) - from))
    const end = Math.max(start, Math.min(text.length, (spans[i + 1] ?? 0) - from))
    if ((spans[i] ?? 0) - from >= text.length) break
    pieces.push(
      text.slice(at, start),
      end > start ? hiddenMark : "",
      " ".repeat(Math.max(0, end - start - 1))
    )
    at = end
  }
  return at === 0 ? text : `${pieces.join("")}${text.slice(at)}`
}

/** Placeholder for masked text; as a separator it prevents names from spanning it. */
const hiddenMark = "|"

/** Returns the index of the first span that ends after the offset. */
const firstAfter = (spans: ReadonlyArray<number>, offset: number): number => {
  let [low, high] = [0, spans.length / 2]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((spans[middle * 2 + 1] ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  return low * 2
}
