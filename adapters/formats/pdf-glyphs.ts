/**
 * Raised digits by the base line and size of each sign. The library's smallest boxes are those of words, in which a
 * raised digit is glued to what stands before it; PDFium, as WebAssembly, tells where each sign stands.
 */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import type { WrappedPdfiumModule } from "@embedpdf/pdfium"
import { normalForm } from "../../core/platform/kernel/index.js"

/** A raised number, with signs of the text before and after it, blanks left out. */
interface RaisedNumber {
  readonly raised: string
  readonly before: string
  readonly after: string
}

/** The text of a page as PDFium reads it, and the raised numbers in it. */
export interface GlyphPage {
  readonly text: string
  readonly numbers: ReadonlyArray<RaisedNumber>
}

interface Glyph {
  readonly sign: string
  /** The place among all signs of the page. */
  readonly at: number
}

interface Box {
  readonly left: number
  readonly right: number
  /** The heights of its base line and of its lowest ink, upwards. */
  readonly line: number
  readonly ink: number
  readonly height: number
}

/** Signs of a page that are looked at. */
const signsMax = 50_000

let library: Promise<WrappedPdfiumModule | null> | null = null

/** PDFium; null where it is not installed. */
const pdfium = (): Promise<WrappedPdfiumModule | null> => {
  library ??= loaded()
  return library
}

const loaded = async (): Promise<WrappedPdfiumModule | null> => {
  try {
    const { init } = await import("@embedpdf/pdfium")
    const file = createRequire(import.meta.url).resolve("@embedpdf/pdfium/pdfium.wasm")
    const wasmBinary = await readFile(file)
    const made = await init({ wasmBinary: new Uint8Array(wasmBinary).buffer })
    made.PDFiumExt_Init()
    return made
  } catch {
    return null
  }
}

/** Some pages by their numbers; null where PDFium is not installed or cannot read the file. */
export const glyphPages = async (
  bytes: Uint8Array,
  pages: ReadonlyArray<number>
): Promise<ReadonlyMap<number, GlyphPage> | null> => {
  const lib = pages.length === 0 ? null : await pdfium()
  if (lib === null) return null
  const { wasmExports } = lib.pdfium
  const file = wasmExports.malloc(bytes.length)
  // Memory that grew is another array.
  memoryOf(lib).set(bytes, file)
  const document = lib.FPDF_LoadMemDocument(file, bytes.length, "")
  try {
    if (document === 0) return null
    return new Map(pages.map((number) => [number, pageOf(lib, document, number - 1)]))
  } finally {
    if (document !== 0) lib.FPDF_CloseDocument(document)
    wasmExports.free(file)
  }
}

/** The memory of PDFium, which its types leave out. */
const memoryOf = (lib: WrappedPdfiumModule): Uint8Array => {
  const memory: unknown = Reflect.get(lib.pdfium, "HEAPU8")
  if (!(memory instanceof Uint8Array)) throw new TypeError("PDFium gives no memory.")
  return memory
}

const pageOf = (lib: WrappedPdfiumModule, document: number, page: number): GlyphPage => {
  const handle = lib.FPDF_LoadPage(document, page)
  if (handle === 0) return { text: "", numbers: [] }
  const text = lib.FPDFText_LoadPage(handle)
  const { wasmExports } = lib.pdfium
  const place = wasmExports.malloc(64)
  try {
    const glyphs: Array<Glyph> = []
    let read = ""
    const count = Math.min(signsMax, lib.FPDFText_CountChars(text))
    for (let at = 0; at < count; at++) {
      const code = lib.FPDFText_GetUnicode(text, at)
      if (code > 0x10ffff) continue
      const sign = String.fromCodePoint(code)
      read += sign
      if (code > 32 && code !== 0xa0) glyphs.push({ sign, at })
    }
    const boxOf = ({ at, sign }: Glyph): Box => {
      lib.FPDFText_GetCharOrigin(text, at, place, place + 8)
      lib.FPDFText_GetLooseCharBox(text, at, place + 16)
      const isDigit = digit.test(sign)
      if (isDigit) lib.FPDFText_GetCharBox(text, at, place + 32, place + 40, place + 48, place + 56)
      const view = new DataView(memoryOf(lib).buffer, place, 64)
      const line = view.getFloat64(8, true)
      return {
        left: view.getFloat32(16, true),
        right: view.getFloat32(24, true),
        line,
        // Some fonts have raised digits that stand on the line.
        ink: isDigit ? view.getFloat64(48, true) : line,
        height: view.getFloat32(20, true) - view.getFloat32(28, true)
      }
    }
    return { text: read, numbers: numbersOf(glyphs, boxOf) }
  } finally {
    wasmExports.free(place)
    lib.FPDFText_ClosePage(text)
    lib.FPDF_ClosePage(handle)
  }
}

/** By how much a raised sign stands above its line, and how far from the sign before it, as shares of its height. */
const [riseLeast, riseMost, gapMost] = [0.12, 0.65, 0.12]
const digit = /\d/
const isNumeral = (glyph: Glyph | undefined): boolean => /^[\d+\-−–.]$/.test(glyph?.sign ?? "")

/** Whether a sign follows another without a gap. */
const follows = (before: Box, next: Box): boolean =>
  next.left - before.right < gapMost * before.height && before.right - next.left < 0.3 * before.height

const isOnLine = (one: Box, other: Box): boolean => Math.abs(one.line - other.line) < 0.05 * one.height

