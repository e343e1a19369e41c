import { isFunctionWord } from "../../language/languages/index.js"
import {
  alignedPlaces,
  areOpposites,
  isLightWord,
  isPassive,
  type OpenWord,
  openWordsIn,
  type Slot,
  TermSet,
  turnsRelation
} from "../../language/text-analysis/index.js"
import { memoize } from "../../platform/caching/index.js"
import type { Span } from "../evidence/index.js"
import type { ClaimReader, Window, WindowUnit } from "./windows.js"

/** Minimum share of a claim's words in the same order as in a unit, for its words to be compared place by place. */
const followsMin = 0.6
/** The same for exchanged roles, which need more of the rest to agree. */
const swappedMin = 0.65
/** A longer slot is another wording, not a replaced word. */
const slotMax = 6
/** Minimum match of two words that say the same. */
const partnerMin = 0.55

/** A word of a text with its place; the words of a value count as one, which the rules for values compare. */
interface Word {
  readonly term: string
  readonly surface: string
  readonly start: number
  readonly end: number
  /** A word about the subject, neither a function word nor a value. */
  readonly isContent: boolean
}

/**
 * Returns the words of a claim that its window does not carry, where the claim otherwise follows a unit of the window
 * word by word:
 *
 * - a content word without a partner in the window, in the place of a word that the claim lacks, or added;
 * - a content word that the window has elsewhere, in the place of a word that the claim lacks;
 * - two words that have changed places, unless one side is passive;
 * - a word of time or place that turns the relation (within, after), or an opposite, in the place of the other.
 *
 * A partner is a word that the claim does not have itself, and each serves once. Empty where the window carries every
 * word, or where the claim does not follow it: then the shares of words decide.
 */
export const substitutedIn = (claim: ClaimReader, window: Window): ReadonlyArray<Span> => {
  // Words without blanks between them, or of languages whose function words are unknown, have no places to compare.
  if (claim.language === "cjk" || claim.language === "other") return []
  const own = wordsOf(claim, claim.text, claim.values)
  const units = window.pieces.map((piece) => aligned(claim, own, piece))
  const follows = Math.max(0, ...units.map((unit) => unit.follows))
  if (follows < followsMin) return []
  // Of two units that a claim follows alike, the one that carries more of it is meant.
  const found = units
    .filter((unit) => unit.follows === follows)
    .map((unit) => uncarried(claim, window, own, unit))
    .reduce((a, b) => (b.size < a.size ? b : a))
  return own.flatMap((word) => (found.has(word) ? [{ start: word.start, end: word.end }] : []))
}

const uncarried = (
  claim: ClaimReader,
  window: Window,
  own: ReadonlyArray<Word>,
  unit: AlignedUnit
): ReadonlySet<Word> =>
  new Set([
    ...replacedWords(claim, window, own, unit),
    ...(unit.follows < swappedMin ? [] : swappedWords(claim, own, unit)),
    ...unit.slots.flatMap(({ a, b }) => turnedWords(own.slice(...a), unit.words.slice(...b), claim))
  ])

/** A unit aligned with the claim word by word. */
interface AlignedUnit {
  readonly text: string
  readonly words: ReadonlyArray<Word>
  readonly follows: number
  /** Every part of both between two aligned words, also where one side has none. */
  readonly slots: ReadonlyArray<Slot>
}

const aligned = (claim: ClaimReader, own: ReadonlyArray<Word>, piece: WindowUnit): AlignedUnit => {
  const words = wordsOf(claim, piece.text, piece.values)
  const pairs = alignedPlaces(
    own.map(({ term }) => term),
    words.map(({ term }) => term)
  )
  const bounds = [...pairs, [own.length, words.length] as const]
  const slots = bounds.map(([toA, toB], at): Slot => {
    const [beforeA, beforeB] = pairs[at - 1] ?? [-1, -1]
    return { a: [beforeA + 1, toA], b: [beforeB + 1, toB] }
  })
  return { text: piece.text, words, follows: pairs.length / Math.max(1, own.length), slots }
}

/** Returns the words of a text in order, with a single one for each value; once for all windows of a claim. */
const wordsOf = (claim: ClaimReader, text: string, values: WindowUnit["values"]): ReadonlyArray<Word> => {
  const known = knownWords(claim)
  const words = known.get(text) ?? wordsRead(claim, text, values)
  known.set(text, words)
  return words
}
const knownWords = memoize((_: ClaimReader) => new Map<string, ReadonlyArray<Word>>())

const wordsRead = (claim: ClaimReader, text: string, values: WindowUnit["values"]): ReadonlyArray<Word> => {
  const { language } = claim
  const words: Array<Word> = []
  let at = 0
  // "Less than 5 mg" is a value with its sign.
  const isComparing = (word: OpenWord) =>
    comparing.test(word.surface) &&
    values.some(({ start }) => start >= word.end && start - word.end <= comparedMax)
  for (const word of openWordsIn(text, claim.readOf(text).words)) {
    while ((values[at]?.end ?? Number.POSITIVE_INFINITY) <= word.start) at += 1
    const value = values[at]
    if (value === undefined || value.start >= word.end)
      words.push({
        ...word,
        isContent: word.isLabel || !(isFunctionWord(word.surface, language) || isComparing(word))
      })
    else if (words.at(-1)?.start !== value.start)
      words.push({ term: valueTerm, surface: "", start: value.start, end: value.end, isContent: false })
  }
  return words
}
const comparing =
  /^(?:least|most|fewer|less|more|mindestens|höchstens|mehr|weniger|menos|más|mínimo|máximo)$/iu
