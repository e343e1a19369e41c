/** Tells which of several values of one kind in a sentence a claim is about. */
import { alignedPlaces, replacedSlots, type Term } from "../../language/text-analysis/index.js"
import { type Value, valueEntails } from "../../language/values/index.js"
import { type ClaimReader, perPiece, type WindowUnit } from "./windows.js"

/**
 * Returns how the words of a claim bind each of its values to its part of a unit that has several values of a kind, such
 * as "ten days for immediate and three days for extended family". `crossed` where the claim has a word that stands beside
 * another value and lacks the word in its place ("ten days for extended family"), `bound` where it is the reverse, `open`
 * where the words do not tell.
 */
export const bindingsOf = perPiece((claim, piece): ReadonlyMap<Value, Binding> => {
  const taken = new Set<Value>()
  const bindings = claim.values.map((value): readonly [Value, Binding] => {
    const owns = piece.values.filter((other) => valueEntails(other, value) && !taken.has(other))
    const rivals = piece.values.filter((other) => isLike(other, value) && !valueEntails(other, value))
    // Where the sentence has the value twice, the claim is about the place that its words fit.
    const found = owns.map(
      (own) => [own, worst(rivals.map((rival) => bindingBeside(claim, piece, value, own, rival)))] as const
    )
    const [own, binding] = found.find(([, one]) => one !== "crossed") ?? found[0] ?? []
    if (own !== undefined) taken.add(own)
    return [value, binding ?? "open"]
  })
  return new Map(bindings)
})

type Binding = "bound" | "crossed" | "open"

const worst = (bindings: ReadonlyArray<Binding>): Binding =>
  (["crossed", "bound"] as const).find((one) => bindings.includes(one)) ?? "open"

/** Whether two values measure alike. */
export const isLike = (a: Value, b: Value): boolean =>
  a.kind === b.kind && (a.kind !== "quantity" || b.kind !== "quantity" || a.dimension === b.dimension)

const bindingBeside = (
  claim: ClaimReader,
  { text, values }: WindowUnit,
  value: Value,
  own: Value,
  rival: Value
): Binding => {
  const partOf = (whole: string, among: ReadonlyArray<Value>, one: Value): Part =>
    partsBetween(
      whole,
      among.filter((other) => isLike(other, own))
    ).find(({ end, start }) => start <= one.start && one.end <= end) ?? { start: 0, end: whole.length }
  const termsOf = (one: Value) => {
    const part = partOf(text, values, one)
    return claim
      .termsOf(text)
      .filter(({ end, start }) => start >= part.start && end <= part.end)
      .filter(({ end, start }) => !values.some((other) => other.start < end && start < other.end))
  }
  const [ours, theirs] = [termsOf(own), termsOf(rival)]
  const said = partOf(claim.text, claim.values, value)
  const set = claim.setOf(claim.text.slice(said.start, said.end))
  const isSaid = ({ term }: Term) => set.match(term, claim.language) >= sameWord
  const slots = replacedSlots(
    alignedPlaces(
      ours.map(({ term }) => term),
      theirs.map(({ term }) => term)
    ),
    ours.length,
    theirs.length
  ).map(({ a, b }) => [ours.slice(...a), theirs.slice(...b)] as const)
  // The words at the ends of a slot are parallel: "death of an immediate relative", "an extended relative".
  const isOnly = (these: ReadonlyArray<Term>, others: ReadonlyArray<Term>) =>
    [0, -1].some((end) => {
      const [one, other] = [these.at(end), others.at(end)]
      return one !== undefined && other !== undefined && isSaid(one) && !isSaid(other)
    })
  if (slots.some(([mine, other]) => isOnly(other, mine))) return "crossed"
  return slots.some(([mine, other]) => isOnly(mine, other)) ? "bound" : "open"
}
const sameWord = 0.6

interface Part {
  readonly start: number
  readonly end: number
}

/** Cuts a text between its values, where a clause begins: before a conjunction, else at a comma or bracket. */
const partsBetween = (text: string, values: ReadonlyArray<Value>): ReadonlyArray<Part> => {
  const sorted = [...values].sort((a, b) => a.start - b.start)
  const cuts = sorted.slice(1).flatMap((value, at) => {
    const from = sorted[at]?.end ?? 0
    const between = text.slice(from, value.start)
    const cut = [...between.matchAll(conjunction)].at(-1) ?? [...between.matchAll(pause)].at(-1)
    // "From May 1 to August 31" is one clause.
    return cut === undefined ? [] : [from + cut.index]
  })
  return [0, ...cuts].map((start, at) => ({ start, end: cuts[at] ?? text.length }))
}

/** Where the next clause of a sentence begins. */
export const conjunction =
  /;\s|\s(?:and|but|whereas|while|und|aber|sondern|während|et|mais|tandis|y|pero|sino)\s/gu
const pause = /[,:—–]\s|\s\(/gu
