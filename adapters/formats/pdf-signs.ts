/** Signs that the PDF library leaves out: all beyond U+FFFF, as letters of formulas and emoji. Fonts say which they hold. */
import { inflateSync, constants as zlib } from "node:zlib"

/** Streams that are looked at, and bytes of a table of signs. */
const [streamsMax, bytesMax] = [20_000, 1024 * 1024]
/** Packed bytes that show what a stream is. */
const headBytes = 128
/** Fonts whose tables are looked for one by one. */
const fontsMax = 2000
const pair = /<((?:[0-9a-f]{4})*d[89ab][0-9a-f]{2}d[c-f][0-9a-f]{2}(?:[0-9a-f]{4})*)>/gi

/** Signs beyond U+FFFF to which the fonts of a file map glyphs, in the order of the file. */
export const signsBeyond = (bytes: Uint8Array): ReadonlyArray<string> => {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found = new Set<string>()
  for (const table of unicodeTables(whole))
    for (const [, hex = ""] of table.matchAll(pair))
      for (const sign of Buffer.from(hex, "hex").swap16().toString("utf16le"))
        if (sign.length > 1) found.add(sign)
  return [...found]
}

/** The tables that map glyphs to signs: those that fonts name, or all of a file whose fonts are packed with others. */
const unicodeTables = (whole: Buffer): ReadonlyArray<string> => {
  const starts = new Set<number>()
  let named = 0
  for (let at = whole.indexOf("/ToUnicode"); at >= 0; at = whole.indexOf("/ToUnicode", at + 10)) {
    named += 1
    const reference = /^\/ToUnicode\s+(\d+)\s/.exec(whole.subarray(at, at + 40).toString("latin1"))?.[1]
    const object = reference === undefined ? -1 : whole.indexOf(`\n${reference} 0 obj`)
    const stream = object < 0 ? -1 : whole.indexOf("stream", object)
    if (stream >= 0) starts.add(stream)
    if (named >= fontsMax) break
  }
  if (starts.size === 0 || whole.includes("/ObjStm"))
    for (let at = whole.indexOf("stream"); at >= 0 && starts.size < streamsMax; ) {
      starts.add(at)
      const end = whole.indexOf("endstream", at)
      at = end < 0 ? -1 : whole.indexOf("stream", end + 9)
    }
  return [...starts].map((at) => {
    const start = whole[at + 6] === 13 ? at + 8 : at + 7
    const end = whole.indexOf("endstream", start)
    return end < 0 ? "" : unicodeTable(whole, at, start, end)
  })
}

/** A table that maps glyphs to signs; empty for other streams. */
const unicodeTable = (whole: Buffer, at: number, start: number, end: number): string => {
  const head = whole.subarray(Math.max(0, at - 300), at).toString("latin1")
  const entry = head.slice(head.lastIndexOf(" obj") + 1)
  if (/\/(?:Subtype|Type)\s*\//.test(entry.replace(/\/Type\s*\/CMap/, ""))) return ""
  const raw = whole.subarray(start, end)
  if (!entry.includes("/FlateDecode"))
    return raw.length < bytesMax && raw.includes("begincmap") ? raw.toString("latin1") : ""
  const text = (packed: Buffer): string => {
    try {
      return inflateSync(packed, { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: bytesMax }).toString(
        "latin1"
      )
    } catch {
      return ""
    }
  }
  return /CIDInit|begincmap/.test(text(raw.subarray(0, headBytes))) ? text(raw) : ""
}
