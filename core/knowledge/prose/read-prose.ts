import { sentences } from "../../language/text-analysis/index.js"
import type { NamedInProse, NameSpan, ProseFacts, StatedRelation } from "./model.js"
import { nameSpans } from "./name-spans.js"
import { relationsIn, type Skeleton } from "./relations.js"
import { taggedWords } from "./tagged-words.js"
import { thingsIn } from "./things.js"

/** A piece of running text: a paragraph, an item of a list. Offsets into the whole text. */
export interface Piece {
  readonly start: number
  readonly end: number
}

interface Sentence {
  readonly start: number
  readonly end: number
  /** The piece that it stands in. */
  readonly piece: number
  readonly spans: ReadonlyArray<NameSpan>
}

/**
 * Reads the names and relations in English prose. `small` tells whether the text has a word in small letters, `isCode`
 * whether a name that starts at an offset is written as code, which shows nothing of its type. Equal texts give equal results. Linear in the length: some 20,000 words a second.
 */
export const readProse = (
  text: string,
  pieces: ReadonlyArray<Piece>,
  small: (word: string) => boolean,
  isCode: (start: number) => boolean = () => false
): ProseFacts => {
  const found: Array<Omit<Sentence, "spans">> = []
  for (const [piece, { end: pieceEnd, start: pieceStart }] of pieces.entries())
    for (const { end, start } of sentences(text.slice(pieceStart, pieceEnd)))
      if (end - start <= sentenceMax) found.push({ start: pieceStart + start, end: pieceStart + end, piece })
  const texts = found.map(({ end, start }) => text.slice(start, end))
  const tagged = taggedWords(texts, small)
  const read = found.map(
    (sentence, place): Sentence => ({
      ...sentence,
      spans: nameSpans(texts[place] ?? "", tagged[place] ?? [], small).map((span) => ({
        ...span,
        type: isCode(span.start + sentence.start) ? null : span.type,
        start: span.start + sentence.start,
        end: span.end + sentence.start
      }))
    })
  )
  const spans = read.flatMap((one) => one.spans)
  const { thingOf, things } = thingsIn(text, spans)
  const relations: Array<StatedRelation> = []
  let [first, before]: [number, Sentence | null] = [0, null]
  let antecedents: ReadonlyArray<number> = []
  for (const sentence of read) {
    if (before === null || before.piece !== sentence.piece) antecedents = []
    const own = thingOf.slice(first, first + sentence.spans.length)
    first += sentence.spans.length
    const skeleton = skeletonOf(text, sentence, own, antecedents, things)
    relations.push(...relationsIn(skeleton, things))
    const named = [...skeleton.text.matchAll(/⟨(\d+)⟩/gu)].map(([, number]) => Number(number))
    if (named.length > 0) antecedents = named
    before = sentence
  }
  return { names: things, relations }
}

/** A longer sentence is a list or a table without stops. */
const sentenceMax = 1000

/** Replaces the names of a sentence, and a pronoun at its start, by the numbers of what they mean. */
const skeletonOf = (
  text: string,
  { end, spans, start }: Sentence,
  own: ReadonlyArray<number | null>,
  antecedents: ReadonlyArray<number>,
  things: ReadonlyArray<NamedInProse>
): Skeleton => {
  const pieces: Array<string> = []
  let at = start
  for (const [place, span] of spans.entries()) {
    const thing = own[place] ?? null
    if (thing === null) continue
    pieces.push(text.slice(at, span.start).toLowerCase(), `⟨${thing}⟩`)
    at = span.end
  }
  pieces.push(text.slice(at, end).toLowerCase())
  const plain = pieces
    .join("")
    .replace(/’/gu, "'")
    .replace(/\s+/gu, " ")
    .replace(/^the (?=⟨)/u, "")
  return { text: withoutInnerPronoun(withoutPronoun(plain, antecedents, things), things), start, end }
}

/** Replaces "he" and "she" of a later clause by the first person of the sentence. */
const withoutInnerPronoun = (text: string, things: ReadonlyArray<NamedInProse>): string => {
  if (!/ (?:he|she) /u.test(text)) return text
  const first = [...text.matchAll(/⟨(\d+)⟩/gu)].find(
    ([, number]) => things[Number(number)]?.type === "person"
  )
  return first === undefined
    ? text
    : text.replace(/(?<=⟩.*(?:,|;| and| but| while| when| where)(?: now)? )(?:he|she)(?= )/u, first[0])
}

const pronoun =
  /^(he|she|it|his|her|its|the (?:company|group|firm|airline|bank|club|newspaper|alliance|organi[sz]ation|agency)(?:'s)?)(?= )/u

/** Returns the sentence with what the pronoun at its start means: the first fitting name of the sentence before. */
const withoutPronoun = (
  text: string,
  antecedents: ReadonlyArray<number>,
  things: ReadonlyArray<NamedInProse>
): string => {
  const word = pronoun.exec(text)?.[1]
  if (word === undefined) return text
  const isPerson = /^(?:he|she|his|her)$/u.test(word)
  const isGroup = word.startsWith("the ")
  const antecedent = antecedents.find((thing) => {
    const type = things[thing]?.type ?? null
    if (isPerson) return type === "person"
    return isGroup ? type === "organization" : type !== "person"
  })
  if (antecedent === undefined) return text
  const isPossessive = /^(?:his|her|its)$|'s$/u.test(word)
  return `⟨${antecedent}⟩${isPossessive ? "'s" : ""}${text.slice(word.length)}`
}
