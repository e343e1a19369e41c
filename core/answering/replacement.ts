import { alignedPlaces, replacedSlots } from "./alignment.js"
import { findAnchors } from "./anchors.js"
import { type Term, TermSet } from "./terms.js"
import { type Value, valueEntails } from "./values.js"
import type { ClaimReader, Piece } from "./windows.js"

/** A claim follows its evidence word for word when so many of its words stand there in the same order. */
const followsMin = 0.6
/** A longer slot is another wording, not another word. */
const slotMax = 4

/**
 * What a claim that follows its evidence word for word has put in the place of something else: another name or
 * another value. Undefined where it has not, or goes its own way.
 */
export const replacedIn = (claim: ClaimReader, nearest: Piece): "name" | "value" | undefined => {
  const [said, given] = [claim.termsOf(claim.text), claim.termsOf(nearest.text)]
  const pairs = alignedPlaces(
    said.map(({ term }) => term),
    given.map(({ term }) => term)
  )
  if (pairs.length < Math.max(2, followsMin * said.length)) return undefined
  const names = claim.names.map(({ text }) => text)
  const rivals = findAnchors(nearest.text, claim.language).flatMap(({ kind, text }) =>
    kind === "name" ? [text] : []
  )
  for (const { a, b } of replacedSlots(pairs, said.length, given.length)) {
    const [ours, theirs] = [said.slice(...a), given.slice(...b)]
    if (ours.length > slotMax || theirs.length > slotMax) continue
    if (isOtherValue(valuesIn(claim.values, ours), valuesIn(nearest.values, theirs))) return "value"
    const strange = ours.filter(
      ({ term }) => new TermSet(theirs.map((one) => one.term)).match(term, claim.language) < 0.6
    )
    const known = new TermSet(said.map(({ term }) => term))
    const missing = theirs.filter(({ term }) => known.match(term, claim.language) < 0.6)
    if (strange.some(isPartOf(names)) && missing.some(isPartOf(rivals))) return "name"
  }
  return undefined
}

const isPartOf =
  (names: ReadonlyArray<string>) =>
  ({ surface }: Term): boolean =>
    /^\p{Lu}/u.test(surface) && names.some((name) => name.split(/[\s-]+/u).includes(surface))

const valuesIn = (values: ReadonlyArray<Value>, terms: ReadonlyArray<Term>): ReadonlyArray<Value> =>
  values.filter(({ end, start }) => terms.some((term) => term.start < end && start < term.end))

/** A value stands where the evidence has one of its kind that does not carry it. */
const isOtherValue = (ours: ReadonlyArray<Value>, theirs: ReadonlyArray<Value>): boolean =>
  ours.some((value) => {
    const alike = theirs.filter((other) => other.kind === value.kind)
    return alike.length > 0 && !theirs.some((other) => valueEntails(other, value))
  })
