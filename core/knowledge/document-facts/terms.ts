import type { ParsedMarkdown } from "../../files/markdown/index.js"
import { foldCase } from "../../platform/kernel/index.js"
import { stopWords, surfaceKey, tokenize } from "../entities/index.js"

/** A group of words that may be a name, in one spelling, with its counts in a document. */
export interface Term {
  readonly key: string
  readonly name: string
  readonly prose: number
  readonly headings: number
  /** The type that the sentences around it show; absent if none does. */
  readonly type?: string
}

/** Maximum number of words in a term, including connectors. */
const wordsMax = 5
/** Maximum number of different terms per document; the most frequent are kept. */
const termsMax = 2000
/** A higher share of capitalised words, apart from sentence starts, means a language that capitalises nouns. */
const nounsShare = 0.2

const connectors = new Set("of the de del der des di du la van von für".split(" "))
/** Capitalised words that are no topic: names of the calendar, of document parts and of conventions. */
const ordinary = new Set(
  `january february march april june july august september october november december monday tuesday wednesday thursday
  friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec januar februar märz mai juni juli oktober
  dezember montag dienstag mittwoch donnerstag freitag samstag sonntag english section chapter figure table appendix
  figures tables step steps part note notes example examples see ok yes no id ids todo fixme wip tbd na am pm etc
  abstract motivation rationale specification introduction summary background conclusion references overview
  mb gb kb tb kib mib gib utc usd eur mr mrs ms dr ii iii iv vi vii viii xi xii copyright cc0 rfc2119 rfc8174
  important warning caution tip tbh imo imho fyi btw lol afaik asap eta iirc tldr tba tbc faq aka rsvp nb ps lgtm wfh eod
  pto ooo omg idk`.split(/\s+/u)
)

/** A word as written, with features of its context. */
interface Word {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly shape: "lower" | "capital" | "sign" | "number"
  /** Begins a sentence, item, cell or block, so its capital is not significant. */
  readonly first: boolean
  /** Is the first word of a link label. */
  readonly labelled: boolean
  /** Follows the word before after a single blank, hyphen or line end. */
  readonly linked: boolean
}

/**
 * Returns candidate names in a text: groups of capitalised words inside sentences, acronyms, and codes with digits.
 * A name at the start of a sentence counts if it also occurs inside one. A heading counts as one occurrence of its
 * words. Single words that also occur in lower case are left out, and so are all single capitalised words in a language
 * that capitalises nouns. `small` holds the lower-case words.
 */
export const termsOf = (
  source: string,
  prose: string,
  { headings }: Pick<ParsedMarkdown, "headings">
): { readonly terms: ReadonlyArray<Term>; readonly small: ReadonlyArray<string> } => {
  const words = wordsOf(source, hideCode(prose))
  const { capitalisesNouns, small } = habits(words)
  const atStart = new Map<string, number>()
  const found = new Map<string, { key: string; name: string; prose: number; headings: number }>()
  const count = (group: ReadonlyArray<Word>, where: "prose" | "headings") => {
    const [head] = group
    const tail = group.at(-1)
    if (head === undefined || tail === undefined) return
    const name = source.slice(head.start, tail.end).replace(/[\s*_`]+/gu, " ")
    // Groups of stop words, such as "MUST NOT", are no names.
    if (group.every(({ text }) => stopWords.has(foldCase(text)))) return
    if (group.length === 1 && !isTelling(head, capitalisesNouns, small)) return
    if (name.length > 100) return
    const term = found.get(name)
    if (term === undefined)
      found.set(name, { key: surfaceKey(name), name, prose: 0, headings: 0, [where]: 1 })
    else term[where] += 1
  }
  let heading = 0
  for (const group of groupsOf(words)) {
    const at = group[0]?.start ?? 0
    while (heading < headings.length && (headings[heading]?.end ?? 0) <= at) heading++
    const inside = (headings[heading]?.start ?? Number.POSITIVE_INFINITY) <= at
    if (inside) continue
    const parts = trim(group)
    for (const part of parts) count(part, "prose")
    if (parts.length === 0) {
      const name = source.slice(at, group.at(-1)?.end).replace(/[\s*_`]+/gu, " ")
      atStart.set(name, (atStart.get(name) ?? 0) + 1)
    }
  }
  for (const term of found.values()) term.prose += atStart.get(term.name) ?? 0
  for (const { end, start } of headings) {
    const group = words.slice(lowerBound(words, start), lowerBound(words, end))
    if (group.length <= wordsMax && isTitle(group)) count(group, "headings")
  }
  const terms = [...found.values()]
    .filter(({ key }) => key !== "")
    .sort((a, b) => b.prose + b.headings - a.prose - a.headings || (a.name < b.name ? -1 : 1))
    .slice(0, termsMax)
  return { terms, small: [...small.keys()] }
}

