import type { ChunkDraft } from "./chunk.js"

type Piece = Omit<ChunkDraft, "ordinal" | "occurrence">

/**
 * The front matter as passages: what it says (a status, an owner, an author) can then be found and cited in
 * place like any other sentence. Cut between lines; a longer line is left out. Nothing for an empty block.
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
