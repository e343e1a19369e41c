import type { Language } from "../languages/index.js"
import { type Analyser, contentTerms } from "./terms.js"

/** Returns the index pairs of a longest common subsequence of two lists, in order; among equal ones, the earliest. */
export const alignedPlaces = (
  a: ReadonlyArray<string>,
  b: ReadonlyArray<string>
): ReadonlyArray<readonly [number, number]> => {
  const width = b.length + 1
  const lengths = new Uint16Array((a.length + 1) * width)
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0
  for (let row = a.length - 1; row >= 0; row -= 1) {
    const [own, term] = [row * width, a[row]]
    for (let column = b.length - 1; column >= 0; column -= 1) {
      const place = own + column
      // Below, beside, and below what is beside.
      const [below, beside] = [lengths[place + width] ?? 0, lengths[place + 1] ?? 0]
      lengths[place] =
        term === b[column] ? (lengths[place + width + 1] ?? 0) + 1 : below > beside ? below : beside
    }
  }
  const pairs: Array<readonly [number, number]> = []
  for (let row = 0, column = 0; row < a.length && column < b.length; ) {
    if (a[row] === b[column]) {
      pairs.push([row, column])
      row += 1
      column += 1
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1
    else column += 1
  }
  return pairs
}

/** The parts of both lists between two neighbouring pairs, or at an end. */
export interface Slot {
  readonly a: readonly [from: number, to: number]
  readonly b: readonly [from: number, to: number]
}

/** Returns the slots in which both lists have different items. */
export const replacedSlots = (
  pairs: ReadonlyArray<readonly [number, number]>,
  lengthA: number,
  lengthB: number
): ReadonlyArray<Slot> => {
  const bounds = [...pairs, [lengthA, lengthB] as const]
  return bounds.flatMap(([toA, toB], index) => {
    const [beforeA, beforeB] = pairs[index - 1] ?? [-1, -1]
    const slot: Slot = { a: [beforeA + 1, toA], b: [beforeB + 1, toB] }
    return slot.a[0] < slot.a[1] && slot.b[0] < slot.b[1] ? [slot] : []
  })
}

/**
 * Whether a claim and its evidence have two names around the same verb in reverse order: "Orlin depends on Merrow",
 * "Merrow depends on Orlin". A passive on one side restores the order.
 */
export const isArgumentTurned = (
  claim: string,
  evidence: string,
  names: ReadonlyArray<string>,
  analyse: Analyser,
  language: Language
): boolean =>
  names.some((one) =>
    names.some((other) => {
      if (one === other || one.includes(other) || other.includes(one)) return false
      const [said, given] = [between(claim, one, other), between(evidence, other, one)]
      if (said === undefined || given === undefined) return false
      const terms = contentTerms(analyse, given, language).map(({ term }) => term)
      const shared = contentTerms(analyse, said, language).some(({ term }) => terms.includes(term))
      return shared && passive.test(said) === passive.test(given)
    })
  )

/** Whether a sentence has an agent behind its verb ("was built by", "wurde von … gebaut"). */
export const isPassive = (text: string): boolean => passive.test(text)

const passive =
  /\b(?:is|was|are|were|been|being|be|wird|wurde|werden|wurden|ist|est|fut|été|fue|es)\b.*\b(?:by|from|von|durch|par|de|por)\b/iu

/** Returns the text between two names that each occur once, in this order and close together. */
const between = (text: string, first: string, second: string): string | undefined => {
  const [from, to] = [text.indexOf(first), text.indexOf(second)]
  if (from < 0 || to < 0 || text.indexOf(first, from + 1) >= 0 || text.indexOf(second, to + 1) >= 0)
    return undefined
  const start = from + first.length
  return to <= start || to - start > reachChars ? undefined : text.slice(start, to)
}

const reachChars = 80
