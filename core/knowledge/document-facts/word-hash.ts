import { tokenize } from "../entities/index.js"

/** FNV-1a over UTF-16 units, 32 bits. */
const hash = (word: string): number => {
  let value = 0x811c9dc5
  for (let at = 0; at < word.length; at++) value = Math.imul(value ^ word.charCodeAt(at), 0x01000193)
  return value >>> 0
}

/**
 * Returns the hashes of the distinct words of a text, ascending; they exclude documents that cannot contain a phrase.
 */
export const wordHashes = (text: string): Uint32Array => hashesOf(tokenize(text).words)

/** Returns the distinct hashes of words, ascending. */
export const hashesOf = (words: Iterable<string>): Uint32Array =>
  Uint32Array.from(new Set(Array.from(words, hash))).sort()

/** Returns the hash of a single-word key, or null for a key of several words. */
export const wordHash = (key: string): number | null => (key.includes(" ") ? null : hash(key))

/** A phrase to search by its word hashes; the last word may have a plural "s". */
export interface SoughtPhrase {
  readonly words: ReadonlyArray<number>
  readonly plural: number
}

/** Returns the hashes to search for a surface key. */
export const soughtPhrase = (key: string): SoughtPhrase => {
  const words = key.split(" ")
  return { words: words.map(hash), plural: hash(`${words.at(-1) ?? ""}s`) }
}

/** Returns whether a text with these words may contain the phrase; no false negatives. */
export const mayHold = (hashes: Uint32Array, { plural, words }: SoughtPhrase): boolean => {
  for (let at = 0; at < words.length - 1; at++) if (!includes(hashes, words[at] ?? 0)) return false
  return includes(hashes, words.at(-1) ?? 0) || includes(hashes, plural)
}

/** Returns whether an ascending list contains a value. */
export const includes = (sorted: Uint32Array, value: number): boolean => {
  let [low, high] = [0, sorted.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const found = sorted[middle] ?? 0
    if (found === value) return true
    if (found < value) low = middle + 1
    else high = middle - 1
  }
  return false
}
