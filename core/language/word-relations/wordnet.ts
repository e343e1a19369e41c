import type { Lexicon } from "./lemmas.js"
import { blockSize, blocks as blocksOfExtract } from "./wordnet-extract.js"

/** Relations of common English words in WordNet. */
export interface WordNet extends Lexicon {
  readonly areSame: (one: string, other: string) => boolean
  readonly areOpposite: (one: string, other: string) => boolean
}

/** A decoded block; the partners of its words are decoded when they are asked for. */
interface Block {
  readonly places: ReadonlyMap<string, number>
  readonly compared: ReadonlySet<string>
  readonly same: ReadonlyArray<string>
  readonly opposite: ReadonlyArray<string>
}

let read: WordNet | undefined

/** Split into blocks on first use, because most processes check no claim; a block is decoded when a word needs it. */
export const wordNet = (): WordNet => {
  read ??= wordNetOf(blocksOfExtract.split("\n"))
  return read
}

const wordNetOf = (lines: ReadonlyArray<string>): WordNet => {
  const firsts = lines.map((line) => wordAt(line, 0))
  const decoded: Array<Block | undefined> = []
  const blockOf = (at: number): Block => {
    const known = decoded[at] ?? decode(lines[at] ?? "", at * blockSize)
    decoded[at] = known
    return known
  }
  const blockWith = (word: string): Block => blockOf(lastUpTo(firsts, word))
  const arePartners = (kind: "same" | "opposite", one: string, other: string): boolean => {
    if (one > other) return arePartners(kind, other, one)
    const block = blockWith(one)
    const [from, to] = [block.places.get(one), blockWith(other).places.get(other)]
    return from !== undefined && to !== undefined && holds(block[kind][from % blockSize] ?? "", to - from)
  }
  return {
    has: (word) => blockWith(word).places.has(word),
    compares: (word) => blockWith(word).compared.has(word),
    areSame: (one, other) => arePartners("same", one, other),
    areOpposite: (one, other) => arePartners("opposite", one, other)
  }
}

/** The place of the last word that does not come after the given one, 0 when all do. */
const lastUpTo = (words: ReadonlyArray<string>, word: string): number => {
  let [from, to] = [0, words.length]
  while (to - from > 1) {
    const middle = (from + to) >> 1
    if ((words[middle] ?? "") <= word) from = middle
    else to = middle
  }
  return from
}

/** The letters after the digit at a place of a line. */
const wordAt = (line: string, at: number): string => {
  let end = at + 1
  while (isPartOfWord(line.charCodeAt(end))) end += 1
  return line.slice(at + 1, end)
}

const hyphen = 45
const isPartOfWord = (code: number): boolean => code >= 97 || code === hyphen

const decode = (line: string, start: number): Block => {
  const [words = "", same = "", opposite = ""] = line.split(":")
  const places = new Map<string, number>()
  const compared = new Set<string>()
  let word = ""
  for (let at = 0; at < words.length; ) {
    const letters = wordAt(words, at)
    word = word.slice(0, Number.parseInt(words.charAt(at), 36)) + letters
    places.set(word, start + places.size)
    at += 1 + letters.length
    if (words.charAt(at) !== ".") continue
    compared.add(word)
    at += 1
  }
  return { places, compared, same: same.split(","), opposite: opposite.split(",") }
}

const more = "ABCDEFGHIJKLMNOPQRSTUVWXYZ6789-_"
const last = "abcdefghijklmnopqrstuvwxyz012345"

/** Whether coded distances, each from the partner before, hold a distance from the word. */
const holds = (coded: string, distance: number): boolean => {
  let [reached, value] = [0, 0]
  for (const digit of coded) {
    const high = more.indexOf(digit)
    value = value * 32 + (high < 0 ? last.indexOf(digit) : high)
    if (high >= 0) continue
    reached += value
    if (reached >= distance) return reached === distance
    value = 0
  }
  return false
}
