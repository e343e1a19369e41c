import nlp from "compromise/two"

/** A word of a sentence with its parts of speech, as compromise names them. */
export interface TaggedWord {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly tags: ReadonlySet<string>
}

const none: ReadonlySet<string> = new Set()

/** Returns the words of one English sentence; contractions count as one word. Deterministic. */
export const taggedWords = (sentence: string): ReadonlyArray<TaggedWord> => {
  const words: Array<TaggedWord> = []
  let at = 0
  for (const term of nlp(sentence).document.flat()) {
    // The text of a contraction stands in its first term.
    if (term.text === "") continue
    const start = sentence.indexOf(term.text, at)
    if (start < 0) continue
    at = start + term.text.length
    words.push({ text: term.text, start, end: at, tags: term.tags ?? none })
  }
  return words
}

export const hasTag = (word: TaggedWord | undefined, ...tags: ReadonlyArray<string>): boolean =>
  word !== undefined && tags.some((tag) => word.tags.has(tag))

/** Returns whether a word has capitals inside or letters beside digits, as no ordinary word has. */
export const isSign = (text: string): boolean =>
  /^\p{L}*\p{Ll}\p{Lu}|^\p{Lu}[\p{Lu}\d]+$|^\p{Lu}\p{L}*\d|^\p{L}+\.(?:js|io|ai|net|org)$/u.test(text)

/** Returns a word in small letters, without a possessive ending or a full stop. */
export const plainWord = (text: string): string => text.toLowerCase().replace(/['’]s?$|\.$/u, "")
