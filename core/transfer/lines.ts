/** Longest line of an export in bytes: enough for the largest document with every character escaped. */
export const lineBytesMax = 128 * 1024 * 1024

const lineEnd = 0x0a

/** Splits bytes that arrive in pieces into lines; buffers at most one incomplete line. */
export interface LineSplitter {
  /** Returns the lines that the piece completes, with their line ends; null if a line is too long. */
  readonly push: (piece: Uint8Array) => ReadonlyArray<Uint8Array> | null
  /** Returns the number of bytes of the incomplete line. */
  readonly restBytes: () => number
}

export const lineSplitter = (limitBytes: number): LineSplitter => {
  let parts: Array<Uint8Array> = []
  let bufferedBytes = 0
  const hold = (part: Uint8Array): boolean => {
    // Copied, because the caller may reuse the buffer.
    if (part.byteLength > 0) parts.push(part.slice())
    bufferedBytes += part.byteLength
    return bufferedBytes <= limitBytes
  }
  return {
    restBytes: () => bufferedBytes,
    push: (piece) => {
      const lines: Array<Uint8Array> = []
      let from = 0
      for (let end = piece.indexOf(lineEnd); end >= 0; end = piece.indexOf(lineEnd, from)) {
        const last = piece.subarray(from, end + 1)
        from = end + 1
        if (bufferedBytes + last.byteLength > limitBytes) return null
        lines.push(parts.length === 0 ? last : joined([...parts, last], bufferedBytes + last.byteLength))
        parts = []
        bufferedBytes = 0
      }
      return hold(piece.subarray(from)) ? lines : null
    }
  }
}

const joined = (parts: ReadonlyArray<Uint8Array>, bytes: number): Uint8Array => {
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}
