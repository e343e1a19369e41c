import { ByteReader, ByteWriter } from "./bytes.js"

/** The removed chunks of a segment: one bit per ordinal. */
export interface DeadSet {
  readonly count: number
  readonly bits: Uint8Array
}

export const noneDead: DeadSet = { count: 0, bits: new Uint8Array(0) }

export const isDead = (dead: DeadSet, ordinal: number): boolean =>
  ((dead.bits[ordinal >>> 3] ?? 0) & (1 << (ordinal & 7))) !== 0

/** Returns the set with these ordinals added. */
export const withDead = (dead: DeadSet, ordinals: ReadonlyArray<number>, chunkCount: number): DeadSet => {
  const bits = new Uint8Array((chunkCount + 7) >>> 3)
  bits.set(dead.bits)
  let count = dead.count
  for (const ordinal of ordinals) {
    const mask = 1 << (ordinal & 7)
    const byte = bits[ordinal >>> 3] ?? 0
    if ((byte & mask) !== 0) continue
    bits[ordinal >>> 3] = byte | mask
    count += 1
  }
  return { count, bits }
}

/** Encodes ordinals as differences; the empty set gives empty bytes. */
export const encodeDead = (dead: DeadSet): Uint8Array => {
  const writer = new ByteWriter(dead.count + 8)
  let before = 0
  for (let ordinal = 0; ordinal < dead.bits.length * 8; ordinal++) {
    if (!isDead(dead, ordinal)) continue
    writer.varint(ordinal - before)
    before = ordinal
  }
  return writer.finish()
}

export const decodeDead = (bytes: Uint8Array, chunkCount: number): DeadSet => {
  if (bytes.length === 0) return noneDead
  const reader = new ByteReader(bytes)
  const ordinals: Array<number> = []
  let ordinal = 0
  while (reader.at < bytes.length) {
    ordinal += reader.varint()
    ordinals.push(ordinal)
  }
  return withDead(noneDead, ordinals, chunkCount)
}
