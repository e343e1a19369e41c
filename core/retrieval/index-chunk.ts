import { analyseForIndex } from "./analyse.js"
import type { IndexedChunk } from "./segment.js"

/** Words between two fields, so that no pair of neighbours reaches over the border. */
const fieldGap = 100

/**
 * A chunk with its title and headings as the lexical index holds it. The text stands at positions from 0, behind
 * it the headings, then the title twice: a word of the title counts double.
 */
export const indexChunk = (chunk: {
  readonly label: number
  readonly title: string
  readonly headingPath: ReadonlyArray<string>
  readonly text: string
}): IndexedChunk => {
  const headings = chunk.headingPath.join("\n")
  const terms = new Map<string, Array<number>>()
  let length = 0
  let base = 0
  for (const field of [chunk.text, headings, chunk.title, chunk.title]) {
    let last = 0
    for (const { kind, position, term } of analyseForIndex(field)) {
      const places = terms.get(term)
      if (places === undefined) terms.set(term, [base + position])
      else places.push(base + position)
      if (kind === "word") length += 1
      last = position
    }
    base += last + fieldGap
  }
  return { label: chunk.label, length, tieKey: hash32(`${chunk.title}\n${headings}\n${chunk.text}`), terms }
}

/** FNV-1a over UTF-16 units: quick, and equal on every machine. */
const hash32 = (text: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
