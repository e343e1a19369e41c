import { groupBy, normalForm } from "../../platform/kernel/index.js"
import type { NamedInProse, NameSpan, NameType } from "./model.js"
import { legalForms, particles } from "./name-words.js"
import { isSign, plainWord } from "./tagged-words.js"

/** Distinct things that the names in a text refer to. */
export interface Things {
  readonly things: ReadonlyArray<NamedInProse>
  /** The place in `things` of what each occurrence names; null for one that is no name. */
  readonly thingOf: ReadonlyArray<number | null>
}

interface Named {
  readonly name: string
  readonly key: string
  readonly words: ReadonlyArray<string>
  readonly spans: Array<number>
  type: NameType | null
  isSure: boolean
}

/** Returns the key under which spellings of one name are equal: small, without diacritics and points. */
export const nameKeyOf = (name: string): string =>
  normalForm(name, "NFD")
    .replace(/[\p{M}.,]/gu, "")
    .toLowerCase()
    .replace(/^the /u, "")

/**
 * Groups occurrences by the thing they name: a person by first or last name, an organization without its legal form
 * or by its first word or initials. A short name that could mean several stays by itself. Pure.
 */
export const thingsIn = (text: string, spans: ReadonlyArray<NameSpan>): Things => {
  const byKey = new Map<string, Named>()
  for (const [place, { certainty, name }] of spans.entries()) {
    const key = nameKeyOf(name)
    const known = byKey.get(key)
    if (known === undefined)
      byKey.set(key, {
        name,
        key,
        words: key.split(" "),
        spans: [place],
        type: null,
        isSure: certainty === "sure"
      })
    else {
      known.spans.push(place)
      if (certainty === "sure") known.isSure = true
    }
  }
  const named = [...byKey.values()]
  for (const one of named) one.type = typeAmong(one.spans.map((place) => spans[place]?.type ?? null))
  const wholeOf = wholes(text, named, spans)
  const things: Array<NamedInProse> = []
  const thingOf: Array<number | null> = spans.map(() => null)
  for (const [whole, parts] of groupBy(named, (one) => rootOf(wholeOf, one))) {
    const places = parts.flatMap((part) => part.spans)
    const isSupported = parts.length > 1 || whole.spans.some((place) => spans[place]?.certainty !== "unsure")
    if (!isSupported) continue
    const type = whole.type ?? typeAmong(parts.map((part) => part.type))
    for (const place of places) thingOf[place] = things.length
    const aliases = parts.filter((part) => part !== whole).map(({ name }) => name)
    const isSure = parts.some((part) => part.isSure)
    things.push({ name: whole.name, type, aliases: aliases.sort(), count: places.length, sure: isSure })
  }
  return { things, thingOf }
}

const rootOf = (wholeOf: ReadonlyMap<Named, Named>, one: Named): Named => {
  let at = one
  for (let up = wholeOf.get(at); up !== undefined; up = wholeOf.get(at)) at = up
  return at
}

/** Returns the most frequent type; ties go to the first. */
const typeAmong = (types: ReadonlyArray<NameType | null>): NameType | null => {
  const counts = new Map<NameType, number>()
  for (const type of types) if (type !== null) counts.set(type, (counts.get(type) ?? 0) + 1)
  return [...counts].sort(([, m], [, n]) => n - m)[0]?.[0] ?? null
}

/** Names with one word among which the longer form of a name is sought; bounds the time. */
const longerMax = 50

