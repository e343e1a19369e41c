import { memoize } from "../../platform/caching/index.js"
import { letter, phrase, phrasePattern, spaced, wordwise } from "../languages/index.js"
import { lettersIn, lettersOf, type ReadText } from "./read-text.js"

/** Pairs of opposite directions and states: a claim with one side contradicts evidence with only the other. */
const pairs: ReadonlyArray<readonly [RegExp, RegExp]> = (
  [
    ["up", "down"],
    ["before", "after"],
    ["least", "most", "[≥>]", "[≤<]"],
    ["above", "below"],
    ["allowed", "forbidden"],
    ["enabled", "disabled"],
    ["open", "closed"],
    ["always", "never"],
    ["included", "excluded"],
    ["accepted", "refused"],
    ["mandatory", "optional"],
    ["success", "failure"]
  ] as const
).map(([one, other, sign, otherSign]) => [
  phrasePattern(one, "iu", sign),
  phrasePattern(other, "iu", otherSign)
])

/** Without the flag `u`, with which `.` takes ten times as long to compile; the letters of words need no pairs. */
function ofAWord({ source }: RegExp): RegExp {
  return new RegExp(`^(?:${source.replaceAll("\\b", "").replaceAll("\\w", ".")})$`, "i")
}

const wordwisePairs = pairs.map(([left, right]) => [wordwise(() => left), wordwise(() => right)] as const)
/** Index of the first pair of states; the pairs before it are directions, order and bounds. */
const firstState = 4
const statePairs = wordwisePairs.slice(firstState)

/**
 * Returns the words by which two texts put a thing into opposite states ("allowed", "forbidden"); undefined when they
 * do not.
 */
export const oppositeStates = (one: string, other: string): readonly [string, string] | undefined => {
  const [ofOne, ofOther] = [directionsOf(one), directionsOf(other)]
  const pair = statePairs.find((_, at) => areTurned(ofOne, ofOther, bitsOf(firstState + at)))
  if (pair === undefined) return undefined
  const [left, right] = pair
  const [oneLeft, otherRight] = [left().exec(one)?.[0], right().exec(other)?.[0]]
  if (oneLeft !== undefined && otherRight !== undefined) return [oneLeft, otherRight]
  return [right().exec(one)?.[0] ?? "", left().exec(other)?.[0] ?? ""]
}

/** Whether a word names a state or a direction of such a pair, and not the subject of a sentence. */
export const isStateWord = (word: string): boolean =>
  (directionsOf(word) & (stateBits | upDownBits)) !== 0 || isComparison.test(word)

/** Antonyms, in both directions: a contradiction when one side has the word and the other its antonym. */
const antonyms: ReadonlyArray<readonly [string, string]> = Object.values(spaced)
  .flatMap(({ antonyms: listed }) => listed.split(/\s*\|\s*/u))
  .flatMap((pair) => {
    const [one, other] = pair.split(" ")
    return one === undefined || other === undefined ? [] : [[one, other] as const]
  })
const rivalsByWord: ReadonlyMap<string, ReadonlySet<string>> = (() => {
  const map = new Map<string, Set<string>>()
  for (const [one, other] of antonyms) {
    map.set(one, (map.get(one) ?? new Set()).add(other))
    map.set(other, (map.get(other) ?? new Set()).add(one))
  }
  return map
})()

/** Whether two lower-case words are listed antonyms, or differ by the prefix "un" or "non". */
export const areOpposites = (one: string, other: string): boolean =>
  rivalsByWord.get(one)?.has(other) === true || isDeniedBy(one, other) || isDeniedBy(other, one)

/** "Unpaid", "non-refundable"; "unless" does not negate "less". */
const isDeniedBy = (word: string, denied: string): boolean =>
  word.length >= 4 && word !== "less" && ["un", "non", "non-"].some((no) => denied === no + word)

/** Returns the state pairs that contain a word, and its side in each. */
export const sidesOf = (word: string): ReadonlyArray<readonly [pair: number, side: number]> =>
  statePairs.flatMap((pair, at) =>
    pair.flatMap((state, side) => (state().test(word) ? [[at, side] as const] : []))
  )

/** Whether one text contains a word, and the other contains its antonym but not the word. */
export const holdsAntonym = (one: string, other: string): boolean =>
  haveAntonyms(wordsIn(one), wordsIn(other))

const haveAntonyms = (left: ReadonlySet<string>, right: ReadonlySet<string>): boolean => {
  for (const word of left) {
    if (right.has(word)) continue
    const rivals = rivalsByWord.get(word)
    if (rivals !== undefined)
      for (const rival of rivals) if (right.has(rival) && !left.has(rival)) return true
  }
  return deniesWordOf(left, right) || deniesWordOf(right, left)
}

/** Whether one text has a word with the prefix "un" and the other has it without, and neither has both. */
const deniesWordOf = (denying: ReadonlySet<string>, other: ReadonlySet<string>): boolean => {
  for (const word of denying) {
    if (!word.startsWith("un") || other.has(word)) continue
    const denied = word.slice(2)
    if (other.has(denied) && !denying.has(denied) && isDeniedBy(denied, word)) return true
  }
  return false
}

const wordsIn = (text: string): ReadonlySet<string> => new Set(lettersIn(text))

/** Whether one text has a direction and the other only the opposite one ("at least", "at most"). */
export const opposes = (one: string, other: string): boolean => {
  const ofOne = directionsOf(one)
  return ofOne !== 0 && areTurned(ofOne, directionsOf(other), allBits)
}

