import { baseForm } from "../tokenization/index.js"

/** The words that a lemma may be. */
export interface Lexicon {
  readonly has: (word: string) => boolean
  /** Whether a word is an adjective that forms "-er" and "-est". */
  readonly compares: (word: string) => boolean
}

/** A base form and the degree in which a word has it: 1 for "bigger", 2 for "biggest", 0 for all other forms. */
export interface Lemma {
  readonly word: string
  readonly degree: 0 | 1 | 2
}

const plurals: ReadonlyArray<readonly [ending: string, base: string]> = [
  ["s", ""],
  ["es", ""],
  ["ies", "y"],
  ["ves", "f"],
  ["men", "man"]
]
const verbal = ["ed", "ing"] as const
const degrees = [
  ["er", 1],
  ["est", 2]
] as const

/** Words that look like a form of another word and are none. */
const noForms: ReadonlySet<string> = new Set(
  "news goods customs arms species series glasses evening being ceiling outing during outed".split(" ")
)

/** British spellings with the American ones. */
const british: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(\w{3,})is(e|es|ed|er|ers|ing|ation|ations)$/u, "$1iz$2"],
  [/^(\w{2,})ys(e|es|ed|er|ers|ing)$/u, "$1yz$2"],
  [/^(\w{2,})our(s|ed|ing|ite|ites|able|ful|less|hood|hoods)?$/u, "$1or$2"],
  [/^(\w{2,}[bt])re(s|d)?$/u, "$1er$2"],
  [/^(\w{3,})ogue(s|d)?$/u, "$1og$2"],
  [/^(\w{2,}[aeiou])ll(ed|ing|er|ers)$/u, "$1l$2"],
  [/^(\w{3,})ence(s|d)?$/u, "$1ense$2"],
  [/^(\w{3,})gramme(s)?$/u, "$1gram$2"]
]

/** Returns a lower-case English word in British and American spelling; most rewritten forms are no words. */
export const spellingsOf = (word: string): ReadonlySet<string> =>
  new Set([word, ...british.map(([from, to]) => word.replace(from, to))])

/** Returns the words of a lexicon of which a lower-case English word is a form, in British or American spelling. */
export const lemmasOf = (word: string, lexicon: Lexicon): ReadonlyArray<Lemma> => {
  const found = new Map<string, Lemma>()
  const add = (lemma: string, degree: Lemma["degree"] = 0): boolean => {
    const isKnown = lexicon.has(lemma)
    if (isKnown && !found.has(lemma)) found.set(lemma, { word: lemma, degree })
    return isKnown
  }
  for (const form of spellingsOf(word)) {
    add(form)
    if (noForms.has(form)) continue
    add(baseForm(form))
    for (const [ending, base] of plurals) if (form.endsWith(ending)) add(rootOf(form, ending) + base)
    for (const ending of verbal)
      if (form.endsWith(ending)) for (const base of verbsOf(form, ending, add)) add(base)
    for (const [ending, degree] of degrees)
      if (form.endsWith(ending))
        for (const base of basesOf(rootOf(form, ending))) if (lexicon.compares(base)) add(base, degree)
  }
  return [...found.values()]
}

const rootOf = (form: string, ending: string): string => form.slice(0, form.length - ending.length)

/** "Hoping" is of "hope" and not of "hop", which would be "hopping". */
const verbsOf = (form: string, ending: string, add: (lemma: string) => boolean): ReadonlyArray<string> => {
  const root = rootOf(form, ending)
  if (root.length < 2) return []
  return /[^aeiou][aeiou][^aeiouwxy]$/u.test(root) && add(`${root}e`) ? [] : basesOf(root)
}

/** "Planned", "bigger", "tried", "lying" and forms that add an ending alone. */
const basesOf = (root: string): ReadonlyArray<string> => [
  root,
  `${root}e`,
  ...(/([bcdfglmnprtz])\1$/u.test(root) ? [root.slice(0, -1)] : []),
  ...(root.endsWith("i") ? [`${root.slice(0, -1)}y`] : []),
  ...(root.endsWith("y") ? [`${root.slice(0, -1)}ie`] : [])
]
