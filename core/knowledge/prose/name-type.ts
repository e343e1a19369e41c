import { wordwise } from "../../language/languages/index.js"
import type { NameType } from "./model.js"
import { typeByFirstWord, typeByLastWord } from "./name-words.js"
import { hasTag, isSign, plainWord, type TaggedWord, taggedWords } from "./tagged-words.js"

/** Verbs whose subject is a person. */
const personal =
  /^(?:said|says|wrote|told|joined|thinks|thought|thanked|met|lives|lived|studied|died|married|asked)$/u
/** Words before "in" after which a name is a tool or a document rather than a place: "stored in Grafana". */
const keptIn =
  /^(?:written|built|kept|stored|tracked|implemented|managed|logged|documented|defined|done|used|uses?|data|code|files?|logs?|bugs?|issues?|errors?|pages?|tasks?|channels?|tickets?|boards?|features?|available|work|tests?|supported|support|types?|typed|click|open|go|look|see|new|changed?|changes|runs?|running|posted?|log|sign|enter|created?|create|add|added|set|listed|found|edit|view|asks?|asked|reads?|watch|watched|check|checked|search|searched|report|reported|notes?|noted)$/u

const instructs = wordwise(
  () => /(?<!\p{L})(?:you|your|we|our|please|click|select|submit|should|must)(?!\p{L})/iu
)

/** Returns the type of a name in a sentence as far as its words, their tags and its neighbours show it, else null. */
export const typeOfSpan = (
  sentence: string,
  words: ReadonlyArray<TaggedWord>,
  first: number,
  last: number,
  isTitled: boolean
): NameType | null => {
  const part = words.slice(first, last)
  const [head, tail] = [part[0], part.at(-1)]
  if (head === undefined || tail === undefined) return null
  if (isTitled) return "person"
  if (part.length > 1 && /^\p{Lu}$/u.test(head.text) && part.length < 4) return "person"
  const byWords = typeByWords(part)
  if (byWords !== null) return byWords
  // In instructions a name behind "in" is that of a tool as often as of a place.
  const isPlaceBefore =
    !instructs().test(sentence) &&
    /^(?:in|near|towards?)$/u.test(words[first - 1]?.text ?? "") &&
    !keptIn.test(plainWord(words[first - 2]?.text ?? ""))
  if (part.length === 1 && isPlaceBefore && !isSign(head.text) && !hasTag(head, "FirstName", "Organization"))
    return "place"
  const byTags = typeByTags(part)
  if (byTags !== null) return byTags
  if (part.length === 1 && isSign(head.text) && !/^\p{Lu}+$/u.test(head.text)) return "product"
  if (sentence.startsWith("-based", head.end)) return "place"
  const next = words[last]
  if (next !== undefined && sentence.slice(tail.end, next.start) === " " && personal.test(next.text))
    return "person"
  return isPlaceBefore && part.length === 2 && part.every(({ text }) => !isSign(text)) ? "place" : null
}

/** Returns the type that the words of a name show by themselves: "University of Paris", "Falcon 2.1". */
const typeByWords = (part: ReadonlyArray<TaggedWord>): NameType | null => {
  const texts = part.map(({ text }) => plainWord(text))
  const [head = "", ...rest] = texts
  const inner = /\p{Ll}(\p{Lu}\p{Ll}+)$/u.exec(part.at(-1)?.text ?? "")?.[1]
  if (inner !== undefined && part.length === 1) return typeByLastWord(inner.toLowerCase())
  if (rest.length === 0) return null
  const end = texts.findIndex((text, at) => at > 0 && (text === "of" || text === "for"))
  const main = end > 0 ? texts[end - 1] : texts.at(-1)
  const type = typeByFirstWord(head) ?? typeByLastWord(main ?? "")
  return type ?? (part.some(({ text }) => /\d/u.test(text)) ? "product" : null)
}

const typeByTags = (part: ReadonlyArray<TaggedWord>): NameType | null => {
  const [head] = part
  // That an unknown acronym is an organization is a guess of the tagger, made after it saw the acronym.
  const isGuessed = ({ tags }: TaggedWord, tag: string) =>
    tag === "Organization" && tags.values().next().value === "Acronym"
  const count = (tag: string) => part.filter((word) => word.tags.has(tag) && !isGuessed(word, tag)).length
  const [persons, places, organizations] = [count("Person"), count("Place"), count("Organization")]
  if (part.length > 1 && hasTag(head, "FirstName")) return "person"
  if (organizations > 0 && organizations >= persons && hasTag(part.at(-1), "Organization"))
    return "organization"
  if (places > 0 && places >= persons && hasTag(part.at(-1), "Place")) return "place"
  if (part.length === 1) return hasTag(head, "FirstName", "LastName") ? "person" : null
  // "Keller Glass" is no person: a last name does not stand first.
  if (persons === 1 && hasTag(head, "LastName") && !hasTag(head, "FirstName")) return null
  return persons > 0 && persons * 2 >= part.length ? "person" : null
}

/** Returns the type of an English name as far as its words alone show it, else null. */
export const typeOfName = (name: string): NameType | null => {
  const [words = []] = taggedWords([name], () => false)
  const [head] = words
  if (head === undefined || words.length > 4) return null
  if (words.every((word) => hasTag(word, "Place"))) return "place"
  if (words.every((word) => hasTag(word, "Organization"))) return "organization"
  if (words.length === 1) return null
  return typeByWords(words) ?? (hasTag(head, "FirstName") ? typeByTags(words) : null)
}
