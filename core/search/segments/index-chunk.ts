import { analyseForIndex, unitsOf } from "../../language/tokenization/index.js"
import type { IndexedChunk } from "./segment.js"

/** Number of positions between two fields, so that no pair of neighbours spans the border. */
export const fieldGap = 100

/** A chunk with its indexed fields. */
export interface IndexableChunk {
  readonly label: number
  readonly title: string
  readonly headingPath: ReadonlyArray<string>
  readonly text: string
}

/**
 * Returns a chunk with title and headings as the lexical index stores it: the text from position 0, then the headings,
 * then the title twice, so that its words count double.
 */
export const indexChunk = (chunk: IndexableChunk): IndexedChunk => {
  const headings = chunk.headingPath.join("\n")
  const terms: Array<string> = []
  const positions: Array<number> = []
  let length = 0
  let base = 0
  const title = analyseForIndex(chunk.title)
  for (const tokens of [analyseForIndex(chunk.text), analyseForIndex(headings), title, title]) {
    let last = 0
    for (const { kind, position, term } of tokens) {
      terms.push(term)
      positions.push(base + position)
      if (kind === "word") length += 1
      last = position
    }
    base += last + fieldGap
  }
  return { label: chunk.label, length, tieKey: tieKeyOf(chunk), terms, positions }
}

/** Returns the tie key, which orders equal scores: equal for equal content. */
export const tieKeyOf = (chunk: IndexableChunk, text = unitsOf(chunk.text)): number => {
  let hash = hashOf(0x811c9dc5, chunk.title)
  hash = hashOf(hash, "\n")
  hash = hashOf(hash, chunk.headingPath.join("\n"))
  hash = hashOf(hash, "\n")
  const [units, length] = [text.units, text.text.length]
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ (units[i] ?? 0), 0x01000193)
  return hash >>> 0
}

/** FNV-1a over the UTF-16 units of consecutive texts: fast, and equal on every machine. */
const hashOf = (before: number, text: string): number => {
  let hash = before
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}