/** Whether two analysed texts have antonyms or opposite directions. */
export const isOpposed = (one: ReadText, other: ReadText): boolean => {
  const ofOne = directionsRead(one)
  return (
    (ofOne !== 0 && areTurned(ofOne, directionsRead(other), allBits)) ||
    haveAntonyms(wordsRead(one), wordsRead(other))
  )
}
const directionsRead = memoize(({ text }: ReadText) => directionsOf(text))
const wordsRead = memoize((read: ReadText): ReadonlySet<string> => new Set(lettersOf(read)))

/** Whether a text states an increase or a decrease. */
export const hasDirection = (text: string): boolean => (directionsOf(text) & upDownBits) !== 0

/**
 * Whether a word expresses direction or comparison: these do not name the subject, and a claim may use different ones
 * than its evidence.
 */
export const isDirectionWord = (word: string): boolean => hasDirection(word) || isComparison.test(word)

const isComparison = /^(?:least|most|fewer|less|more)$/iu

/** Returns the two bits of a pair, one per side. */
const bitsOf = (pair: number): number => 0b11 << (2 * pair)
const allBits = pairs.reduce((bits, _, at) => bits | bitsOf(at), 0)
const upDownBits = bitsOf(0)
const stateBits = allBits & -(1 << (2 * firstState))
const firsts = pairs.reduce((bits, _, at) => bits | (1 << (2 * at)), 0)

/** Whether, in one of these pairs, each text has only the side that the other lacks. */
const areTurned = (one: number, other: number, bits: number): boolean => {
  // The first bit of each pair in which the texts differ on both sides and neither has both.
  const differ = one ^ other
  return (differ & (differ >> 1) & (one ^ (one >> 1)) & firsts & bits) !== 0
}

/**
 * Returns the sides of all pairs in a text, two bits per pair. Looks up single words in a cache, because one of two
 * dozen patterns takes as long over a sentence as looking up all its words.
 */
export const directionsOf = (text: string): number => {
  let sides = signs.test(text) ? opensPhrase : 0
  for (const word of text.match(words) ?? []) sides |= directionsOfWord(word)
  // Phrases of several words are matched by the patterns.
  if ((sides & opensPhrase) !== 0 && phrases().test(text)) sides |= directionsByPatterns(text)
  return sides & allBits
}

const directionsOfWord = (word: string): number => {
  const cached = knownDirections.get(word)
  if (cached !== undefined) return cached
  // Bounds the cache.
  if (knownDirections.size >= knownDirectionsMax) knownDirections.clear()
  const sides = sidesByPatterns(word, ofOneWord) | (phraseWord.test(word) ? opensPhrase : 0)
  if (word.length <= wordUnitsMax) knownDirections.set(word, sides)
  return sides
}

/** Returns the same by matching every pattern against the whole text. */
export const directionsByPatterns = (text: string): number =>
  sidesByPatterns(
    text,
    wordwisePairs.map(([left, right]) => [left(), right()])
  )

const sidesByPatterns = (text: string, asked: typeof pairs): number =>
  asked.reduce(
    (sides, [left, right], at) =>
      sides | (left.test(text) ? 1 << (2 * at) : 0) | (right.test(text) ? 2 << (2 * at) : 0),
    0
  )

/** Patterns for a text of a single word, which compile and match fast. */
const ofOneWord = pairs.map(([left, right]) => [ofAWord(left), ofAWord(right)] as const)

const knownDirections = new Map<string, number>()
const knownDirectionsMax = 20_000
/** Longer ones are data. */
const wordUnitsMax = 40
/** Word characters as in `wordwise`. */
const words = new RegExp(`${letter}+`, "gu")
/** Flag beside the bits of the pairs: the word may begin a phrase. */
const opensPhrase = 1 << 30
const signs = /[≥>≤<]/u
const phraseWord =
  /^(?:prior|at|min|max|no|more|less|fewer|up|mehr|weniger|bis|au|plus|moins|jusqu|al|como|menos|más)$/iu
/** The parts of the patterns above with more than one word. */
const phrases = wordwise(
  () =>
    /[≥>≤<]|\b(?:prior to|at (?:least|most)|m(?:in|ax)\.|no (?:fewer|less|more) than|(?:more|less|fewer) than|up to|mehr als|weniger als|bis zu|au (?:moins|plus)|au-dess(?:us|ous)|(?:plus|moins) de|jusqu['’]à|al menos|como m[íá][nx]imo|m(?:enos|ás) de)/iu
)

/** Quantifiers of one scale: universal ones and weaker ones. */
const scales = (
  [
    ["all", "some"],
    ["invariably", "usually"],
    ["must", "may"]
  ] as const
).map(([strong, weak]) => ({ strong: phrase(strong, "giu"), weak: phrase(weak, "giu") }))

const exclusive = phrase("only", "giu")

const count = (text: string, pattern: () => RegExp): number => text.match(pattern())?.length ?? 0

/** Whether a claim says "all", "always", "must" or "only" where its evidence has a weaker quantifier. */
export const overstates = (claim: string, evidence: string): boolean =>
  count(claim, exclusive) > count(evidence, exclusive) ||
  scales.some(
    ({ strong, weak }) =>
      count(claim, strong) > count(evidence, strong) && count(evidence, weak) > count(claim, weak)
  )
