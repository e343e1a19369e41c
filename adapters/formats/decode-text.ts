import { createRequire } from "node:module"

/**
 * The text of bytes whose encoding is not known: by byte order mark, then as `charset` says, then as UTF-8, and as
 * detected where the bytes are not valid UTF-8.
 */
export const decodeText = (bytes: Uint8Array, charset: string | null = null): string => {
  const label = byteOrderMark(bytes) ?? guessedUtf16(bytes)
  if (label !== null) return decoded(bytes, label)
  if (charset !== null && isKnown(charset) && !/^utf-?8$/i.test(charset)) return decoded(bytes, charset)
  try {
    return clean(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    return decoded(bytes, detectCharset(bytes))
  }
}

interface Chardet {
  readonly analyse: (
    bytes: Uint8Array
  ) => ReadonlyArray<{ readonly name: string; readonly confidence: number }>
}

/** Confidence from which on another charset than windows-1252 is believed, and bytes that are looked at. */
const [believedFrom, detectedBytes] = [30, 256 * 1024]

/** The charset of text in ASCII with other bytes; windows-1252 where nothing else is likely. */
export const detectCharset = (bytes: Uint8Array): string => {
  const sample = bytes.subarray(0, detectedBytes)
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(sample, { stream: true })
    return "utf-8"
  } catch {
    const chardet: Chardet = createRequire(import.meta.url)("chardet")
    const guesses = chardet.analyse(sample)
    const western = guesses.find(({ name }) => /^(?:iso-8859-1|windows-1252)$/i.test(name))
    const [best] = guesses.filter(({ name }) => isKnown(name) && !/^utf-/i.test(name))
    if (best === undefined || best.confidence < believedFrom) return "windows-1252"
    // Short texts in western languages look like others, too.
    return western !== undefined && western.confidence + 15 >= best.confidence ? "windows-1252" : best.name
  }
}

const byteOrderMark = (bytes: Uint8Array): string | null =>
  bytes[0] === 0xff && bytes[1] === 0xfe
    ? "utf-16le"
    : bytes[0] === 0xfe && bytes[1] === 0xff
      ? "utf-16be"
      : null

/** UTF-16 without a mark: every other byte of the beginning is zero, as in Latin text. */
const guessedUtf16 = (bytes: Uint8Array): string | null => {
  const start = bytes.subarray(0, 200)
  if (start.length < 8) return null
  const zeros = [0, 0]
  for (const [place, byte] of start.entries()) if (byte === 0) zeros[place % 2] = (zeros[place % 2] ?? 0) + 1
  const half = start.length / 2
  if ((zeros[1] ?? 0) > half * 0.7 && zeros[0] === 0) return "utf-16le"
  return (zeros[0] ?? 0) > half * 0.7 && zeros[1] === 0 ? "utf-16be" : null
}

const isKnown = (charset: string): boolean => {
  try {
    new TextDecoder(charset)
    return true
  } catch {
    return false
  }
}

const decoded = (bytes: Uint8Array, label: string): string =>
  clean(withWindowsSigns(new TextDecoder(label).decode(bytes)))

const windowsSigns = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"

/** Node 20 reads windows-1252 as Latin-1, which has control characters in place of these signs. */
export const withWindowsSigns = (text: string): string =>
  text.replace(/[\u0080-\u009f]/g, (sign) => windowsSigns[sign.charCodeAt(0) - 0x80] ?? sign)

/** Line ends as in Unix; no NUL, which no document may hold. */
const clean = (text: string): string => text.replace(/\r\n?/g, "\n").replaceAll("\0", "").toWellFormed()
