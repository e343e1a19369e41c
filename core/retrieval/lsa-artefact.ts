import type { Lsa } from "./lsa.js"

/**
 * The stored form of a model, little-endian: magic `KLSA`, version, CRC-32 of all that follows, number of terms,
 * dimensions, bytes of the vocabulary (JSON in UTF-8), the vocabulary padded to eight bytes, the weights as
 * 64-bit and the basis as 32-bit floats.
 */
const magic = 0x41534c4b
const version = 1
const headerBytes = 24
const checkedFrom = 12

export const encodeLsa = ({ basis, dimensions, idf, terms }: Lsa): Uint8Array => {
  const words = new TextEncoder().encode(JSON.stringify(terms))
  const padded = Math.ceil(words.length / 8) * 8
  const bytes = new Uint8Array(headerBytes + padded + idf.byteLength + basis.byteLength)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, magic, true)
  view.setUint32(4, version, true)
  view.setUint32(12, terms.length, true)
  view.setUint32(16, dimensions, true)
  view.setUint32(20, words.length, true)
  bytes.set(words, headerBytes)
  bytes.set(bytesOf(idf), headerBytes + padded)
  bytes.set(bytesOf(basis), headerBytes + padded + idf.byteLength)
  view.setUint32(8, crc32(bytes.subarray(checkedFrom)), true)
  return bytes
}

/** The model; null when the bytes are damaged, cut off, or of another version. */
export const decodeLsa = (stored: Uint8Array): Lsa | null => {
  const view = new DataView(stored.buffer, stored.byteOffset, stored.byteLength)
  if (stored.byteLength < headerBytes || view.getUint32(0, true) !== magic) return null
  if (view.getUint32(4, true) !== version) return null
  if (view.getUint32(8, true) !== crc32(stored.subarray(checkedFrom))) return null
  const [count, dimensions, wordBytes] = [12, 16, 20].map((at) => view.getUint32(at, true))
  if (count === undefined || dimensions === undefined || wordBytes === undefined) return null
  const idfFrom = headerBytes + Math.ceil(wordBytes / 8) * 8
  const basisFrom = idfFrom + count * 8
  if (stored.byteLength !== basisFrom + count * dimensions * 4) return null
  const terms: unknown = JSON.parse(
    new TextDecoder().decode(stored.subarray(headerBytes, headerBytes + wordBytes))
  )
  if (!isTerms(terms) || terms.length !== count) return null
  const idf = new Float64Array(count)
  bytesOf(idf).set(stored.subarray(idfFrom, basisFrom))
  const basis = new Float32Array(count * dimensions)
  bytesOf(basis).set(stored.subarray(basisFrom))
  return { terms, idf, dimensions, basis }
}

/** The memory of an array as bytes: little-endian on every machine that Node supports save s390x. */
const bytesOf = (array: Float32Array | Float64Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength)

const isTerms = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((term) => typeof term === "string")

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** CRC-32 as in ISO 3309. */
const crc32 = (bytes: Uint8Array): number => {
  let crc = 0xffffffff
  for (let i = 0; i < bytes.length; i += 1) {
    crc = (crc >>> 8) ^ (crcTable[(crc ^ (bytes[i] ?? 0)) & 0xff] ?? 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}
