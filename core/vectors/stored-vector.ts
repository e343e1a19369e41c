/** Steps between 0 and the largest number of a stored vector: as many as twelve bits with a sign have. */
const steps = 2047

/** Bytes of the largest number, before the numbers themselves. */
const headBytes = 4

/** Bytes that a stored vector of so many numbers takes. */
export const storedBytes = (dimensions: number): number => headBytes + Math.ceil(dimensions * 1.5)

/**
 * The vector as it is stored: each number is moved to the nearest of 4,095 steps between the largest and its opposite.
 * Makers of vectors round, so that what is made again equals what was stored.
 */
export const storedVector = (vector: Float32Array): Float32Array => bytesToVector(vectorToBytes(vector))

/**
 * A vector in twelve bits a number: the largest number without its sign as a float, then two numbers in three bytes each
 * time, as steps above the least, all little-endian. A stored vector comes back number for number.
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
 * A vector from the bytes of `vectorToBytes`, number for number as it was stored. A loop: each search reads a dozen,
 * and `from` with a function takes four times as long.
 */
export const bytesToVector = (bytes: Uint8Array): Float32Array =>
  readInto(new Float32Array(numbersIn(bytes)), bytes)

/** Many vectors from their bytes, side by side in one piece of memory: one thing to be collected, not a thousand. */
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
    // Beyond the end of an odd number of them nothing is written.
    vector[i + 1] = (((middle >>> 4) | ((bytes[at + 2] ?? 0) << 4)) - steps) * step
  }
  return vector
}
