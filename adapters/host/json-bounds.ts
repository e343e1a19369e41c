/** Bounds of a JSON text. */
export interface JsonBounds {
  /** Maximum nesting of arrays and objects. */
  readonly depth: number
  /** Maximum number of array items, object members and containers together. */
  readonly values: number
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Returns the bound that a JSON text breaks, or null. Reads the bytes once and makes no values, so that a text is
 * refused before it can hold up the event loop; a text that is no JSON may pass.
 */
export const brokenBound = (bytes: Uint8Array, { depth, values }: JsonBounds): keyof JsonBounds | null => {
  let [open, count] = [0, 0]
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case quote:
        for (at++; at < bytes.length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++
        break
      case openBracket:
      case openBrace:
        if (++open > depth) return "depth"
        if (++count > values) return "values"
        break
      case closeBracket:
      case closeBrace:
        open--
        break
      case comma:
        if (++count > values) return "values"
        break
    }
  }
  return null
}
