import { ordinaryWords } from "./name-words.js"
import { sweep } from "./tag-sweep.js"

let tagger: typeof import("compromise/two")["default"] | undefined

/**
 * Loads the tagger, which every function that reads prose needs. It takes half a second, so only what reads documents
 * loads it.
 */
export const loadTagger = async (): Promise<void> => {
  if (tagger !== undefined) return
  const { default: loaded } = await import("compromise/two")
  loaded.plugin({ methods: { one: { bulkMatch: sweep } } })
  tagger = loaded
}

/** A word of a sentence; near capital letters with its parts of speech, as compromise names them. */
export interface TaggedWord {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly tags: ReadonlySet<string>
}

const none: ReadonlySet<string> = new Set()
const wordPattern = /[\p{L}\p{M}\p{N}]+(?:['’.&_-][\p{L}\p{M}\p{N}]+)*(?:['’](?=\s|$))?|&/gu
/** How many words before and behind a capitalised one are tagged with it. */
const [wordsBefore, wordsBehind] = [2, 1]
/** Stretches that are tagged in one call: a call costs as much as ten words. */
const stretchesAtOnce = 50

/** Neighbouring words of a sentence that are tagged together. */
interface Stretch {
  readonly sentence: number
  /** Places of the first word and after the last. */
  readonly from: number
  readonly to: number
  readonly text: string
}

/**
 * Returns the words of English sentences. Only those around capital letters are tagged, because the tagger is slow.
 * `small` tells whether the text has a word in small letters. Deterministic.
 */
export const taggedWords = (
  sentences: ReadonlyArray<string>,
  small: (word: string) => boolean
): ReadonlyArray<ReadonlyArray<TaggedWord>> => {
  const plain = sentences.map((sentence) =>
    [...sentence.matchAll(wordPattern)].map(
      ({ 0: text, index }): TaggedWord => ({ text, start: index, end: index + text.length, tags: none })
    )
  )
  const stretches = sentences.flatMap((sentence, place) =>
    stretchesOf(sentence, place, plain[place] ?? [], small)
  )
  const tagged: Array<ReadonlyArray<TaggedWord>> = []
  for (let at = 0; at < stretches.length; at += stretchesAtOnce)
    tagged.push(...tagsOf(stretches.slice(at, at + stretchesAtOnce).map(({ text }) => text)))
  const out: Array<Array<TaggedWord>> = plain.map(() => [])
  const done = plain.map(() => 0)
  for (const [place, { from, sentence, to }] of stretches.entries()) {
    const words = plain[sentence] ?? []
    const offset = words[from]?.start ?? 0
    out[sentence]?.push(
      ...words.slice(done[sentence], from),
      ...(tagged[place] ?? []).map((word) => ({
        ...word,
        start: word.start + offset,
        end: word.end + offset
      }))
    )
    done[sentence] = to
  }
  return out.map((words, sentence) => [...words, ...(plain[sentence] ?? []).slice(done[sentence])])
}

const stretchesOf = (
  sentence: string,
  place: number,
  words: ReadonlyArray<TaggedWord>,
  small: (word: string) => boolean
): ReadonlyArray<Stretch> => {
  const found: Array<Stretch> = []
  for (let at = 0, done = 0; at < words.length; at++) {
    if (!isTelling(words, at, small)) continue
    const from = Math.max(done, at - wordsBefore)
    let last = at
    for (let next = at + 1; next < words.length && next <= last + 1 + wordsBehind; next++)
      if (isCapital(words[next])) last = next
    const to = Math.min(words.length, last + 1 + wordsBehind)
    const text = sentence.slice(words[from]?.start, words[to - 1]?.end)
    found.push({ sentence: place, from, to, text })
    done = to
    at = to - 1
  }
  return found
}

/** Returns whether a word begins with a capital letter or is a sign. */
export const isCapital = (word: TaggedWord | undefined): boolean =>
  word !== undefined && (/^\p{Lu}/u.test(word.text) || isSign(word.text)) && !stressed.test(word.text)

/** Words of requirements, which capitals stress: "clients MUST use …". */
const stressed = /^(?:MUST|SHOULD|SHALL|NOT|NEVER|ALWAYS|ONLY|BE|REQUIRED|RECOMMENDED|OPTIONAL)$/u

/** Returns whether a capital is more than that of the start of a sentence before an ordinary word. */
const isTelling = (
  words: ReadonlyArray<TaggedWord>,
  at: number,
  small: (word: string) => boolean
): boolean => {
  const word = words[at]
  if (word === undefined || !isCapital(word)) return false
  if (at > 0 || isCapital(words[1]) || isSign(word.text)) return true
  const text = plainWord(word.text)
  return !ordinaryWords.has(text) && !small(text)
}

/** Returns the tagged words of each text, none of which holds a line break. */
const tagsOf = (texts: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<TaggedWord>> => {
  const joined = texts.join("\n")
  const found: ReadonlyArray<Array<TaggedWord>> = texts.map(() => [])
  let [at, place, lineStart] = [0, 0, 0]
  if (tagger === undefined) throw new Error("Prose was read before its tagger was loaded.")
  for (const term of tagger(joined).document.flat()) {
    // The text of a contraction stands in its first term.
    const from = term.text === "" ? -1 : joined.indexOf(term.text, at)
    if (from < 0) continue
    at = from + term.text.length
    for (
      let end = lineStart + (texts[place]?.length ?? 0);
      end < from;
      end = lineStart + (texts[place]?.length ?? 0)
    ) {
      lineStart = end + 1
      place += 1
    }
    found[place]?.push({
      text: term.text,
      start: from - lineStart,
      end: at - lineStart,
      tags: term.tags ?? none
    })
  }
  return found
}

export const hasTag = (word: TaggedWord | undefined, ...tags: ReadonlyArray<string>): boolean =>
  word !== undefined && tags.some((tag) => word.tags.has(tag))

/** Returns whether a word has capitals inside or letters beside digits, as no ordinary word has. */
export const isSign = (text: string): boolean =>
  // Most words are small letters alone.
  !/^\p{Lu}?\p{Ll}*$/u.test(text) &&
  /^\p{L}*\p{Ll}\p{Lu}|^\p{Lu}[\p{Lu}\d_]+$|^\p{Lu}\p{L}*\d|^\p{L}+\.(?:js|io|ai|net|org|com)$/u.test(text)

/** Returns a word in small letters, without a possessive ending or a full stop. */
export const plainWord = (text: string): string => text.toLowerCase().replace(/['’]s?$|\.$/u, "")
