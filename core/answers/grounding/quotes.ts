import type { Claim, Evidence, EvidencePassage, Quote } from "../evidence/index.js"
import { ClaimReader, type WindowUnit } from "./windows.js"

/** Minimum alignment of words that are shown as what a claim rests on. */
const quotedMin = 0.3

/**
 * Returns the words of each cited source that carry a claim best, as offsets in its document: those of the units that
 * the check compares the claim with.
 */
export const quotesOf = ({ citations, text }: Claim, evidence: Evidence): Array<Quote> => {
  const reader = new ClaimReader(text, evidence)
  return [...new Set(citations)].flatMap((id) => {
    const source = evidence.sources.find((one) => one.id === id)
    if (source === undefined) return []
    const [best] = [...reader.windowsOf(id)].sort(
      (a, b) =>
        Number(b.verbatim) - Number(a.verbatim) ||
        b.alignment - a.alignment ||
        a.pieces.length - b.pieces.length
    )
    if (best === undefined || best.alignment < quotedMin) return []
    const pieces = new Set<WindowUnit>(best.pieces)
    const units = source.units.filter((unit) => pieces.has(unit))
    const found =
      units.length > 0
        ? units
        : source.units.filter((unit) => best.pieces.some((piece) => piece.text.includes(unit.text)))
    if (found.length === 0) return []
    const start = Math.min(...found.map((unit) => unit.start))
    const end = Math.max(...found.map((unit) => unit.end))
    return [{ sourceId: id, ...inDocument(source, start, end) }]
  })
}

/** The passage as it is compared may lack what is struck out, so its words are looked for in the stored one. */
const inDocument = ({ stored, text }: EvidencePassage, start: number, end: number) => {
  const at = stored.text.startsWith(text.slice(0, end)) ? start : stored.text.indexOf(text.slice(start, end))
  return at < 0
    ? { start: stored.start, end: stored.end }
    : { start: stored.start + at, end: stored.start + at + end - start }
}
