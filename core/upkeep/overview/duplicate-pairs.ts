import { type Comparable, editDistance, editsMax, type Rarity, sharersMax } from "./duplicate-score.js"

/** Positions of entities by key. */
type Groups = Map<string, Array<number>>

/** Returns which surfaces and words are rare enough to be distinctive. */
export const rarityIn = (all: ReadonlyArray<Comparable>): Rarity => {
  const [surfaces, words] = [countsOf(all, surfacesOf), countsOf(all, (one) => one.words)]
  return {
    isTelling: (surface) => (surfaces.get(surface) ?? 0) <= sharersMax,
    isRare: (word) => (words.get(word) ?? 0) <= sharersMax
  }
}

/**
 * Yields every pair for which `nameReasons` may find a reason, as two positions of the list, each pair once, smaller
 * position first. Pairs share a rare surface, their letters in any order, a rare word, or a piece of the name that up
 * to two edits leave untouched. No pair is missed; 50,000 names give some hundred thousand pairs instead of a
 * billion.
 */
export function* candidatePairs(
  all: ReadonlyArray<Comparable>,
  rarity: Rarity
): Generator<readonly [number, number]> {
  const keysOf = blockKeys(rarity)
  const blocks = grouped(all, keysOf)
  const spelled = new Map<number, Array<number>>()
  for (const [a, b] of nearSpellings(all)) {
    const [low, high] = [Math.min(a, b), Math.max(a, b)]
    const known = spelled.get(low)
    if (known === undefined) spelled.set(low, [high])
    else known.push(high)
  }
  // The last partner of each entity; a set of all pairs would take far more memory.
  const pairedWith = new Int32Array(all.length).fill(-1)
  for (const [a, one] of all.entries()) {
    const others = [...keysOf(one).map((key) => blocks.get(key) ?? []), spelled.get(a) ?? []]
    for (const b of others.flat()) {
      if (b <= a || pairedWith[b] === a) continue
      pairedWith[b] = a
      yield [a, b]
    }
  }
}

/** Returns the blocking keys of an entity, which it shares with every candidate except those within edit distance. */
const blockKeys =
  ({ isRare, isTelling }: Rarity) =>
  ({ letters, nameNorm, words, ...one }: Comparable): ReadonlyArray<string> => [
    ...surfacesOf({ nameNorm, ...one })
      .filter(isTelling)
      .map((surface) => `surface ${surface}`),
    ...(letters === "" ? [] : [`letters ${letters}`]),
    ...words.filter(isRare).map((word) => `word ${word}`),
    // Swapped letters: the same letters in another order.
    ...(editsMax(nameNorm.length) === 0 ? [] : [`anagram ${[...nameNorm].sort().join("")}`])
  ]

const surfacesOf = ({
  aliases,
  nameNorm
}: Pick<Comparable, "aliases" | "nameNorm">): ReadonlyArray<string> => [nameNorm, ...aliases]

const countsOf = (
  all: ReadonlyArray<Comparable>,
  keysOf: (one: Comparable) => ReadonlyArray<string>
): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const one of all) for (const key of new Set(keysOf(one))) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

const grouped = (
  all: ReadonlyArray<Comparable>,
  keysOf: (one: Comparable) => ReadonlyArray<string>
): Groups => {
  const groups: Groups = new Map()
  for (const [place, one] of all.entries()) for (const key of new Set(keysOf(one))) add(groups, key, place)
  return groups
}

const add = (groups: Groups, key: string, place: number): void => {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [place])
  else group.push(place)
}

/**
 * Yields names within edit distance. A name is split into one piece more than the allowed edits, so at least one
 * piece appears unchanged in the other name, shifted by at most the edits: Li, Deng, Wang and Feng, "Pass-Join: A
 * Partition-based Method for Similarity Joins", PVLDB 5(3), 2011. Numbers must be equal.
 */
function* nearSpellings(all: ReadonlyArray<Comparable>): Generator<readonly [number, number]> {
  const pieces: Groups = new Map()
  const byLength = all
    .map(({ digits, nameNorm }, place) => ({ digits, name: nameNorm, place }))
    .filter(({ name }) => editsMax(name.length) > 0)
    .sort((a, b) => a.name.length - b.name.length)
  for (const { digits, name, place } of byLength) {
    for (let length = name.length; editsMax(length) > 0 && name.length - length <= editsMax(length); length--)
      for (const other of sharedPieces(pieces, { name, digits }, length))
        if (editDistance(all[other]?.nameNorm ?? "", name, editsMax(length)) <= editsMax(length))
          yield [other, place]
    for (const { number, size, start } of cuts(name.length))
      add(pieces, keyOf(name.length, number, name.slice(start, start + size), digits), place)
  }
}

/** Yields names of one length that share a piece with an equally long or longer name. */
function* sharedPieces(
  pieces: Groups,
  { digits, name }: { readonly name: string; readonly digits: string },
  length: number
): Generator<number> {
  const most = editsMax(length)
  for (const { number, size, start } of cuts(length)) {
    const last = Math.min(name.length - size, start + most)
    for (let from = Math.max(0, start - most); from <= last; from++)
      yield* pieces.get(keyOf(length, number, name.slice(from, from + size), digits)) ?? []
  }
}

const keyOf = (length: number, number: number, piece: string, digits: string): string =>
  `${length} ${number} ${piece}\n${digits}`

interface Cut {
  readonly number: number
  readonly start: number
  readonly size: number
}

/** Returns the split points of a name of this length: pieces of nearly equal length, longer ones last. */
const cuts = (length: number): ReadonlyArray<Cut> => {
  const known = cutsByLength.get(length)
  if (known !== undefined) return known
  const count = editsMax(length) + 1
  const [size, longer] = [Math.floor(length / count), length % count]
  const made = Array.from({ length: count }, (_, number) => ({
    number,
    start: number * size + Math.max(0, number - (count - longer)),
    size: size + (number >= count - longer ? 1 : 0)
  }))
  cutsByLength.set(length, made)
  return made
}
const cutsByLength = new Map<number, ReadonlyArray<Cut>>()
