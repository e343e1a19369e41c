import {
  alignedPlaces,
  holdsAntonym,
  opposes,
  replacedSlots,
  type Term,
  TermSet
} from "../../language/text-analysis/index.js"
import { type Value, valueEntails } from "../../language/values/index.js"
import { bindingsOf } from "./like-values.js"
import { type ClaimReader, perPiece, type WindowUnit } from "./windows.js"

/** Minimum share of a claim's words in the same order as in the evidence, for the claim to follow it word for word. */
const followsMin = 0.6
/** A longer slot is another wording, not a replaced word. */
const slotMax = 4

/** A word that a claim replaces while it otherwise follows its evidence. */
export interface Replacement {
  readonly kind: "name" | "value" | "opposite"
  /** See `followingOf`. */
  readonly follows: number
}

/**
 * Returns the replaced name or value, or the word replaced by its opposite; undefined when there is none, or when the
 * claim does not follow the evidence.
 */
export const replacedIn = (claim: ClaimReader, nearest: WindowUnit): Replacement | undefined => {
  const follows = followingOf(claim, nearest)
  if (follows >= opposesMin && isTurned(claim.text, nearest.text)) return { kind: "opposite", follows }
  const [claimTerms, given] = [claim.termsOf(claim.text), claim.termsOf(nearest.text)]
  const pairs = paired(claimTerms, given)
  if (pairs.length < Math.max(2, followsMin * claimTerms.length)) return undefined
  const kind = kindOf(claim, nearest, claimTerms, given, pairs)
  return kind === undefined ? undefined : { kind, follows }
}

/** Returns the share of the claim's words, stop words included, that occur in the piece in the same order, 0 to 1. */
export const followingOf = perPiece(({ text }, piece) => {
  const claimTerms = wordsOf(text)
  return alignedPlaces(claimTerms, wordsOf(piece.text)).length / Math.max(1, claimTerms.length)
})

/** Minimum alignment for opposites: they are common words, so more of the rest must agree. */
const opposesMin = 0.75
const turnedMax = 2

/** Whether one text has a word ("largest", "above") where the other has its opposite. */
const isTurned = (claim: string, evidence: string): boolean => {
  const [claimTerms, given] = [wordsOf(claim), wordsOf(evidence)]
  return replacedSlots(alignedPlaces(claimTerms, given), claimTerms.length, given.length).some(({ a, b }) => {
    const [ours, theirs] = [claimTerms.slice(...a), given.slice(...b)]
    if (ours.length > turnedMax || theirs.length > turnedMax) return false
    const [one, other] = [ours.join(" "), theirs.join(" ")]
    return opposes(one, other) || holdsAntonym(one, other)
  })
}

/** Minimum share of the claim's words that follow the piece, for its opening to be compared. */
const openingMin = 0.4

/** Words at the beginning of a claim, and the words of the evidence in their place. */
export interface ReplacedOpening {
  readonly ours: ReadonlyArray<Term>
  readonly theirs: ReadonlyArray<Term>
}

/**
 * Returns the words at the beginning of the claim that stand in the place of other words at the beginning of the piece;
 * undefined when both begin alike or the claim does not follow the piece.
 */
export const replacedOpening = (claim: ClaimReader, piece: WindowUnit): ReplacedOpening | undefined => {
  const [claimTerms, given] = [claim.termsOf(claim.text), claim.termsOf(piece.text)]
  const pairs = paired(claimTerms, given)
  if (pairs.length < Math.max(1, openingMin * claimTerms.length)) return undefined
  const slot = replacedSlots(pairs, claimTerms.length, given.length).find(
    ({ a, b }) => a[0] === 0 && b[0] === 0
  )
  if (slot === undefined || slot.a[1] > slotMax || slot.b[1] > slotMax) return undefined
  const [theirs, own] = [given.slice(...slot.b), new TermSet(claimTerms.map(({ term }) => term))]
  // A word that the piece has elsewhere is only placed differently.
  const isReplaced = theirs.every(({ term }) => own.match(term, claim.language) < 0.6)
  const isSaid = ({ surface, term }: Term) =>
    piece.set.match(term, claim.language) >= 0.6 ||
    theirs.some((other) => claim.relationOf(surface, other.surface) === "same")
  const ours = claimTerms.slice(...slot.a).filter((term) => !isSaid(term))
  return isReplaced && ours.length > 0 ? { ours, theirs } : undefined
}

const wordsOf = (text: string): ReadonlyArray<string> =>
  text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

const paired = (claimTerms: ReadonlyArray<Term>, given: ReadonlyArray<Term>) =>
  alignedPlaces(
    claimTerms.map(({ term }) => term),
    given.map(({ term }) => term)
  )

const kindOf = (
  claim: ClaimReader,
  nearest: WindowUnit,
  claimTerms: ReadonlyArray<Term>,
  given: ReadonlyArray<Term>,
  pairs: ReturnType<typeof paired>
): Replacement["kind"] | undefined => {
  const names = claim.names.map(({ text }) => text)
  const rivals = claim.anchorsOf(nearest.text).flatMap(({ kind, text }) => (kind === "name" ? [text] : []))
  const bindings = bindingsOf(claim, nearest)
  // A value that the evidence has beside the same words, too, replaces none.
  const open = claim.values.filter((value) => bindings.get(value) !== "bound")
  for (const { a, b } of replacedSlots(pairs, claimTerms.length, given.length)) {
    const [ours, theirs] = [claimTerms.slice(...a), given.slice(...b)]
    if (ours.length > slotMax || theirs.length > slotMax) continue
    if (isOtherValue(valuesIn(open, ours), valuesIn(nearest.values, theirs))) return "value"
    const strange = ours.filter(
      ({ term }) => new TermSet(theirs.map((one) => one.term)).match(term, claim.language) < 0.6
    )
    const missing = theirs.filter((term) => isLost(claim, term, claimTerms, given))
    if (strange.some(isPartOf(names)) && missing.some(isPartOf(rivals))) return "name"
  }
  return undefined
}

/** Whether the claim lacks the word, or has it less often than the evidence. */
const isLost = (
  { language }: ClaimReader,
  { term }: Term,
  claimTerms: ReadonlyArray<Term>,
  given: ReadonlyArray<Term>
): boolean => {
  const times = (terms: ReadonlyArray<Term>) => terms.filter((one) => one.term === term).length
  return (
    new TermSet(claimTerms.map((one) => one.term)).match(term, language) < 0.6 ||
    (times(claimTerms) > 0 && times(claimTerms) < times(given))
  )
}

const isPartOf =
  (names: ReadonlyArray<string>) =>
  ({ surface }: Term): boolean =>
    /^\p{Lu}/u.test(surface) && names.some((name) => name.split(/[\s-]+/u).includes(surface))

const valuesIn = (values: ReadonlyArray<Value>, terms: ReadonlyArray<Term>): ReadonlyArray<Value> =>
  values.filter(({ end, start }) => terms.some((term) => term.start < end && start < term.end))

/** Whether a value stands in the place of a different value of the same kind. */
const isOtherValue = (ours: ReadonlyArray<Value>, theirs: ReadonlyArray<Value>): boolean =>
  ours.some((value) => {
    const alike = theirs.filter((other) => other.kind === value.kind)
    return alike.length > 0 && !theirs.some((other) => valueEntails(other, value))
  })
