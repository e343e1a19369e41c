/** Steps between 0 and 1 of a number of a stored vector: as many as two bytes with a sign have. */
export const vectorSteps = 32_767

/**
 * The vector as it is stored: each number is moved to the nearest of the steps, by at most 0.000016, which leaves a
 * cosine as it was to four places. Makers of vectors round, so that what is made again equals what was stored.
 */
export const storedVector = (vector: Float32Array): Float32Array =>
  // The sum turns a negative zero, which no whole number keeps, into zero.
  vector.map((value) => Math.round(value * vectorSteps) / vectorSteps + 0)

/** A stored vector in two bytes a number, little-endian. */
export const vectorToBytes = (vector: Float32Array): Uint8Array => {
  const steps = new Int16Array(vector.length)
  for (let i = 0; i < steps.length; i += 1) steps[i] = Math.round((vector[i] ?? 0) * vectorSteps)
  return new Uint8Array(steps.buffer)
}

/**
 * A vector from the bytes of `vectorToBytes`, number for number as it was stored. A loop: each search reads a dozen,
 * and `from` with a function takes four times as long.
 */
export const bytesToVector = (bytes: Uint8Array): Float32Array => {
  // Numbers of two bytes are only looked at where they stand at an even place.
  const { buffer, byteLength, byteOffset } = bytes.byteOffset % 2 === 0 ? bytes : new Uint8Array(bytes)
  const steps = new Int16Array(buffer, byteOffset, byteLength / 2)
  const vector = new Float32Array(steps.length)
  for (let i = 0; i < steps.length; i += 1) vector[i] = (steps[i] ?? 0) / vectorSteps
  return vector
}
