const fewBytes = 64

/** A growing byte buffer with variable-length integers (7 bits per byte, low bits first). */
export class ByteWriter {
  #bytes: Uint8Array
  #length = 0

  constructor(capacity = 32) {
    this.#bytes = new Uint8Array(capacity)
  }

  get length(): number {
    return this.#length
  }

  /** Writes an integer from 0 to 2^31 - 1. */
  varint(value: number): void {
    if (this.#length + 5 > this.#bytes.length) this.#grow(5)
    let rest = value
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest & 127) | 128
      rest >>>= 7
    }
    this.#bytes[this.#length++] = rest
  }

  /** Writes four bytes, little-endian. */
  uint32(value: number): void {
    if (this.#length + 4 > this.#bytes.length) this.#grow(4)
    for (let shift = 0; shift < 32; shift += 8) this.#bytes[this.#length++] = (value >>> shift) & 255
  }

  /** Writes an integer in 1, 2 or 4 bytes, little-endian. */
  fixed(value: number, width: number): void {
    if (this.#length + width > this.#bytes.length) this.#grow(width)
    this.#bytes[this.#length++] = value & 255
    for (let shift = 8; shift < width * 8; shift += 8) this.#bytes[this.#length++] = (value >>> shift) & 255
  }

  bytes(source: Uint8Array, start = 0, end = source.length): void {
    const count = end - start
    if (this.#length + count > this.#bytes.length) this.#grow(count)
    // Creating a view costs more than copying a few bytes.
    if (count <= fewBytes) {
      const bytes = this.#bytes
      for (let i = start, at = this.#length; i < end; i++, at++) bytes[at] = source[i] ?? 0
    } else this.#bytes.set(source.subarray(start, end), this.#length)
    this.#length += count
  }

  /** Appends everything that another writer holds. */
  append(other: ByteWriter): void {
    this.bytes(other.#bytes, 0, other.#length)
  }

  /** Writes a text as its length and UTF-16 units: any string is restored exactly, lone surrogates included. */
  text(value: string, from = 0): void {
    this.varint(value.length - from)
    for (let i = from; i < value.length; i++) this.varint(value.charCodeAt(i))
  }

  clear(): void {
    this.#length = 0
  }

  /** Returns a copy of what was written. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  #grow(more: number): void {
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
  }
}

/** Reads what a ByteWriter wrote. Bytes beyond the end read as zeros. */
export class ByteReader {
  constructor(
    readonly source: Uint8Array,
    public at = 0
  ) {}

  varint(): number {
    const first = this.source[this.at++] ?? 0
    if (first < 128) return first
    let value = first & 127
    for (let shift = 7; ; shift += 7) {
      const byte = this.source[this.at++] ?? 0
      value |= (byte & 127) << shift
      if (byte < 128) return value
    }
  }

  uint32(): number {
    let value = 0
    for (let shift = 0; shift < 32; shift += 8) value |= (this.source[this.at++] ?? 0) << shift
    return value >>> 0
  }

  text(prefix = ""): string {
    const length = this.varint()
    let value = prefix
    for (let i = 0; i < length; i++) value += String.fromCharCode(this.varint())
    return value
  }
}
