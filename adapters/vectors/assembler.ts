/*
 * Bytes of WebAssembly, by hand: JavaScript reaches the vector instructions of the processor through it alone, what is
 * needed is two functions, and no tool is needed to build them.
 */

/** An unsigned number in groups of seven bits, as modules have all of theirs. */
const number = (value: number): ReadonlyArray<number> =>
  value < 128 ? [value] : [(value & 127) | 128, ...number(value >>> 7)]
const text = (value: string) => [...number(value.length), ...Buffer.from(value)]
const list = (...items: ReadonlyArray<ReadonlyArray<number>>) => [...number(items.length), ...items.flat()]
const sized = (bytes: ReadonlyArray<number>) => [...number(bytes.length), ...bytes]
const section = (id: number, bytes: ReadonlyArray<number>) => [id, ...sized(bytes)]

/* Instructions of a stack machine; locals are counted from the parameters on. */

const [i32, v128] = [0x7f, 0x7b]
export const get = (local: number) => [0x20, local]
export const set = (local: number) => [0x21, local]
/** Of up to 13 bits: constants have a sign. */
export const constant = (value: number) => [0x41, (value & 127) | 128, value >>> 7]
export const add = [0x6a]
export const drop = [0x1a]
export const repeat = (...body: ReadonlyArray<ReadonlyArray<number>>) => [0x03, 0x40, ...body.flat(), 0x0b]
export const whileLess = (a: number, b: number) => [...get(a), ...get(b), 0x49, 0x0d, 0]
export const forward = (local: number, bytes: number) => [
  ...get(local),
  ...constant(bytes),
  ...add,
  ...set(local)
]
export const load = [0x28, 2, 0]
export const storeFloat = [0x38, 2, 0]
const addFloat = [0x92]
const simd = (code: number, ...operands: ReadonlyArray<number>) => [0xfd, ...number(code), ...operands]
/** Sixteen bytes: eight numbers of two or four floats. */
export const loadVector = (offset: number) => simd(0, 1, offset)
/** Eight products of numbers of two bytes, as four sums of two. */
export const dotEight = simd(0xba)
export const addFour = simd(0xae)
export const toFloats = simd(0xfa)
export const addFloats = simd(0xe4)
export const multiplyFloats = simd(0xe6)
export const zeros = simd(12, ...new Array<number>(16).fill(0))
const lane = (local: number, place: number) => [...get(local), ...simd(0x1f, place)]
/** The sum of the four floats of a local. */
export const sumOf = (local: number) =>
  [lane(local, 0), lane(local, 1), addFloat, lane(local, 2), lane(local, 3), addFloat, addFloat].flat()

/**
 * A module of one function, `score`, which takes two places in the memory that the module is given. Its further locals
 * are places first and vectors after them.
 */
export const moduleOf = (
  { places, vectors }: { readonly places: number; readonly vectors: number },
  ...body: ReadonlyArray<ReadonlyArray<number>>
): Uint8Array =>
  Uint8Array.of(
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list([0x60, ...list([i32], [i32]), ...list()])),
    // A memory of one page or more, up to 4 GB.
    ...section(2, list([...text("own"), ...text("memory"), 2, 1, 1, ...number(pagesMax)])),
    ...section(3, list([0])),
    ...section(7, list([...text("score"), 0, 0])),
    ...section(10, list(sized([...list([places, i32], [vectors, v128]), ...body.flat(), 0x0b])))
  )

export const pageBytes = 1 << 16
/** What a module can address: 4 GB. */
export const pagesMax = 1 << 16

export type Score = (from: number, end: number) => void

export interface Memory {
  readonly buffer: ArrayBuffer
  readonly grow: (pages: number) => number
}

/** What is used of WebAssembly, of which the types of Node tell nothing; it is not there where it was turned off. */
interface Assembly {
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => Memory
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (
    module: object,
    imports: Readonly<Record<string, object>>
  ) => { readonly exports: { readonly score: Score } }
}
const assembly: Assembly = Reflect.get(globalThis, "WebAssembly")

/** Memory of so many pages, all zero. Throws where there is none, or no WebAssembly. */
export const newMemory = (pages: number): Memory => new assembly.Memory({ initial: pages, maximum: pagesMax })

/** Throws where the processor lacks an instruction. */
export const compile = (bytes: Uint8Array): object => new assembly.Module(bytes)

/** The function of a compiled module over a memory. */
export const over = (compiled: object, memory: Memory): Score =>
  new assembly.Instance(compiled, { own: { memory } }).exports.score
