import { clusterBoundary, isSentenceEnd, isSpace, isWordStart } from "./line-scanner.js"
import type { Block, Span } from "./parse-markdown.js"

/** End of a piece and, when it was cut inside prose, where the next one starts (before that end). */
interface Cut {
  readonly end: number
  readonly next: number
}

/** Limits of a piece, in UTF-16 units. */
export interface CutBounds {
  readonly maxChars: number
  readonly overlapChars: number
  /** Offsets at which pages of an original begin: a chunk ends with the last block that begins before one of them. */
  readonly pageStarts?: ReadonlyArray<number>
}

/**
 * Returns where to end a piece of `block` that starts at `from` and cannot reach the end of the block: the last start
 * of a part, else of an inner block, else the last end of a sentence, else of a line, a word, a character. A position
 * in the first quarter is skipped in favour of the next kind, so that pieces do not become tiny. Code, tables and HTML
 * inside the block stay whole where they fit, else are cut between lines.
 */
export const cutBlock = (source: string, block: Block, from: number, bounds: CutBounds): Cut => {
  const limit = from + bounds.maxChars
  const inside = atomAt(block.atoms, from)
  if (inside !== null && inside.end > limit) return whole(cutLines(source, from, limit))
  // The first piece of a section may start at its heading; the cut must be after the heading.
  const earliest = Math.max(block.start, from + Math.floor(bounds.maxChars / 4))
  const structural = Math.max(lastUpTo(block.partStarts, limit), -1)
  if (structural > earliest) return whole(outsideAtoms(block.atoms, from, limit, structural))
  const inner = lastUpTo(block.innerStarts, limit)
  if (inner > earliest) return whole(outsideAtoms(block.atoms, from, limit, inner))
  const place = cutProse(source, earliest, limit)
  const adjusted = outsideAtoms(block.atoms, from, limit, place)
  if (adjusted !== place) return whole(adjusted)
  const paragraph = Math.max(
    block.start,
    lastUpTo(block.partStarts, place),
    lastUpTo(block.innerStarts, place),
    from + 1
  )
  return { end: place, next: overlapStart(source, paragraph, place, bounds.overlapChars) }
}

const whole = (end: number): Cut => ({ end, next: end })

/** Moves a cut out of a code block or table: before it, or after it when the piece starts with it. */
const outsideAtoms = (atoms: ReadonlyArray<Span>, from: number, limit: number, place: number): number => {
  const atom = atomAt(atoms, place)
  if (atom === null || atom.start === place) return place
  if (atom.start > from) return atom.start
  return atom.end <= limit ? atom.end : place
}

const atomAt = (atoms: ReadonlyArray<Span>, place: number): Span | null => {
  let [low, high] = [0, atoms.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((atoms[middle]?.start ?? 0) <= place) low = middle + 1
    else high = middle
  }
  const atom = atoms[low - 1]
  return atom !== undefined && place < atom.end ? atom : null
}

const lastUpTo = (starts: ReadonlyArray<number>, limit: number): number => {
  let [low, high] = [0, starts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= limit) low = middle + 1
    else high = middle
  }
  return starts[low - 1] ?? -1
}

const cutLines = (source: string, from: number, limit: number): number => {
  for (let at = limit; at > from; at--) if (isLineStart(source, at)) return at
  return cutWord(source, from + Math.floor((limit - from) / 4), limit)
}

const cutProse = (source: string, earliest: number, limit: number): number => {
  for (let at = limit; at > earliest; at--) if (isSentenceEnd(source, at)) return at
  for (let at = limit; at > earliest; at--) if (isLineStart(source, at)) return at
  return cutWord(source, earliest, limit)
}

const cutWord = (source: string, earliest: number, limit: number): number => {
  for (let at = limit; at > earliest; at--)
    if (isWordStart(source, at) || isSpace(source.charCodeAt(at))) return at
  return clusterBoundary(source, earliest, limit)
}

/**
 * Returns the earliest start of a sentence, else of a word, in the last `overlapChars` before the cut; else the cut.
 */
const overlapStart = (source: string, lowest: number, cut: number, overlapChars: number): number => {
  const from = Math.max(lowest, cut - overlapChars)
  for (let at = from; at < cut; at++) {
    if (isSentenceEnd(source, at) && source.slice(at, cut).trim() !== "") return at
  }
  for (let at = from; at < cut; at++) if (isWordStart(source, at)) return at
  return cut
}

const isLineStart = (source: string, at: number): boolean => {
  const before = source.charCodeAt(at - 1)
  return before === 10 || (before === 13 && source.charCodeAt(at) !== 10)
}
