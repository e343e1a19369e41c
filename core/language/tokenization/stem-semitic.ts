/**
 * Returns the stem of a folded word in Arabic script: the light stemmer "light10" (Larkey, Ballesteros and Connell,
 * 2007), which removes conjunction, article and common endings, with the Persian plural. Total; at least two letters
 * remain.
 */
export const stemArabic = (word: string): string => {
  let rest = word.startsWith("و") && word.length > 3 ? word.slice(1) : word
  const article = articles.find(
    (prefix) => rest.startsWith(prefix) && rest.length - prefix.length >= lettersMin
  )
  if (article !== undefined) rest = rest.slice(article.length)
  for (const ending of endings)
    if (rest.endsWith(ending) && rest.length - ending.length >= lettersMin)
      rest = rest.slice(0, -ending.length)
  return rest
}

const lettersMin = 2

/** The article alone and joined to a preposition; the longest first. */
const articles = ["بال", "كال", "فال", "ال", "لل"]

/** Endings in folded form (ة is ه, ى and ی are ي), each removed once in this order. */
const endings = ["هاي", "ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي"]

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
