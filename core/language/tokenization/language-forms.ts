import { normalForm } from "../../platform/kernel/index.js"
import { foldRun, stem } from "./fold-term.js"

/** Languages whose words are also searched in other forms. */
export type FormLanguage = "de" | "fr"

/** The endings of shorter words are often words themselves. */
const lettersMin = 3

/** Candidate index terms for other forms of a word. Most are not words: the index shows which ones exist. */
interface OtherForms {
  /** Other spellings of the same word: umlauts as `ae`, `oe`, `ue` or the reverse. */
  readonly spellings: ReadonlyArray<string>
  /** Other declension and plural endings. */
  readonly forms: ReadonlyArray<string>
}

/** Returns other forms of a word as it was written. */
export const formsOf = (word: string, language: FormLanguage): OtherForms => {
  const bases = [...(language === "de" ? germanSpellings(word) : [foldRun(word)])].filter(isPlain)
  const known = new Set([stem(foldRun(word))])
  const fresh = (forms: ReadonlyArray<string>) =>
    forms.map(stem).filter((term) => {
      const isNew = !known.has(term)
      known.add(term)
      return isNew
    })
  return {
    spellings: fresh(bases),
    forms: fresh(bases.flatMap(language === "de" ? germanForms : frenchForms))
  }
}

const isPlain = (word: string): boolean => word.length <= formLettersMax && /^[a-z]+$/u.test(word)

/** Longer words are not expanded. */
const formLettersMax = 40

/**
 * Returns the word without umlauts, with umlauts written out, and with written-out ones as umlauts (as Snowball's
 * German2).
 */
const germanSpellings = (word: string): ReadonlySet<string> => {
  const lower = normalForm(word, "NFC").toLowerCase()
  const plain = foldRun(lower)
  const writtenOut = foldRun(lower.replace(/[äöü]/gu, (letter) => `${letter}e`))
  const withoutUmlauts = plain.replace(/ae|oe|(?<![aeiouq])ue/gu, ([first = ""]) => first)
  return new Set([plain, writtenOut, withoutUmlauts])
}

const germanEndings = ["", "e", "en", "er", "ern", "em", "es", "s", "n", "in", "innen"]
const germanNouns = ["ung", "ungen"]

const germanForms = (base: string): ReadonlyArray<string> => [
  ...germanStems(base).flatMap((stem) => germanEndings.map((ending) => stem + ending)),
  ...verbal(base)
]

/** Returns the word and, without its longest ending, its stem. */
const germanStems = (base: string): ReadonlyArray<string> => {
  const stem = base.replace(/(?:innen|ern|in|en|er|em|es|e|n|s)$/u, "")
  return stem === base || stem.length < lettersMin ? [base] : [base, stem]
}

/** Returns verb forms for a noun (`prüfen`, `prüft` for `Prüfung`), and the noun for a verb. */
const verbal = (base: string): ReadonlyArray<string> => {
  const root = /^(.{4,}?)(?:ungen|ung|en|t)$/u.exec(base)?.[1]
  return root === undefined ? [] : [...germanNouns, "en", "e", "t"].map((ending) => root + ending)
}

/** Returns plurals that differ by more than an `s`, and forms that the English stemmer does not unify. */
const frenchForms = (base: string): ReadonlyArray<string> => {
  const forms: Array<string> = []
  for (const [ending, others] of frenchEndings) {
    const root = base.endsWith(ending) ? base.slice(0, base.length - ending.length) : ""
    if (root.length >= lettersMin) for (const other of others) forms.push(root + other)
  }
  return forms
}

const frenchEndings: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["aux", ["al", "ale", "ales", "ail", "au"]],
  ["al", ["aux"]],
  ["ale", ["aux"]],
  ["ail", ["aux"]],
  ["x", [""]],
  ["eau", ["eaux"]],
  ["eu", ["eux"]],
  ["eux", ["euse", "euses"]],
  ["euse", ["eux"]],
  ["euses", ["eux"]],
  ["eur", ["rice", "rices", "euse", "euses"]],
  ["rice", ["eur", "eurs"]],
  ["rices", ["eur", "eurs"]],
  ["if", ["ive", "ives"]],
  ["ive", ["if", "ifs"]],
  ["ives", ["if", "ifs"]],
  ["er", ["e", "ee", "es", "ees", "ation", "ations", "ement"]],
  ["e", ["ation", "ations", "er", "ement"]],
  ["es", ["ation", "ations", "er", "ement"]],
  ["ation", ["er", "e", "es"]],
  ["ations", ["er", "e", "es"]],
  ["ement", ["er", "e", "es"]],
  ["ir", ["i", "it", "ie", "is", "issement"]],
  ["re", ["t", "u", "ue"]]
]

/** Minimum number of letters of a part of a compound. */
const partLettersMin = 4

/** Linking elements (Fugenelemente) between the parts of a German compound. */
const links = ["", "s", "n", "en", "es"]

/**
 * Returns index terms of the compounds that two of the words may form, in either order: `Beauftragter … Datenschutz`
 * finds `Datenschutzbeauftragter`.
 */
export const joinedWords = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const bases = words.slice(0, joinedWordsMax).map((word) => [...germanSpellings(word)].filter(isPart))
  const joined = new Set<string>()
  bases.forEach((heads, first) => {
    bases.forEach((tails, second) => {
      if (first === second) return
      for (const head of heads.flatMap(germanStems))
        for (const tail of tails.flatMap(tailForms))
          for (const link of links) joined.add(stem(head + link + tail))
    })
  })
  return [...joined]
}

const joinedWordsMax = 4

const isPart = (word: string): boolean => isPlain(word) && word.length >= partLettersMin

const tailForms = (base: string): ReadonlyArray<string> => {
  const [, stem] = germanStems(base)
  return stem === undefined
    ? [base, `${base}e`, `${base}en`, `${base}s`]
    : [base, stem, `${stem}e`, `${stem}er`, `${stem}en`]
}

/** A way to split a compound in two: candidate terms for each part, of which one each must be in the index. */
interface Cut {
  readonly head: ReadonlyArray<string>
  readonly tail: ReadonlyArray<string>
}

/** Returns forms of the head of a compound, such as the plural of `Datenbank`. */
const headForms = (base: string): ReadonlyArray<string> => [
  base,
  `${base}e`,
  `${base}en`,
  `${base}n`,
  `${base}er`
]

/** Returns the ways to split a long German word in two. */
export const cutsOf = (word: string): ReadonlyArray<Cut> => {
  const base = foldRun(word)
  if (!isPlain(base) || base.length < 2 * partLettersMin + 1) return []
  const cuts: Array<Cut> = []
  for (let at = partLettersMin; at + partLettersMin <= base.length; at++) {
    const heads = [base.slice(0, at)]
    const bare = /^(.{4,}?)(?:s|n|en|es)$/u.exec(heads[0] ?? "")?.[1]
    if (bare !== undefined) heads.push(bare)
    cuts.push({
      head: [...new Set(heads.flatMap(headForms).map(stem))],
      tail: [...new Set(tailForms(base.slice(at)).map(stem))]
    })
  }
  return cuts
}