/** Returns the longer name of each name that is a short form of exactly one. */
const wholes = (
  text: string,
  named: ReadonlyArray<Named>,
  spans: ReadonlyArray<NameSpan>
): ReadonlyMap<Named, Named> => {
  const byWord = new Map<string, Array<Named>>()
  for (const one of named)
    if (one.words.length > 1)
      for (const word of new Set([...one.words, initialsOf(one.words)]))
        byWord.set(word, [...(byWord.get(word) ?? []), one])
  const wholeOf = new Map<Named, Named>()
  for (const short of named) {
    const [first = ""] = short.words
    const longer = (byWord.get(first) ?? [])
      .slice(0, longerMax)
      .filter((one) => one.words.length > short.words.length && isShortOf(text, short, one, spans))
    // The shorter of "Norrland Energy" and "Norrland Energy AB" is a form of the longer.
    const longest = longer.reduce<Named | undefined>(
      (best, one) => (best === undefined || one.words.length > best.words.length ? one : best),
      undefined
    )
    if (longest === undefined) continue
    const areOne = longer.every((one) => one === longest || isShortOf(text, one, longest, spans))
    if (areOne) wholeOf.set(short, longest)
  }
  return wholeOf
}

const isShortOf = (text: string, short: Named, long: Named, spans: ReadonlyArray<NameSpan>): boolean => {
  if (short.words.length === 1) {
    const [word = ""] = short.words
    if (isAbbreviation(text, short, long, spans)) return true
    if (short.type !== null && long.type !== null && short.type !== long.type) return false
    if (long.type === "person" || (long.type === null && short.type === "person"))
      return word === long.words.at(-1) || word === long.words[0]
    if (long.type === null && word === long.words.at(-1))
      return (
        long.words.length <= 3 &&
        !isSign(short.name) &&
        // A short form refers back.
        (short.spans[0] ?? 0) > (long.spans[0] ?? 0) &&
        short.spans.length <= long.spans.length * 3
      )
    const isAcronym = /^\p{Lu}+$/u.test(short.name)
    return long.type === "organization" && word === long.words[0] && word.length > 2 && !isAcronym
  }
  const [a, b] = [withoutForm(short.words), withoutForm(long.words)]
  if (a.join(" ") === b.join(" ")) return true
  // John Kennedy and John F. Kennedy.
  const isPerson = short.type !== "place" && long.type === "person"
  return (
    isPerson && a[0] === b[0] && a.at(-1) === b.at(-1) && b.slice(1, -1).every((word) => word.length === 1)
  )
}

/** Returns the words of an organization without its legal form. */
const withoutForm = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = words.findLastIndex((word) => !legalForms.has(plainWord(word)))
  return end < 0 ? words : words.slice(0, end + 1)
}

const initialsOf = (words: ReadonlyArray<string>): string =>
  words
    .flatMap((word) => word.split("-"))
    .filter((word) => !particles.has(word) && !["of", "and", "for", "the", "&"].includes(word))
    .map((word) => word[0] ?? "")
    .join("")

/** Returns whether a text gives the abbreviation in brackets behind the name: World Health Organization (WHO). */
const isAbbreviation = (text: string, short: Named, long: Named, spans: ReadonlyArray<NameSpan>): boolean => {
  if (short.key !== initialsOf(long.words) || !/^\p{Lu}{2,}s?$/u.test(short.name)) return false
  const ends = new Set(long.spans.map((place) => spans[place]?.end ?? -1))
  return short.spans.some((place) => {
    const start = spans[place]?.start ?? 0
    return text[start - 1] === "(" && ends.has(text.slice(0, start - 1).trimEnd().length)
  })
}

/**
 * Returns the other names of a thing that mean it in other texts, too: the last name of a person and fuller forms of the
 * name, the initials of an organization and its name without the legal form.
 */
export const shortNames = ({ aliases, name, type }: NamedInProse): ReadonlyArray<string> => {
  if (type === null) return []
  const words = nameKeyOf(name).split(" ")
  const formless = withoutForm(words).length
  const known = aliases.filter((alias) => {
    const key = nameKeyOf(alias)
    return key.includes(" ") || key === (type === "person" ? words.at(-1) : initialsOf(words))
  })
  const bare = type === "organization" && formless > 1 && formless < words.length
  return [...new Set([...known, ...(bare ? [name.split(" ").slice(0, formless).join(" ")] : [])])].sort()
}
