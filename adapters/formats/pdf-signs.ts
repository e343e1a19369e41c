/** Signs that the PDF library leaves out: all beyond U+FFFF, as letters of formulas and emoji. Fonts say which they hold. */
import { inflateSync, constants as zlib } from "node:zlib"

/** Streams that are looked at, and bytes of a table of signs. */
const [streamsMax, bytesMax] = [20_000, 1024 * 1024]
/** Packed bytes that show what a stream is. */
const headBytes = 128
const pair = /<((?:[0-9a-f]{4})*d[89ab][0-9a-f]{2}d[c-f][0-9a-f]{2}(?:[0-9a-f]{4})*)>/gi

/** Signs beyond U+FFFF to which the fonts of a file map glyphs, in the order of the file. */
export const signsBeyond = (bytes: Uint8Array): ReadonlyArray<string> => {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found = new Set<string>()
  let at = whole.indexOf("stream")
  for (let count = 0; at >= 0 && count < streamsMax; count++) {
    const start = whole[at + 6] === 13 ? at + 8 : at + 7
    const end = whole.indexOf("endstream", start)
    if (end < 0) break
    const table = unicodeTable(whole, at, start, end)
    for (const [, hex = ""] of table.matchAll(pair))
      for (const sign of Buffer.from(hex, "hex").swap16().toString("utf16le")) if (sign.length > 1) found.add(sign)
    at = whole.indexOf("stream", end + 9)
  }
  return [...found]
}

/** A table that maps glyphs to signs; empty for other streams. */
const unicodeTable = (whole: Buffer, at: number, start: number, end: number): string => {
  const head = whole.subarray(Math.max(0, at - 300), at).toString("latin1")
  const entry = head.slice(head.lastIndexOf(" obj") + 1)
  if (/\/(?:Subtype|Type)\s*\//.test(entry.replace(/\/Type\s*\/CMap/, ""))) return ""
  const raw = whole.subarray(start, end)
  if (!entry.includes("/FlateDecode")) return raw.length < bytesMax && raw.includes("begincmap") ? raw.toString("latin1") : ""
  const text = (packed: Buffer): string => {
    try {
      return inflateSync(packed, { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: bytesMax }).toString("latin1")
    } catch {
      return ""
    }
  }
  return /CIDInit|begincmap/.test(text(raw.subarray(0, headBytes))) ? text(raw) : ""
}
