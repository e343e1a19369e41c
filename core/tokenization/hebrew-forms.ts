/** Letters that Hebrew writes before a word: article, conjunctions and prepositions, alone and combined. */
const prefixes = [
  "ה",
  "ו",
  "ב",
  "ל",
  "מ",
  "ש",
  "כ",
  "וה",
  "וב",
  "ול",
  "ומ",
  "וש",
  "וכ",
  "שה",
  "מה",
  "כש",
  "לכש"
]

/** Shorter rests are often other words. */
const restMin = 2

const isHebrew = /^[\u05d0-\u05ea]{2,32}$/u

/** Returns a Hebrew word with other prefixes and without its own; none for other words. The index decides which exist. */
export const hebrewForms = (term: string): ReadonlyArray<string> => {
  if (!isHebrew.test(term)) return []
  const bases = [
    term,
    ...prefixes.flatMap((prefix) =>
      term.startsWith(prefix) && term.length - prefix.length > restMin ? [term.slice(prefix.length)] : []
    )
  ]
  const forms = new Set(bases.flatMap((base) => [base, ...prefixes.map((prefix) => prefix + base)]))
  forms.delete(term)
  return [...forms]
}
