import type { EntityId } from "../../platform/kernel/index.js"
import { normalForm } from "../../platform/kernel/index.js"
import type { DuplicateReason } from "./governance-model.js"

/** The names of a head and of the entities merged into it. */
export interface EntityNames {
  readonly id: EntityId
  readonly name: string
  readonly type: string
  readonly nameNorm: string
  /** Normalized, without the name. */
  readonly aliases: ReadonlyArray<string>
}

/** Names with precomputed comparison data. */
export interface Comparable extends EntityNames {
  /** The words without accents and punctuation, sorted and joined without spaces. */
  readonly letters: string
  readonly words: ReadonlyArray<string>
  /** All runs of digits; names with different numbers are different things. */
  readonly digits: string
}

/** Tests for distinctive surfaces and words; those that many entities share are not distinctive. */
export interface Rarity {
  readonly isTelling: (surface: string) => boolean
  readonly isRare: (word: string) => boolean
}

/** A surface or a word shared by more entities than this is not distinctive. */
export const sharersMax = 24

/** Maximum score of each reason. */
export const reasonWeights = {
  same_name: 0.8,
  same_letters: 0.85,
  alias: 0.75,
  shared_alias: 0.5,
  spelling: 0.8,
  words: 0.5,
  neighbours: 0.5,
  meaning: 0.4
} as const

/** Factor for entities of two types, except for an identical name. */
const otherType = 0.8
/** Minimum share of common words; below it names merely share a word. */
const sharedWordsMin = 0.5

/** Precomputes the comparison data of names. */
export const comparable = (called: EntityNames): Comparable => {
  const plain = normalForm(called.nameNorm, "NFKD").replace(/\p{M}/gu, "")
  const words = [...new Set(plain.match(/[\p{L}\p{N}]+/gu) ?? [])].sort()
  return {
    ...called,
    words,
    letters: words.join(""),
    digits: (plain.match(/\p{N}+/gu) ?? []).join(" ")
  }
}

/** Returns the allowed edit distance for a name of this length: 0 for short names, in which every letter counts. */
export const editsMax = (length: number): number => (length < 5 ? 0 : length < 12 ? 1 : 2)

/**
 * Returns the reasons why two names may mean the same, strongest first; empty if there are none. Symmetric.
 * Neighbours are compared by `neighbourReason`.
 */
export const nameReasons = (a: Comparable, b: Comparable, rarity: Rarity): ReadonlyArray<DuplicateReason> => {
  if (a.nameNorm === b.nameNorm)
    return rarity.isTelling(a.nameNorm)
      ? [reason("same_name", 1, true, `Both are called ${a.name}, as ${types(a, b)}.`)]
      : []
  const sameType = a.type === b.type
  const alike = lettersReason(a, b)
  const found = [
    // A spelling match implies shared words, so only one of both reasons is reported.
    ...(alike === null ? [spellingReason(a, b), wordsReason(a, b, rarity)] : [alike]),
    aliasReason(a, b, rarity),
    sharedAliasReason(a, b, rarity)
  ]
  return found
    .flatMap((one) => (one === null ? [] : [reason(one.code, one.share, sameType, one.detail)]))
    .sort((x, y) => y.strength - x.strength)
}

/**
 * Returns a reason for a large share of common neighbours (Jaccard), reduced for few neighbours by n / (n + 2). It
 * only supports a reason in the names, because siblings share neighbours too.
 */
export const neighbourReason = (a: ReadonlySet<string>, b: ReadonlySet<string>): DuplicateReason | null => {
  const [few, many] = a.size <= b.size ? [a, b] : [b, a]
  let common = 0
  for (const id of few) if (many.has(id)) common += 1
  if (common === 0) return null
  const share = (common / (a.size + b.size - common)) * (common / (common + 2))
  return reason("neighbours", share, true, `Both are related to ${common} other${common === 1 ? "" : "s"}.`)
}

/**
 * Returns the probability that two entities are the same, in [0, 1]: 1 − Π (1 − strength). Each reason adds to the
 * others and none alone reaches certainty (noisy or: Pearl, "Probabilistic Reasoning in Intelligent Systems", 1988,
 * 4.3.2).
 */
export const scoreOf = (reasons: ReadonlyArray<DuplicateReason>): number =>
  1 - reasons.reduce((rest, { strength }) => rest * (1 - strength), 1)

type Code = keyof typeof reasonWeights
interface Found {
  readonly code: Code
  readonly share: number
  readonly detail: string
}

const reason = (code: Code, share: number, sameType: boolean, detail: string): DuplicateReason => ({
  code,
  strength: reasonWeights[code] * share * (sameType ? 1 : otherType),
  detail
})

const types = (a: Comparable, b: Comparable): string => [a.type, b.type].sort().join(" and ")

const lettersReason = (a: Comparable, b: Comparable): Found | null =>
  a.letters !== "" && a.letters === b.letters
    ? {
        code: "same_letters",
        share: 1,
        detail: "The names differ in accents, punctuation, spaces or the order of words only."
      }
    : null

const spellingReason = (a: Comparable, b: Comparable): Found | null => {
  if (a.digits !== b.digits) return null
  const [x, y] = a.nameNorm.length <= b.nameNorm.length ? [a.nameNorm, b.nameNorm] : [b.nameNorm, a.nameNorm]
  const most = editsMax(x.length)
  if (most === 0 || y.length - x.length > most) return null
  const edits = editsOf(x, y, most)
  const slip = edits > most || haveDisjointNames(a, b) ? null : slipOf(x, y)
  if (slip === null) return null
  const detail = `The names differ in ${edits === 1 ? "one letter" : `${edits} letters`}.`
  return { code: "spelling", share: (1 - edits / y.length) * (slip === "begins" ? beginning : 1), detail }
}

