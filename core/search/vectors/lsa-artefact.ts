import * as Effect from "effect/Effect"
import { yieldToEventLoop } from "../../platform/kernel/index.js"
import type { Lsa } from "./lsa.js"

/**
 * The stored form of a model, little-endian: magic `KLSA`, version, CRC-32 of all that follows, number of terms,
 * dimensions, bytes of the vocabulary (JSON in UTF-8), the step size as a 64-bit float, the vocabulary padded to eight
 * bytes, the weights as 64-bit floats, and the basis in steps: all high bytes, then all low ones, because the high
 * ones compress well.
 */
const magic = 0x41534c4b
/** Changes with the analysis of words, too: a model of other terms is fitted again. */
const version = 3
const headerBytes = 32
const stepAt = 24
const checkedFrom = 12

export const encodeLsa = ({ basis, dimensions, idf, step, terms }: Lsa): Uint8Array => {
  const words = new TextEncoder().encode(JSON.stringify(terms))
  const padded = Math.ceil(words.length / 8) * 8
  const bytes = new Uint8Array(headerBytes + padded + idf.byteLength + basis.byteLength)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, magic, true)
  view.setUint32(4, version, true)
  view.setUint32(12, terms.length, true)
  view.setUint32(16, dimensions, true)
  view.setUint32(20, words.length, true)
  view.setFloat64(stepAt, step, true)
  bytes.set(words, headerBytes)
  bytes.set(bytesOf(idf), headerBytes + padded)
  const [high, low] = [headerBytes + padded + idf.byteLength, bytes.length - basis.length]
  basis.forEach((value, place) => {
    bytes[high + place] = value >> 8
    bytes[low + place] = value & 0xff
  })
  view.setUint32(8, crc32(bytes.subarray(checkedFrom)), true)
  return bytes
}

/**
 * Decodes a model, with turns of the event loop in between, since a large artefact takes a quarter of a second; null
 * when the bytes are damaged, truncated or of another version.
 */
export const readLsa = (stored: Uint8Array): Effect.Effect<Lsa | null> =>
  Effect.gen(function* () {
    const turn = yieldToEventLoop()
    const steps = decoding(stored)
    for (;;) {
      yield* turn
      const step = steps.next()
      if (step.done === true) return step.value
    }
  })

/** Bytes and numbers read in a step: about a millisecond. */
const stepSize = 256 * 1024

function* decoding(stored: Uint8Array): Generator<undefined, Lsa | null> {
  const view = new DataView(stored.buffer, stored.byteOffset, stored.byteLength)
  if (stored.byteLength < headerBytes || view.getUint32(0, true) !== magic) return null
  if (view.getUint32(4, true) !== version) return null
  let crc = crcStart
  for (let from = checkedFrom; from < stored.length; from += stepSize) {
    crc = crcOver(crc, stored.subarray(from, from + stepSize))
    yield
  }
  if (view.getUint32(8, true) !== crcEnd(crc)) return null
  const [count, dimensions, wordBytes] = [12, 16, 20].map((at) => view.getUint32(at, true))
  if (count === undefined || dimensions === undefined || wordBytes === undefined) return null
  const idfFrom = headerBytes + Math.ceil(wordBytes / 8) * 8
  const basisFrom = idfFrom + count * 8
  if (stored.byteLength !== basisFrom + count * dimensions * 2) return null
  const terms: unknown = JSON.parse(
    new TextDecoder().decode(stored.subarray(headerBytes, headerBytes + wordBytes))
  )
  if (!isTerms(terms) || terms.length !== count) return null
  yield
  const idf = new Float64Array(count)
  bytesOf(idf).set(stored.subarray(idfFrom, basisFrom))
  const basis = new Int16Array(count * dimensions)
  for (let from = 0; from < basis.length; from += stepSize) {
    const to = Math.min(basis.length, from + stepSize)
    for (let place = from; place < to; place += 1)
      basis[place] = ((stored[basisFrom + place] ?? 0) << 8) | (stored[basisFrom + basis.length + place] ?? 0)
    yield
  }
  return { terms, idf, dimensions, basis, step: view.getFloat64(stepAt, true) }
}

/** Returns the memory of an array as bytes: little-endian on every platform of Node except s390x. */
const bytesOf = (array: Float64Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength)

const isTerms = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((term) => typeof term === "string")

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** CRC-32 as in ISO 3309. */
const crc32 = (bytes: Uint8Array): number => crcEnd(crcOver(crcStart, bytes))
const crcStart = 0xffffffff
const crcOver = (start: number, bytes: Uint8Array): number => {
  let crc = start
  for (let i = 0; i < bytes.length; i += 1)
    crc = (crc >>> 8) ^ (crcTable[(crc ^ (bytes[i] ?? 0)) & 0xff] ?? 0)
  return crc
}
const crcEnd = (crc: number): number => (crc ^ 0xffffffff) >>> 0
