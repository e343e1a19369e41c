import type { ChunkDraft } from "./chunk.js"

type Piece = Omit<ChunkDraft, "ordinal" | "occurrence">

/**
 * Returns passages of the front matter, so that its fields (status, owner, author) can be found and cited like any
 * other sentence. Split between lines; a longer line is left out. Empty for an empty block.
 */
export const frontMatterChunks = (
  source: string,
  bodyStart: number,
  maxChars: number
): ReadonlyArray<Piece> => {
  const start = source.startsWith("\ufeff") ? 1 : 0
  const block = source.slice(start, bodyStart).trimEnd()
  if (!saysSomething(block)) return []
  if (block.length <= maxChars) return [draft(block, start)]
  const pieces: Array<Piece> = []
  let from = start
  let at = start
  for (const line of block.split(/(?<=\n)/u)) {
    if (at + line.length - from > maxChars) {
      if (at > from) pieces.push(draft(source.slice(from, at), from))
      from = at
    }
    at += line.length
    if (line.length > maxChars) from = at
  }
  if (at > from) pieces.push(draft(source.slice(from, at), from))
  return pieces.filter(({ text }) => saysSomething(text))
}

const saysSomething = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

const draft = (raw: string, start: number): Piece => {
  const text = raw.trimEnd()
  return { headingPath: [], text, start, end: start + text.length }
}
