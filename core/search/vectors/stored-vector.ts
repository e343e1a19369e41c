import type { Chunk } from "../../files/documents/index.js"

/** Quantization steps between 0 and the largest number of a stored vector: the range of signed twelve-bit integers. */
const steps = 2047

/** Bytes of the largest number, before the steps. */
const headBytes = 4

/** Returns the size of a stored vector in bytes. */
export const storedBytes = (dimensions: number): number => headBytes + Math.ceil(dimensions * 1.5)

/**
 * Returns the vector as it is stored: each number is rounded to the nearest of 4,095 steps between the largest and its
 * negative. Makers of vectors round, so that a vector made again equals the stored one.
 */
export const storedVector = (vector: Float32Array): Float32Array => bytesToVector(vectorToBytes(vector))

/**
 * Encodes a vector in twelve bits per number: the largest absolute number as a float, then two numbers in three bytes
 * each, as steps above the minimum, all little-endian. Stored vectors are decoded exactly.
 */
export const vectorToBytes = (vector: Float32Array): Uint8Array => {
  let largest = 0
  for (let i = 0; i < vector.length; i += 1) largest = Math.max(largest, Math.abs(vector[i] ?? 0))
  const bytes = new Uint8Array(storedBytes(vector.length))
  new DataView(bytes.buffer).setFloat32(0, largest, true)
  const perNumber = largest > 0 ? steps / largest : 0
  for (let i = 0, at = headBytes; i < vector.length; i += 2, at += 3) {
    const first = Math.round((vector[i] ?? 0) * perNumber) + steps
    const second = Math.round((vector[i + 1] ?? 0) * perNumber) + steps
    bytes[at] = first
    bytes[at + 1] = (first >>> 8) | (second << 4)
    bytes[at + 2] = second >>> 4
  }
  return bytes
}

/**
 * Decodes the bytes of `vectorToBytes` exactly. A plain loop, because `from` with a function takes four times as long
 * and each search decodes a dozen.
 */
export const bytesToVector = (bytes: Uint8Array): Float32Array =>
  readInto(new Float32Array(numbersIn(bytes)), bytes)

/** Decodes many vectors into one buffer, so that the garbage collector sees one object. */
export const bytesToVectors = (all: ReadonlyArray<Uint8Array>): ReadonlyArray<Float32Array> => {
  const cells = new Float32Array(all.reduce((sum, bytes) => sum + numbersIn(bytes), 0))
  let from = 0
  return all.map((bytes) => {
    const vector = cells.subarray(from, from + numbersIn(bytes))
    from += vector.length
    return readInto(vector, bytes)
  })
}

const numbersIn = (bytes: Uint8Array): number => Math.max(0, Math.floor((bytes.byteLength - headBytes) / 1.5))

const readInto = (vector: Float32Array, bytes: Uint8Array): Float32Array => {
  const largest = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getFloat32(0, true)
  const step = largest / steps
  for (let i = 0, at = headBytes; i < vector.length; i += 2, at += 3) {
    const middle = bytes[at + 1] ?? 0
    vector[i] = (((bytes[at] ?? 0) | ((middle & 15) << 8)) - steps) * step
    // Writing beyond the end of an odd-length vector has no effect.
    vector[i + 1] = (((middle >>> 4) | ((bytes[at + 2] ?? 0) << 4)) - steps) * step
  }
  return vector
}

/** Returns the text that is embedded: title, headings and text of a chunk, one per line. */
export const embedText = (
  title: string,
  { headingPath, text }: Pick<Chunk, "headingPath" | "text">
): string => [title, ...headingPath, text].join("\n")

/**
 * Returns a 64-bit hash that shows whether a vector was made from the chunk's present text. It is compared with that
 * of one other text only.
 */
export const textHashOf = (sha256: (text: string) => string, text: string): string =>
  sha256(text).slice(0, 16)
