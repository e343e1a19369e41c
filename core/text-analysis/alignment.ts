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
