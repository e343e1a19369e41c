/** Longest line of an export, in bytes: a document of the greatest size whose every character is escaped fits well. */
export const lineBytesMax = 128 * 1024 * 1024

const lineEnd = 0x0a

/** Cuts bytes that come in pieces of any size into lines; holds at most one line that is not whole yet. */
export interface LineSplitter {
  /** The lines that the piece completes, each with its line end; null when one is longer than it may be. */
  readonly push: (piece: Uint8Array) => ReadonlyArray<Uint8Array> | null
  /** Bytes that belong to no whole line. */
  readonly restBytes: () => number
}

export const lineSplitter = (limitBytes: number): LineSplitter => {
  let parts: Array<Uint8Array> = []
  let held = 0
  const hold = (part: Uint8Array): boolean => {
    // A copy, since the giver of the piece may use its memory again.
    if (part.byteLength > 0) parts.push(part.slice())
    held += part.byteLength
    return held <= limitBytes
  }
  return {
    restBytes: () => held,
    push: (piece) => {
      const lines: Array<Uint8Array> = []
      let from = 0
      for (let end = piece.indexOf(lineEnd); end >= 0; end = piece.indexOf(lineEnd, from)) {
        const last = piece.subarray(from, end + 1)
        from = end + 1
        if (held + last.byteLength > limitBytes) return null
        lines.push(parts.length === 0 ? last : joined([...parts, last], held + last.byteLength))
        parts = []
        held = 0
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