/** Whether a digit stands above the line of another sign, as a raised one. */
const isUp = ({ height, ink }: Box, base: Box): boolean => {
  const rise = ink - base.line
  return height < 1.02 * base.height && rise > riseLeast * base.height && rise < riseMost * base.height
}

const numbersOf = (
  glyphs: ReadonlyArray<Glyph>,
  boxOf: (glyph: Glyph) => Box
): ReadonlyArray<RaisedNumber> => {
  const known = new Map<Glyph, Box>()
  const box = (glyph: Glyph): Box => {
    const found = known.get(glyph) ?? boxOf(glyph)
    known.set(glyph, found)
    return found
  }
  return glyphs.flatMap((glyph, at): ReadonlyArray<RaisedNumber> => {
    // The sign before it in the text, which may be drawn as another line.
    const base = glyphs[at - 1]
    const first = digit.test(glyph.sign) ? glyph : glyphs[at + 1]
    if (base === undefined || first === undefined || !isNumeral(glyph) || !digit.test(first.sign)) return []
    if (!/[\p{L}\p{N})\]%"”’.,]/u.test(base.sign)) return []
    const [under, over] = [box(base), box(glyph)]
    if (under.ink - under.line >= riseLeast * under.height) return []
    if (!follows(under, over) || !isUp(box(first), under)) return []
    let end = at
    for (let next = glyphs[end + 1]; next !== undefined && isNumeral(next); next = glyphs[end + 1]) {
      const last = box(glyphs[end] ?? glyph)
      const own = box(next)
      if (!isOnLine(last, own) || !follows(last, own) || (digit.test(next.sign) && !isUp(own, under))) break
      end += 1
    }
    const run = signsOf(glyphs.slice(at, end + 1))
    const raised = /^[+\-−–]?\d{1,3}(?:\.\d{1,2})?/.exec(run)?.[0] ?? ""
    const [last, next] = [glyphs[end], glyphs[end + 1]]
    // The upper part of a fraction, and ordinals such as 2nd, are no exponents.
    const isPart =
      last !== undefined &&
      next !== undefined &&
      /[⁄/\p{L}]/u.test(next.sign) &&
      follows(box(last), box(next)) &&
      (!/\p{L}/u.test(next.sign) || isOnLine(over, box(next)))
    if (raised === "" || raised.length < run.replace(/\.$/, "").length || isPart) return []
    return [
      {
        raised,
        before: signsOf(glyphs.slice(Math.max(0, at - aroundMax), at)),
        after: signsOf(glyphs.slice(end + 1, end + 1 + aroundMax))
      }
    ]
  })
}

/** Signs before and after a raised number by which its place is found; fewer where the text has others beside it. */
const aroundMax = 16
const around = [
  [16, 8],
  [8, 8],
  [8, 4],
  [16, 0],
  [4, 4],
  [8, 0],
  [4, 0],
  [2, 2]
] as const

const signsOf = (glyphs: ReadonlyArray<Glyph>): string => glyphs.map(({ sign }) => sign).join("")
const flat = (text: string): string =>
  normalForm(text, "NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "")

/** A text with its raised numbers as `10^6`, and whether each was found in it. */
export const withRaisedNumbers = (
  text: string,
  numbers: ReadonlyArray<RaisedNumber>
): { readonly text: string; readonly isCertain: boolean } => {
  if (numbers.length === 0) return { text: withFractions(text), isCertain: true }
  const places: Array<number> = []
  let letters = ""
  let at = 0
  for (const sign of text) {
    const own = flat(sign)
    letters += own
    for (let unit = 0; unit < own.length; unit++) places.push(at)
    at += sign.length
  }
  const marks = new Set<number>()
  let isCertain = true
  for (const number of numbers) {
    const place = placeOf(letters, number, (found) => marks.has(places[found] ?? -1))
    if (place === null) isCertain = false
    else marks.add(places[place] ?? 0)
  }
  let result = text
  for (const mark of [...marks].sort((a, b) => b - a)) {
    const head = result.slice(0, mark)
    const sign = /\\?[+\-−–]$/.exec(head)?.[0] ?? ""
    const before = head.slice(0, head.length - sign.length)
    // The text may have the digits with a blank before them, and the mark already.
    if (/[\^(]$/.test(before)) continue
    result = `${before.replace(/(?<=[^\s|]) $/, "")}^${sign.replace("\\", "")}${result.slice(mark)}`
  }
  return { text: withFractions(result), isCertain }
}

const withFractions = (text: string): string => text.replace(/(?<=\d) ?⁄ ?(?=\d)/g, "⁄")

/**
 * Returns the offset in `letters` at which the digits of a raised number begin: the one place whose surrounding text
 * agrees. Null when no place agrees, or several with different surroundings.
 */
const placeOf = (
  letters: string,
  { after, before, raised }: RaisedNumber,
  isTaken: (place: number) => boolean
): number | null => {
  const [lead, tail, own] = [flat(before), flat(after), flat(raised)]
  for (const [left, right] of around) {
    const head = lead.slice(-left)
    const sought = head + own + tail.slice(0, right)
    const found: Array<number> = []
    for (let at = letters.indexOf(sought); at >= 0; at = letters.indexOf(sought, at + 1)) {
      const place = at + head.length
      if (!isTaken(place)) found.push(place)
    }
    const [only] = found
    if (found.length === 1 && only !== undefined) return only
    // Alike places with alike text around them are marked in their turn.
    if (found.length > 1 && left + right >= 16) return only ?? null
    if (found.length > 1) return null
  }
  return null
}
