/** The language of the console: which it is, its texts, and how it writes numbers and dates. */

const names = { en: "English", de: "Deutsch" } as const
/** Languages with their own names. */
export const languages: Readonly<Record<Language, string>> = names
export type Language = keyof typeof names

const slot = "kanon.language"
const isLanguage = (tag: string): tag is Language => Object.hasOwn(names, tag)
const baseOf = (tag: string): string => tag.split("-")[0]?.toLowerCase() ?? ""

/** The language that was chosen in this browser, or null where the browser's own decides. */
export const chosenLanguage = (): Language | null => {
  const kept = localStorage.getItem(slot)
  return kept !== null && isLanguage(kept) ? kept : null
}

/** Keeps the choice and loads the page again: every text of it is of one language. */
export const chooseLanguage = (language: Language | null): void => {
  if (language === null) localStorage.removeItem(slot)
  else localStorage.setItem(slot, language)
  location.reload()
}

/** The chosen language, else the first one of the browser that there is, else English. */
export const wantedLanguage = (): Language =>
  chosenLanguage() ?? navigator.languages.map(baseOf).find(isLanguage) ?? "en"

/** Texts by the name of their section. */
export type Dictionary = Readonly<Record<string, unknown>>

/** Texts of the same shape in any language. */
export type Words<Text> = Text extends string
  ? string
  : Text extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Key in keyof Text]: Words<Text[Key]> }

let language: Language = "en"
let words: Dictionary = {}
let locale: string | undefined

/** Makes a language that of the page. Comes before the code of the pages, which takes its texts when it is loaded. */
export const beginIn = (next: Language): void => {
  language = next
  // Of its regions the browser's own: en-GB and de-AT write dates and numbers in their ways.
  locale = navigator.languages.find((tag) => baseOf(tag) === next) ?? next
  document.documentElement.lang = next
}

export const currentLanguage = (): Language => language

/** Adds sections of the current language. */
export const addWords = (more: Dictionary): void => {
  words = { ...words, ...more }
}

/** The texts of a section in the current language. A test holds the sections of all languages to the same keys. */
export const inLanguage = <Text>(section: string, english: Text): Words<Text> =>
  (words[section] ?? english) as Words<Text>

/** How `Intl` writes numbers and dates here; undefined is the way of the machine. */
export const localeOf = (): string | undefined => locale

/** A number as people write it. */
export const formatNumber = (value: number): string => new Intl.NumberFormat(locale).format(value)

/** `7 %` for 0.07, with a number of decimals at most. */
export const formatShare = (share: number, decimals = 0): string =>
  new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: decimals }).format(share)

/** A date with its time. */
export const formatMoment = (at: Date): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(at)

/** `1 document`, `2 documents`; German and English use the plural for 0 as well. */
export const counted = (count: number, one: string, many: string): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`
