import { stemmer } from "stemmer"
import { normalForm } from "../../platform/kernel/index.js"
import { analyse } from "../tokenization/index.js"
import { spaced } from "./patterns.js"

/** Folds a word like the shared analyser: no Latin diacritics, Porter's stem for plain letters. */
const termForm = (word: string): string => {
  if (/\p{Script=Cyrillic}/u.test(word)) return analyse(word)[0]?.term ?? word
  const folded = normalForm(word, "NFD").replace(/\p{M}/gu, "").replaceAll("ß", "ss").replaceAll("-", "")
  return /^[a-z]+$/u.test(folded) ? stemmer(folded) : folded
}

/**
 * Synonyms in handbooks and specifications: groups, each named by its first word. Deliberately few, because a wrong
 * synonym gives a wrong answer.
 */
const groups = Object.values(spaced).flatMap(({ synonyms }) => synonyms.split(/\s*\|\s*/u))

/** Returns forms of a German verb ("Behebe", "behebt"), which the English stemmer does not unify. */
const verbForms = (word: string): ReadonlyArray<string> => {
  const root = /^(\p{Ll}{4,})en$/u.exec(word)?.[1]
  return root === undefined ? [] : [`${root}e`, `${root}t`]
}

let made: ReadonlyMap<string, ReadonlyArray<string>> | undefined

/** Built on first use: start-up would wait for it, and most processes read no question. */
const groupsByTerm = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  made ??= makeGroups()
  return made
}

const makeGroups = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const map = new Map<string, Array<string>>()
  for (const line of groups) {
    const forms = line.split(" ").flatMap((word) => [word, ...verbForms(word)].map(termForm))
    const [name = ""] = forms
    for (const form of new Set(forms)) map.set(form, [...(map.get(form) ?? []), name])
  }
  return map
}

const none: ReadonlyArray<string> = []

/** Returns the groups of an index term (folded and stemmed by the analyser): none for most terms, two for a few. */
export const groupsOf = (term: string): ReadonlyArray<string> => groupsByTerm().get(term) ?? none

/** Returns the first group only: when two words are unified, a second group must not merge groups. */
export const synonymOf = (term: string): string | undefined => groupsByTerm().get(term)?.[0]