/** Masks code, whose spelling gives no evidence about names. */
const hideCode = (prose: string): string =>
  prose.replace(/`[^`\n]{1,500}`/gu, (code) => `|${" ".repeat(code.length - 1)}`)

const wordsOf = (source: string, prose: string): ReadonlyArray<Word> => {
  const { ends, joined, starts, words } = tokenize(prose)
  const out: Array<Word> = []
  let broken = true
  let at = 0
  while (at < words.length) {
    const start = starts[at] ?? 0
    const isWord = /[\p{L}\p{N}]/u.test(words[at] ?? "")
    if (!isWord) {
      if (/[.!?:;|()[\]{}>\n•]/u.test(words[at] ?? "")) broken = true
      at++
      continue
    }
    let last = at
    while (joined[last + 1] === true) last++
    const end = ends[last] ?? 0
    const text = source.slice(start, end)
    const before = out.at(-1)
    const gap = before === undefined ? "" : prose.slice(before.end, start)
    out.push({
      start,
      end,
      text,
      shape: shapeOf(text),
      labelled: prose[start - 1] === "[",
      first: broken || /[“„«"]/u.test(gap),
      linked: !broken && /^(?:[ \t]+|[ \t]*\r?\n[ \t]*|-)$/u.test(gap)
    })
    broken = false
    at = last + 1
  }
  return out
}

const shapeOf = (text: string): Word["shape"] => {
  if (/^\p{N}/u.test(text)) return "number"
  if (!/^\p{Lu}/u.test(text)) return "lower"
  // All capitals, inner capitals or digits do not occur in ordinary words.
  return /^\p{Lu}[\p{Lu}\p{N}]+s?$|\p{Ll}\p{Lu}|\p{Lu}.*\p{N}/u.test(text) ? "sign" : "capital"
}

/** Yields runs of capitalised words and codes, with connectors inside and numbers at the end. */
function* groupsOf(words: ReadonlyArray<Word>): Iterable<ReadonlyArray<Word>> {
  let group: Array<Word> = []
  for (const [at, word] of words.entries()) {
    const next = words[at + 1]
    const named = word.shape === "capital" || word.shape === "sign"
    const continues = group.length > 0 && word.linked
    if (named && continues) group.push(word)
    else if (named) {
      if (group.length > 0) yield group
      group = [word]
    } else if (continues && word.shape === "number" && isCode(group, word)) group.push(word)
    else if (continues && connectors.has(word.text) && next?.linked === true && next.shape === "capital")
      group.push(word)
    else if (group.length > 0) {
      yield group
      group = []
    }
  }
  if (group.length > 0) yield group
}

/** Returns whether a number belongs to a name, as in `EIP-145`, `EIP 145` and `Version-2`. */
const isCode = (group: ReadonlyArray<Word>, number: Word): boolean => {
  const before = group.at(-1)
  if (before === undefined || number.text.length > 6) return false
  return number.start === before.end + 1 && before.shape === "sign" && !/\p{N}/u.test(before.text)
}

/** Removes function words at a sentence start; an ambiguous group is dropped. */
const trim = (group: ReadonlyArray<Word>): ReadonlyArray<ReadonlyArray<Word>> => {
  const idle = (word: Word | undefined) =>
    word !== undefined && stopWords.has(foldCase(word.text)) && word.shape !== "sign"
  let [from, to] = [0, group.length]
  // Inside a sentence a capital is deliberate: "the Who", "the Same Title".
  if (group[0]?.first === true) while (from < to && idle(group[from])) from++
  while (to > from && (idle(group[to - 1]) || connectors.has(group[to - 1]?.text ?? ""))) to--
  const rest = group.slice(from, to)
  const [head] = rest
  if (head === undefined || rest.length > wordsMax) return []
  // In "Using Solidity …" the first capital may be that of the sentence. A link label is kept as a whole or dropped.
  if (from > 0 ? group[0]?.labelled === true : head.first && head.shape === "capital") return []
  return [rest]
}

/** Returns whether every word except connectors is capitalised; a single capital may be that of any sentence. */
const isTitle = (group: ReadonlyArray<Word>): boolean => {
  const [head] = group
  if (head === undefined || head.shape === "number" || head.shape === "lower") return false
  if (group.length === 1) return head.shape === "sign"
  return group.every(
    ({ shape, text }) => shape === "capital" || shape === "sign" || shape === "number" || connectors.has(text)
  )
}

interface Habits {
  readonly capitalisesNouns: boolean
  /** Number of lower-case occurrences by word. */
  readonly small: ReadonlyMap<string, number>
}

const habits = (words: ReadonlyArray<Word>): Habits => {
  const small = new Map<string, number>()
  let [capital, lower] = [0, 0]
  for (const { first, shape, text } of words) {
    if (shape === "lower") {
      lower++
      small.set(text, (small.get(text) ?? 0) + 1)
    } else if (shape === "capital" && !first) capital++
  }
  return { capitalisesNouns: capital + lower > 40 && capital / (capital + lower) > nounsShare, small }
}

const isTelling = (word: Word, capitalisesNouns: boolean, small: ReadonlyMap<string, number>): boolean => {
  const folded = foldCase(word.text)
  if (word.text.length < 2 || stopWords.has(folded) || ordinary.has(folded)) return false
  // Levels, quarters and priorities: L3, Q4, P1.
  if (/^\p{Lu}\p{N}{1,3}$/u.test(word.text)) return false
  if (word.shape === "capital" && capitalisesNouns) return false
  return !small.has(folded) && !small.has(folded.replace(/s$/u, "")) && !small.has(`${folded}s`)
}

const lowerBound = (words: ReadonlyArray<Word>, start: number): number => {
  let [low, high] = [0, words.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((words[middle]?.start ?? 0) < start) low = middle + 1
    else high = middle
  }
  return low
}