/** Factor for a difference in the first letter of a word: typing errors rarely occur there. */
const beginning = 0.6

/** Minimum number of other names on each side before their disjointness counts. */
const otherNamesMin = 3

/**
 * Returns whether both have several other names, for example in other languages, but none in common: a misspelling
 * would share them.
 */
const haveDisjointNames = (a: Comparable, b: Comparable): boolean => {
  if (a.aliases.length < otherNamesMin || b.aliases.length < otherNamesMin) return false
  const others = new Set([b.nameNorm, ...b.aliases])
  return ![a.nameNorm, ...a.aliases].some((name) => others.has(name))
}

/**
 * Returns whether names within edit distance differ like a typing error: only in spaces, or within words that are
 * long enough for their edits (Vitamin A is not Vitamin B). Null if they do not.
 */
const slipOf = (x: string, y: string): "begins" | "within" | null => {
  const [xs, ys] = [wordsIn(x), wordsIn(y)]
  if (xs.length !== ys.length) return xs.join("") === ys.join("") ? "within" : null
  const differing = xs.flatMap((word, place) => {
    const other = ys[place] ?? ""
    return word === other
      ? []
      : [word.length <= other.length ? ([word, other] as const) : ([other, word] as const)]
  })
  const isSlip = differing.every(([short, long]) => {
    const most = editsMax(short.length)
    return most > 0 && editsOf(short, long, most) <= most
  })
  if (!isSlip) return null
  return differing.some(([short, long]) => short[0] !== long[0]) ? "begins" : "within"
}

const wordsIn = (name: string): ReadonlyArray<string> => name.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

const editsOf = (x: string, y: string, most: number): number => (isSwap(x, y) ? 1 : editDistance(x, y, most))

const aliasReason = (a: Comparable, b: Comparable, { isTelling }: Rarity): Found | null => {
  const name = b.aliases.includes(a.nameNorm) ? a : a.aliases.includes(b.nameNorm) ? b : null
  return name !== null && isTelling(name.nameNorm)
    ? { code: "alias", share: 1, detail: `${name.name} is another name of the other.` }
    : null
}

const sharedAliasReason = (a: Comparable, b: Comparable, { isTelling }: Rarity): Found | null => {
  if (a.aliases.length === 0 || b.aliases.length === 0) return null
  const others = new Set(b.aliases)
  const shared = a.aliases.filter((alias) => others.has(alias) && isTelling(alias))
  const [first] = [...shared].sort()
  if (first === undefined) return null
  const more = shared.length === 1 ? "" : ` and ${shared.length - 1} more`
  const share = shared.length / Math.min(a.aliases.length, b.aliases.length)
  return { code: "shared_alias", share, detail: `Both are also called ${first}${more}.` }
}

/** Returns a reason for words that are equal or initials of each other; at least one rare word must be equal. */
const wordsReason = (a: Comparable, b: Comparable, { isRare }: Rarity): Found | null => {
  if (a.digits !== b.digits) return null
  const [few, many] = a.words.length <= b.words.length ? [a.words, b.words] : [b.words, a.words]
  const whole = few.filter((word) => many.includes(word))
  if (!whole.some(isRare)) return null
  const rest = many.filter((word) => !whole.includes(word))
  let initials = 0
  for (const word of few) {
    if (whole.includes(word)) continue
    const at = rest.findIndex((other) => isInitial(word, other) || isInitial(other, word))
    if (at < 0) continue
    rest.splice(at, 1)
    initials += 1
  }
  const shared = whole.length + initials
  const share = shared / (few.length + many.length - shared)
  return share < sharedWordsMin
    ? null
    : { code: "words", share, detail: `The names share ${[...whole].sort().join(", ")}.` }
}

const isInitial = (short: string, word: string): boolean => short.length === 1 && word.startsWith(short)

/** Returns whether two adjacent letters were swapped and nothing else differs. */
const isSwap = (a: string, b: string): boolean => {
  if (a.length !== b.length) return false
  let at = 0
  while (at < a.length && a[at] === b[at]) at += 1
  return (
    at + 1 < a.length && a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2)
  )
}

/**
 * Returns the Levenshtein distance up to `most`; larger distances give `most + 1`. Common prefixes and suffixes are
 * skipped and only the diagonal band within `most` is computed (Ukkonen, "Algorithms for approximate string
 * matching", 1985).
 */
export const editDistance = (a: string, b: string, most: number): number => {
  let from = 0
  while (from < a.length && from < b.length && a[from] === b[from]) from += 1
  let [x, y] = [a.length, b.length]
  while (x > from && y > from && a[x - 1] === b[y - 1]) {
    x -= 1
    y -= 1
  }
  const [rows, columns] = [x - from, y - from]
  if (rows === 0 || columns === 0 || Math.abs(rows - columns) > most)
    return Math.min(Math.max(rows, columns), most + 1)
  let before = Array.from({ length: columns + 1 }, (_, j) => j)
  for (let i = 1; i <= rows; i++) {
    const row = new Array<number>(columns + 1).fill(most + 1)
    row[0] = i
    let least = i
    for (let j = Math.max(1, i - most); j <= Math.min(columns, i + most); j++) {
      const swapped = (before[j - 1] ?? 0) + (a[from + i - 1] === b[from + j - 1] ? 0 : 1)
      const value = Math.min(swapped, (before[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      row[j] = value
      least = Math.min(least, value)
    }
    if (least > most) return most + 1
    before = row
  }
  return Math.min(before[columns] ?? 0, most + 1)
}