const comparedMax = 8
/** Stands for any value: which one is for the rules of values. */
const valueTerm = "\u0000"

const replacedWords = (
  claim: ClaimReader,
  { around, pieces }: Window,
  own: ReadonlyArray<Word>,
  nearest: AlignedUnit
): ReadonlyArray<Word> => {
  const { language } = claim
  const ownTerms = new Set(own.map(({ term }) => term))
  const isFree = (word: Word) => word.isContent && !ownTerms.has(word.term)
  const unaligned = new Set(nearest.slots.flatMap(({ a }) => own.slice(...a).map(({ term }) => term)))
  const used = new Set<Word>()
  const partnerAmong = (word: Word, among: ReadonlyArray<Word>): Word | undefined =>
    among.find((other) => !used.has(other) && arePartners(word, other, claim))
  // A word that stands in the place of its partner uses it up before any other word can.
  const open = nearest.slots.flatMap(({ a, b: whole }) => {
    const b = placeOf(a, whole, own.length)
    const free = nearest.words.slice(...whole).filter(isFree)
    // A word that the claim has elsewhere and has lost here, or a value that it lacks.
    const lost = nearest.words
      .slice(...b)
      .filter(({ isContent, term }) => (isContent || term === valueTerm) && !unaligned.has(term))
    const slot = own.slice(...a).filter(({ isContent }) => isContent)
    const left = slot.filter((word) => {
      const partner = partnerAmong(word, free)
      if (partner !== undefined) used.add(partner)
      return partner === undefined
    })
    const isShort = a[1] - a[0] <= slotMax && b[1] - b[0] <= slotMax
    return left.map((word) => ({ word, lost, isShort }))
  })
  if (open.length === 0) return []
  const given = [
    ...nearest.words,
    ...pieces.flatMap(({ text, values }) => (text === nearest.text ? [] : wordsOf(claim, text, values))),
    ...wordsOf(claim, around, [])
  ]
  const givenTerms = new Set(given.map(({ term }) => term))
  const free = given.filter(isFree)
  return open.flatMap(({ isShort, lost, word }) => {
    const isReplacing = isShort && lost.some((other) => !used.has(other))
    if (givenTerms.has(word.term)) return isReplacing ? [word] : []
    const partner = partnerAmong(word, free)
    if (partner !== undefined) {
      used.add(partner)
      return []
    }
    return isReplacing || !isLightWord(word.surface, language) ? [word] : []
  })
}

/** At an end of the claim the source may go on: what stands in the place of the claim's words is as long as they are. */
const placeOf = ([from, to]: Slot["a"], [start, end]: Slot["b"], length: number): Slot["b"] => {
  const places = to - from + endSlack
  if (to === length && from > 0) return [start, Math.min(end, start + places)]
  return from === 0 && to < length ? [Math.max(start, end - places), end] : [start, end]
}
const endSlack = 2

const arePartners = (one: Word, other: Word, claim: ClaimReader): boolean => {
  // Letters are names: grade A is not grade B.
  if (one.surface.length === 1 || other.surface.length === 1) return one.term === other.term
  const relation = claim.relationOf(one.surface, other.surface)
  if (relation !== undefined) return relation === "same"
  if (areOpposites(one.surface.toLowerCase(), other.surface.toLowerCase())) return false
  return new TermSet([other.term]).match(one.term, claim.language) >= partnerMin
}

/** Two words of the claim, each in the place of the other: "the lamp lights the hall", "the hall lights the lamp". */
const swappedWords = (
  claim: ClaimReader,
  own: ReadonlyArray<Word>,
  { slots, text, words }: AlignedUnit
): ReadonlyArray<Word> => {
  const sides = slots.flatMap(({ a, b }) => {
    const [ours, theirs] = [own.slice(...a), words.slice(...b)].map((side) =>
      side.filter(({ isContent }) => isContent)
    )
    return ours === undefined || theirs === undefined || ours.length === 0 || theirs.length === 0
      ? []
      : [{ ours, theirs }]
  })
  const has = (side: ReadonlyArray<Word>, { term }: Word) => side.some((other) => other.term === term)
  const found = sides.flatMap((one, at) =>
    sides.slice(at + 1).flatMap((other) => {
      const [left, right] = [
        one.ours.find((word) => has(other.theirs, word) && !has(one.theirs, word)),
        other.ours.find((word) => has(one.theirs, word) && !has(other.theirs, word))
      ]
      return left === undefined || right === undefined || isListed(claim.text, left, right)
        ? []
        : [left, right]
    })
  )
  return found.length > 0 && isPassive(claim.text) === isPassive(text) ? found : []
}

/** The members of an enumeration may stand in any order. */
const isListed = (text: string, left: Word, right: Word): boolean =>
  enumeration.test(text.slice(left.end, right.start))
const enumeration =
  /^(?:\s?(?:[,/&]|,?\s(?:and|or|und|oder|et|ou|y|o|e)(?=\s))\s?(?:[\p{L}-]+(?:\s[\p{L}-]+)?)?)+\s?$/u

/** Words that turn the relation of a slot's words to the rest: an opposite, or "after" in the place of "within". */
const turnedWords = (
  ours: ReadonlyArray<Word>,
  theirs: ReadonlyArray<Word>,
  claim: ClaimReader
): ReadonlyArray<Word> =>
  ours.length > slotMax || theirs.length > slotMax
    ? []
    : ours.filter((word) =>
        theirs.some(
          (other) =>
            turnsRelation(word.surface, other.surface, claim.language) ||
            (word.isContent &&
              other.isContent &&
              claim.relationOf(word.surface, other.surface) === "opposite")
        )
      )
