import { type Language, matchesOf } from "../languages/index.js"
import type { Analyser } from "./terms.js"

/** A word as it stands in a text, with the signs that belong to it ("C++"). */
export interface OpenWord {
  readonly term: string
  readonly surface: string
  readonly start: number
  readonly end: number
  /** A single capital letter that names something: "grade A", "vitamin C". */
  readonly isLabel: boolean
}

/**
 * Returns the words of a text in order, function words included, each with its index term where the index has one: of a
 * code that the analyser gives whole and in parts, the parts.
 *
 * @param indexed The analysed text.
 */
export const openWordsIn = (text: string, indexed: ReturnType<Analyser>): ReadonlyArray<OpenWord> => {
  const terms = new Map<number, { readonly term: string; readonly end: number }>()
  for (const { end, start, term } of indexed) {
    const known = terms.get(start)
    if (known === undefined || end < known.end) terms.set(start, { term, end })
  }
  return matchesOf(wordPattern, text).map(({ 0: word, index: start }) => {
    const end = start + word.length
    const sign = signAfter.exec(text.slice(end, end + 3))?.[0] ?? ""
    return {
      term: (word.includes(".") ? word.toLowerCase() : (terms.get(start)?.term ?? word.toLowerCase())) + sign,
      surface: word + sign,
      start,
      end: end + sign.length,
      isLabel: isLabel(text, start, end)
    }
  })
}

/** A host, file or dotted key is one word: `staging.example.org` is not `www.example.org`. */
const wordPattern =
  /(?<![\p{L}\p{N}.-])\p{L}[\p{L}\p{N}-]{1,60}(?:\.[\p{L}\p{N}][\p{L}\p{N}-]{1,60}){1,8}(?![\p{L}\p{N}-])|[\p{L}\p{M}\p{N}]+/gu
const signAfter = /^(?:\+{1,2}|#)(?![\p{L}\p{N}])/u

const isLabel = (text: string, start: number, end: number): boolean =>
  end - start === 1 &&
  /\p{Lu}/u.test(text.charAt(start)) &&
  /\p{L} $/u.test(text.slice(Math.max(0, start - 2), start)) &&
  text.charAt(start) !== "I"

const listed = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/u))

/** Words that add nothing to a statement beyond what the rest of it says. */
const lightWords: Partial<Record<Language, ReadonlySet<string>>> = {
  en: listed(`located situated called named termed also however furthermore moreover additionally therefore thus hence
    namely respectively indeed refers means stands because due like need needs come comes`),
  de: listed(`gelegen genannt auch jedoch außerdem zudem ferner daher deshalb somit also nämlich jeweils befindet
    befinden liegt liegen heißt heißen`),
  es: listed(
    `ubicado ubicada situado situada llamado llamada también además embargo tanto encuentra encuentran`
  )
}

/** Whether a word may be added to a statement without changing what it says; in the place of another word it may. */
export const isLightWord = (word: string, language: Language): boolean =>
  (lightWords[language] ?? lightWords.en)?.has(word.toLowerCase()) === true

/** Function words of which one in the place of another changes what is said. */
const relations: Partial<Record<Language, ReadonlyArray<ReadonlySet<string>>>> = {
  en: [
    listed("within after before until till since during"),
    listed("with without"),
    listed("above over below under beneath"),
    listed("inside outside"),
    listed("in out"),
    listed("on off"),
    listed("up down"),
    listed("into from"),
    listed("for against")
  ],
  de: [
    listed("innerhalb nach vor bis seit während"),
    listed("mit ohne"),
    listed("über oberhalb unter unterhalb"),
    listed("für gegen")
  ],
  es: [
    listed("dentro después antes hasta desde durante tras"),
    listed("con sin"),
    listed("sobre encima bajo debajo"),
    listed("contra para")
  ],
  fr: [listed("avant après depuis pendant"), listed("avec sans"), listed("sur sous"), listed("pour contre")]
}
/** Words that say the same although both are listed. */
const alike = listed(
  "above-over over-above below-under under-below below-beneath beneath-below under-beneath beneath-under until-till till-until über-oberhalb oberhalb-über unter-unterhalb unterhalb-unter después-tras tras-después sobre-encima encima-sobre bajo-debajo debajo-bajo"
)

/** Whether one word in the place of the other turns the relation between the words around it: "after", "within". */
export const turnsRelation = (one: string, other: string, language: Language): boolean => {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()]
  return (
    a !== b &&
    !alike.has(`${a}-${b}`) &&
    (relations[language] ?? []).some((words) => words.has(a) && words.has(b))
  )
}
