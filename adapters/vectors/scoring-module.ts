/* Bytes of WebAssembly, by hand: it is one function, and no tool is needed to build it. */

/** An unsigned number in groups of seven bits, as modules have all of theirs. */
const number = (value: number): ReadonlyArray<number> =>
  value < 128 ? [value] : [(value & 127) | 128, ...number(value >>> 7)]
const text = (value: string) => [...number(value.length), ...Buffer.from(value)]
const list = (...items: ReadonlyArray<ReadonlyArray<number>>) => [...number(items.length), ...items.flat()]
const sized = (bytes: ReadonlyArray<number>) => [...number(bytes.length), ...bytes]
const section = (id: number, bytes: ReadonlyArray<number>) => [id, ...sized(bytes)]

/* Instructions of a stack machine; locals are counted from the parameters on. */

const [i32, v128] = [0x7f, 0x7b]
const get = (local: number) => [0x20, local]
const set = (local: number) => [0x21, local]
/** Of up to 13 bits: constants have a sign. */
const constant = (value: number) => [0x41, (value & 127) | 128, value >>> 7]
const add = [0x6a]
const drop = [0x1a]
const repeat = (...body: ReadonlyArray<ReadonlyArray<number>>) => [0x03, 0x40, ...body.flat(), 0x0b]
const whileLess = (a: number, b: number) => [...get(a), ...get(b), 0x49, 0x0d, 0]
const end = [0x0b]
const forward = (local: number, bytes: number) => [...get(local), ...constant(bytes), ...add, ...set(local)]
const load = [0x28, 2, 0]
const storeFloat = [0x38, 2, 0]
const addFloat = [0x92]
const simd = (code: number, ...operands: ReadonlyArray<number>) => [0xfd, ...number(code), ...operands]
const loadEight = (offset: number) => simd(0, 1, offset)
/** Eight products of numbers of two bytes, as four sums of two. */
const dotEight = simd(0xba)
const addFour = simd(0xae)
const toFloats = simd(0xfa)
const addFloats = simd(0xe4)
const zeros = simd(12, ...new Array<number>(16).fill(0))
const lane = (place: number) => simd(0x1f, place)

const [queryEnd, placesEnd, place, at, row, sum] = [0, 1, 2, 3, 4, 5]
const placeBytes = 4

const forEachPlace = (...body: ReadonlyArray<ReadonlyArray<number>>) =>
  [
    ...[get(queryEnd), set(place)],
    repeat(...[get(place), load, set(row)], ...body, forward(place, placeBytes), whileLess(place, placesEnd))
  ].flat()

const products = (offset: number) =>
  [get(row), loadEight(offset), get(at), loadEight(offset), dotEight].flat()

/**
 * A module with `score(queryEnd, placesEnd)`. In the memory that it is given stand a query (from 0 on), then up to
 * `placesEnd` where vectors stand, four bytes each; the inner products come in their stead, as floats. Query and vectors
 * have two bytes a number and are multiples of `stepBytes`, which is 32, long.
 */
export const scoringModule = (stepBytes: number, lineBytes: number): Uint8Array => {
  const body = [
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
      ...[get(place), get(sum), lane(0), get(sum), lane(1), addFloat],
      ...[get(sum), lane(2), get(sum), lane(3), addFloat, addFloat, storeFloat]
    ),
    end
  ].flat()
  return Uint8Array.of(
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list([0x60, ...list([i32], [i32]), ...list()])),
    // A memory of one page or more, up to 4 GB.
    ...section(2, list([...text("own"), ...text("memory"), 2, 1, 1, ...number(1 << 16)])),
    ...section(3, list([0])),
    ...section(7, list([...text("score"), 0, 0])),
    ...section(10, list(sized([...list([3, i32], [1, v128]), ...body])))
  )
}
