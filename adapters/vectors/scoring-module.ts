import {
  add,
  addFloats,
  addFour,
  constant,
  dotEight,
  drop,
  forward,
  get,
  load,
  loadVector,
  moduleOf,
  multiplyFloats,
  repeat,
  set,
  storeFloat,
  sumOf,
  toFloats,
  whileLess,
  zeros
} from "./assembler.js"

/** Of one place, and of the sum that is written. */
const placeBytes = 4

/**
 * A module with `score(queryEnd, placesEnd)`. In the memory that it is given stand a query (from 0 on), then up to
 * `placesEnd` where vectors stand, four bytes each; the inner products come in their stead, as floats. Query and vectors
 * have two bytes a number and are multiples of `stepBytes`, which is 32, long.
 */
export const scoringModule = (stepBytes: number, lineBytes: number): Uint8Array => {
  const [queryEnd, placesEnd, place, at, row, sum] = [0, 1, 2, 3, 4, 5]
  const forEachPlace = (...body: ReadonlyArray<ReadonlyArray<number>>) =>
    [
      ...[get(queryEnd), set(place)],
      repeat(
        ...[get(place), load, set(row)],
        ...body,
        forward(place, placeBytes),
        whileLess(place, placesEnd)
      )
    ].flat()
  const products = (offset: number) =>
    [get(row), loadVector(offset), get(at), loadVector(offset), dotEight].flat()
  return moduleOf(
    { places: 3, vectors: 1 },
    // Most of the time goes by waiting for memory: all of it is asked for before the first is needed.
    forEachPlace(
      ...[get(row), get(queryEnd), add, set(at)],
      repeat(...[get(row), load, drop], forward(row, lineBytes), whileLess(row, at))
    ),
    forEachPlace(
      ...[constant(0), set(at), zeros, set(sum)],
      repeat(
        ...[products(0), products(stepBytes / 2), addFour, toFloats, get(sum), addFloats, set(sum)],
        ...[forward(row, stepBytes), forward(at, stepBytes), whileLess(at, queryEnd)]
      ),
      ...[get(place), sumOf(sum), storeFloat]
    )
  )
}

/**
 * A module with `score(queryEnd, rowsEnd)`. In the memory that it is given stand a query (from 0 on), then up to
 * `rowsEnd` vectors of the same length, one behind the other; their inner products are written behind them. All are
 * floats, and multiples of `stepBytes`, which is 32, long.
 */
export const rowsModule = (stepBytes: number): Uint8Array => {
  const [queryEnd, rowsEnd, row, at, out, even, odd] = [0, 1, 2, 3, 4, 5, 6]
  // Two sums: no addition waits for the one before.
  const addProducts = (offset: number, sum: number) =>
    [
      ...[get(row), loadVector(offset), get(at), loadVector(offset), multiplyFloats],
      ...[get(sum), addFloats, set(sum)]
    ].flat()
  return moduleOf(
    { places: 3, vectors: 2 },
    ...[get(queryEnd), set(row), get(rowsEnd), set(out)],
    repeat(
      ...[constant(0), set(at), zeros, set(even), zeros, set(odd)],
      repeat(
        ...[addProducts(0, even), addProducts(stepBytes / 2, odd)],
        ...[forward(row, stepBytes), forward(at, stepBytes), whileLess(at, queryEnd)]
      ),
      ...[get(even), get(odd), addFloats, set(even), get(out), sumOf(even), storeFloat],
      ...[forward(out, placeBytes), whileLess(row, rowsEnd)]
    )
  )
}
