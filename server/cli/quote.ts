import { plainText } from "../../core/files/markdown/index.js"
import { analyse } from "../../core/language/tokenization/index.js"
import type { Stretch } from "./highlight.js"
import { clean, cleanLine } from "./text.js"

/** Most characters of a passage that are shown on either side of what carries a claim. */
const aroundMax = 160
/** A claim in other words than its source: the sentence must share this part of its words to be shown as the one. */
const likeEnough = 0.4

/** The part of a passage that carries claims, a line for each block, and where in it the sentences stand. */
export interface Carrier {
  readonly text: string
  readonly sentences: ReadonlyArray<Stretch>
}

/**
 * Finds what claims rest on: each claim word for word where it stands in the document, else the sentence of the
 * snippet that shares most of its words. Shows that with some text around; where nothing fits, the snippet.
 */
export const carrier = (claims: ReadonlyArray<string>, snippet: string, document: string): Carrier => {
  const wanted = claims
    .map((claim) => cleanLine(claim.replace(/(?<!\s)\s*\[[SD]\d+\]/g, "")))
    .filter((claim) => claim !== "")
  const text = plain(document)
  const verbatim = wanted.flatMap((claim) => {
    const start = text.indexOf(claim)
    return start === -1 ? [] : [{ start, end: start + claim.length }]
  })
  if (verbatim.length > 0 && verbatim.length === wanted.length) return cutOut(text, verbatim)
  const short = cleanLine(snippet)
  return { text: short, sentences: wanted.flatMap((claim) => likest(short, claim)) }
}

/** The stretches with some text on either side; what lies far between two of them is left out. */
const cutOut = (text: string, stretches: ReadonlyArray<Stretch>): Carrier => {
  const spans: Array<Stretch> = []
  for (const { end, start } of [...stretches].sort((a, b) => a.start - b.start)) {
    // No further than the paragraph, the item or the row.
    const [first, close] = [text.lastIndexOf("\n", start - 1) + 1, lineEnd(text, end)]
    const from = start - first <= aroundMax ? first : afterBlank(text, start - aroundMax)
    const to = close - end <= aroundMax ? close : beforeBlank(text, end + aroundMax)
    const last = spans.at(-1)
    if (last !== undefined && from <= last.end) {
      spans.splice(-1, 1, { start: last.start, end: Math.max(last.end, to) })
    } else spans.push({ start: from, end: to })
  }
  let shown = ""
  const sentences: Array<Stretch> = []
  for (const span of spans) {
    const startsLine = span.start === 0 || text[span.start - 1] === "\n"
    const endsLine = lineEnd(text, span.end) === span.end
    shown += `${shown === "" ? "" : "\n"}${startsLine ? "" : "… "}`
    const shift = shown.length - span.start
    const within = stretches.filter(({ end, start }) => start >= span.start && end <= span.end)
    sentences.push(...within.map(({ end, start }) => ({ start: start + shift, end: end + shift })))
    shown += `${text.slice(span.start, span.end)}${endsLine ? "" : " …"}`
  }
  return { text: shown, sentences }
}

/** Returns the end of the line at this offset. */
const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf("\n", at)
  return end === -1 ? text.length : end
}

/** Returns Markdown as displayed text, one line per block. */
const plain = (markdown: string): string =>
  clean(plainText(markdown))
    .split("\n")
    .map((line) => line.replace(/\s+/g, " ").trim())
    .filter((line) => line !== "")
    .join("\n")

const likest = (text: string, claim: string): ReadonlyArray<Stretch> => {
  const wanted = new Set(analyse(claim).map(({ term }) => term))
  if (wanted.size === 0) return []
  const best = sentencesOf(text)
    .map((stretch) => {
      const terms = new Set(analyse(text.slice(stretch.start, stretch.end)).map(({ term }) => term))
      return { stretch, share: [...wanted].filter((term) => terms.has(term)).length / wanted.size }
    })
    .sort((a, b) => b.share - a.share)[0]
  return best !== undefined && best.share >= likeEnough ? [best.stretch] : []
}

const sentencesOf = (text: string): ReadonlyArray<Stretch> =>
  [...new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text)].map(({ index, segment }) => ({
    start: index,
    end: index + segment.trimEnd().length
  }))

const afterBlank = (text: string, at: number): number => {
  const blank = text.slice(at).search(/\s/)
  return blank === -1 ? at : at + blank + 1
}

const beforeBlank = (text: string, at: number): number => {
  const blank = Math.max(text.lastIndexOf(" ", at), text.lastIndexOf("\n", at))
  return blank === -1 ? at : blank
}
