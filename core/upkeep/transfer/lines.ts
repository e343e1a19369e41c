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

/** Maximum nesting of a record. */
const depthMax = 64

/** Returns what makes a parsed JSON value invalid in a record, as a sentence, or undefined. */
export const unfitJson = (value: unknown, depth = 1): string | undefined => {
  if (typeof value === "string") return value.isWellFormed() ? undefined : "A text contains a lone surrogate."
  if (typeof value !== "object" || value === null) return undefined
  if (depth > depthMax) return `It is nested deeper than ${depthMax} levels.`
  for (const [name, member] of Object.entries(value)) {
    if (name === "__proto__") return "A member is called __proto__."
    const problem =
      (name.isWellFormed() ? undefined : "A name contains a lone surrogate.") ?? unfitJson(member, depth + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Compares by code points, which is the order of UTF-8 bytes; negative if `a` comes first. */
export const compareCodePoints = (a: string, b: string): number => {
  const shorter = Math.min(a.length, b.length)
  for (let at = 0; at < shorter; at++) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (left !== right) return rankOfUnit(left) - rankOfUnit(right)
  }
  return a.length - b.length
}

/** Ranks a UTF-16 unit by code point order, in which surrogate pairs follow U+FFFF. */
const rankOfUnit = (unit: number): number =>
  unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit
