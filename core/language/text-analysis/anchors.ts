import { memoize } from "../../platform/caching/index.js"
import { nameNorm, normalForm } from "../../platform/kernel/index.js"
import {
  holdsUnspaced,
  isFunctionWord,
  type Language,
  matchesOf,
  unspacedApart,
  withoutUnspaced
} from "../languages/index.js"
import { codeNorm, findValues, type Value, valueEntails } from "../values/index.js"

/** A part of a question that an answer must contain literally. */
export type Anchor =
  | { readonly kind: "phrase" | "name"; readonly text: string; readonly norm: string }
  | { readonly kind: "code"; readonly text: string; readonly code: string }
  | { readonly kind: "value"; readonly text: string; readonly value: Value }

/**
 * Finds anchors: quoted phrases, codes with a digit, numbers with units, dates, and capitalised runs that do not open
 * a sentence. In German, where every noun is capitalised, only runs of two words and words with inner capitals count
 * as names.
 *
 * @param values The values of the text, if known.
 */
export const findAnchors = (
  text: string,
  language: Language,
  values: ReadonlyArray<Value> = findValues(text)
): ReadonlyArray<Anchor> => {
  const found: Array<Anchor> = [...joinedCodes(text, values)]
  for (const match of matchesOf(quotedPattern, text)) {
    const phrase = match[1]?.trim() ?? ""
    if (phrase !== "") found.push({ kind: "phrase", text: phrase, norm: nameNorm(phrase) })
  }
  for (const value of values) {
    const valueText = text.slice(value.start, value.end)
    if (found.some((anchor) => anchor.kind === "code" && anchor.text.includes(valueText))) continue
    if (value.kind === "code") found.push({ kind: "code", text: valueText, code: value.code })
    // "What does it cost for a week?" is answered by a table with a column "Week".
    else if (isIndefinite(valueText)) continue
    else if (value.kind === "date" || (value.dimension !== "count" && value.dimension !== "recurrence"))
      found.push({ kind: "value", text: valueText, value })
  }
  for (const name of names(withoutUnspaced(text), language)) {
    const known =
      found.some((anchor) => anchor.text.includes(name)) ||
      values.some((value) => value.kind === "quantity" && value.dimension === name)
    if (!known) found.push({ kind: "name", text: name, norm: nameNorm(name) })
  }
  return [...new Map(found.map((anchor) => [anchor.text, anchor])).values()].slice(0, anchorsMax)
}

/** Whether a value is a unit with an article: "a week". */
export const isIndefinite = (value: string): boolean => indefinite.test(value)
const indefinite = /^(?:an?|eine[mnrs]?|ein|un[aeo]?)\s/iu

/** Bounds the work: each anchor is looked up in every unit of the evidence. */
const anchorsMax = 16

/** "EIP 1559": an all-capitals word and a number also form one code. */
const joinedCodes = (text: string, values: ReadonlyArray<Value>): ReadonlyArray<Anchor> =>
  !digit.test(text)
    ? []
    : matchesOf(joinedCodePattern, text).flatMap(({ 0: found, index }) =>
        // "EUR 500" is an amount.
        values.some((value) => isMeasured(value) && value.start < index + found.length && index < value.end)
          ? []
          : [{ kind: "code", text: found, code: codeNorm(found) }]
      )

const isMeasured = (value: Value): boolean => value.kind === "quantity" && value.dimension !== "count"

const quotedPattern = /["“”„«‚]([^"“”„«»]{2,120})["“”»]/gu
const joinedCodePattern = /(?<![\p{L}\p{N}-])\p{Lu}{2,10} \d{1,6}(?![\p{L}\p{N}.,]\d|[\p{L}\p{N}])/gu
const spacedCodePattern = /(?<![\p{L}\p{N}])\p{L}{2,10}[ _-]\d{1,6}(?![\p{L}\p{N}])/gu
const digit = /\d/u

/**
 * Finds versions ("Version 3.0", "Python 3.12"): only the number identifies the version, so it must match literally. A
 * version with three or more parts is a code already.
 *
 * @param values The values of the text.
 */
export const findVersions = (text: string, values: ReadonlyArray<Value>): ReadonlyArray<Anchor> => {
  if (!designating.test(text)) return []
  // With a unit after it, it is an amount.
  const isBare = (index: number, number: string) =>
    values.some(
      ({ end, kind, start }) => kind === "quantity" && start === index && end === index + number.length
    )
  const versions = matchesOf(versionPattern, text).flatMap(
    ({ 0: number, index }): ReadonlyArray<Anchor> =>
      isBare(index, number) ? [{ kind: "phrase", text: number, norm: number }] : []
  )
  const keys = matchesOf(keyPattern, text).map(
    ({ 0: key }): Anchor => ({ kind: "phrase", text: key, norm: nameNorm(key) })
  )
  const models = matchesOf(modelPattern, text).flatMap(
    ({ 0: found, 1: name = "", 2: number = "", index }): ReadonlyArray<Anchor> =>
      !isFunctionWord(name, "en") &&
      !parts.test(name) &&
      !requests.test(name) &&
      isBare(index + found.length - number.length, number)
        ? [{ kind: "phrase", text: found, norm: nameNorm(found) }]
        : []
  )
  return [...versions, ...models, ...keys]
}

/** Keys such as "checkout.retry.count" and "max_results" are names. */
const keyPattern = /(?<![\p{L}\p{N}_./@:-])\p{L}[\p{L}\p{N}]+(?:[._]\p{L}[\p{L}\p{N}]+)+(?![\p{L}\p{N}@/])/gu
const designating = /\d|\p{L}[._]\p{L}/u
/** "Orca 320" is not the Orca 200. */
const modelPattern = /(?<![\p{L}\p{N}-])(\p{Lu}\p{Ll}\p{L}{0,8})[ \u00a0](\d{1,4})(?![\p{L}\p{N}%]|[.,:]\d)/gu
/** Parts of a document, which are written in many ways ("Article 5", "Art. 5", "§ 5"). */
const parts =
  /^(?:sections?|articles?|chapters?|parts?|tables?|figures?|pages?|steps?|rooms?|lines?|levels?|class|grades?|days?|weeks?|phases?|tiers?|versions?|releases?|numbers?|age|war|route|highway|abschnitt|artikel|kapitel|teil|tabelle|seite|raum|stufe|tag|woche|zimmer|étape|chapitre|artículo|capítulo)$/iu

const versionPattern =
  /(?<=(?<![\p{L}\p{N}])(?:[Vv]ersions?|[Rr]eleases?|\p{Lu}[\p{L}\p{N}'’-]*|(?:manager|date|status|changes?|notes|author|owner) (?:of|for|in))[ \u00a0])\d{1,4}\.\d{1,4}(?![\p{L}\p{N}%]|[.,]\d)|(?<=(?<![\p{L}\p{N}])(?:[Vv]ersions?|[Rr]eleases?)[ \u00a0])\d{1,4}(?![\p{L}\p{N}%]|[.,]\d)/gu

/** "The SLO of Checkout" names two things, "Bank of Norway" one. */
const namePattern =
  /(?<![\p{L}\p{N}_])\p{Lu}[\p{L}\p{N}'’&.-]*(?:(?:(?<!(?<!\p{L})\p{Lu}{2,5})\s+(?:of|de|van|von|the|du|la|del|der))?\s+\p{Lu}[\p{L}\p{N}'’&.-]*)*/gu

/** "Anzugsmoment der Schrauben" is not a name: every German noun has a capital. */
const germanNamePattern = /(?<![\p{L}\p{N}_])\p{Lu}[\p{L}\p{N}'’&.-]*(?:\s+\p{Lu}[\p{L}\p{N}'’&.-]*)*/gu

const nameWordsMax = 8

const names = (text: string, language: Language): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const match of matchesOf(language === "de" ? germanNamePattern : namePattern, text)) {
    let name = match[0].replace(/['’]s$|(?<![.'’&-])[.'’&-]+$/gu, "")
    if (opensSentence(text, match.index)) {
      // The first word is capitalised in any case; the following ones are not.
      const rest = name.split(/\s+/u)
      const first = rest[0] ?? ""
      // "What's Pikko?" names Pikko.
      const isRequest = isFunctionWord(first.replace(/['’]\p{L}+$/u, ""), language) || requests.test(first)
      if (!(isRequest || !/\p{Lu}.*\p{Lu}|\p{N}/u.test(first)) && rest.length === 1) found.push(first)
      name = isRequest || rest.length === 1 ? rest.slice(1).join(" ") : name
    }
    const words = name
      .split(/\s+/u)
      .filter((word) => word !== "" && !isFunctionWord(word, language) && !/\p{N}/u.test(word))
    // A longer run of capitals is a headline, not a name.
    name = words.slice(0, nameWordsMax).join(" ")
    if (words.length === 0 || name.length < 2) continue
    if (language === "de" && words.length === 1 && !/\p{L}\p{Lu}/u.test(name)) continue
    found.push(name)
  }
  return found
}

/** "Compare the Classic and the Gold card": a request opens with a capitalised verb. */
const requests =
  /^(?:compare|list|name|find|summari[sz]e|define|give|show|vergleiche?|nenne|liste|zeige?|comparez?|citez?|listez?|compara|enumera)$/iu

const opensSentence = (text: string, at: number): boolean =>
  /(?:^|[.!?:]\s)[\s"'“„«(¿¡]*$/u.test(text.slice(Math.max(0, at - 6), at))

/** A text in which anchors are looked up. Derived data is computed on first use. */
export class AnchorField {
  private knownNorm: string | undefined
  private knownBare: string | undefined
  private knownValues: ReadonlyArray<Value> | undefined
  private knownCodes: ReadonlySet<string> | undefined

  /** @param read The analysed text, whose values are reused. */
  constructor(
    private readonly text: string,
    private readonly read?: { readonly values: ReadonlyArray<Value> }
  ) {}

  /**
   * Whether the anchor occurs, ignoring case, punctuation, plural and possessive endings, and the notation of values.
   */
  has(anchor: Anchor): boolean {
    const { digits, owned, whole } = lookUpForms(anchor)
    if (this.hasWords(whole) || (owned.length > 1 && owned.every((part) => this.hasWords(part)))) return true
    // Last, because finding values is the slowest check.
    if (anchor.kind === "value") return this.values.some((value) => valueEntails(value, anchor.value))
    return anchor.kind === "code" && this.text.includes(digits) && this.codes.has(anchor.code)
  }

  /**
   * Returns the share of a name's words that occur here, 0 to 1: "Charles III" has two thirds of "King Charles III".
   */
  share(anchor: Anchor): number {
    if (this.has(anchor)) return 1
    if (anchor.kind !== "name") return 0
    const { parts } = lookUpForms(anchor)
    return parts.filter((part) => this.hasWords(part)).length / parts.length
  }

  private get norm(): string {
    this.knownNorm ??= ` ${unspacedApart(unaccented(nameNorm(this.text))).replace(/[^\p{L}\p{N}]+/gu, " ")} `
    return this.knownNorm
  }

  /** Without the small words inside names: the anchor of "Duchy of Normandy" is "Duchy Normandy". */
  private get bare(): string {
    this.knownBare ??= withoutLinks(this.norm)
    return this.knownBare
  }

  private get values(): ReadonlyArray<Value> {
    this.knownValues ??= this.read?.values ?? findValues(this.text)
    return this.knownValues
  }

  private get codes(): ReadonlySet<string> {
    this.knownCodes ??= new Set([
      ...this.values.flatMap((value) => (value.kind === "code" ? [value.code] : [])),
      ...(digit.test(this.text) ? matchesOf(spacedCodePattern, withoutUnspaced(this.text)) : []).map(
        (match) => codeNorm(match[0])
      )
    ])
    return this.knownCodes
  }

  private hasWords({ bare, forms, isUnspaced, stem, words }: WordSequence): boolean {
    if (words === "") return true
    if (isUnspaced) return this.norm.includes(words)
    if (this.norm.includes(stem) && forms.some((form) => this.norm.includes(form))) return true
    return words.includes(" ") && this.bare.includes(bare)
  }
}

/** A sequence of words to look up. */
interface WordSequence {
  readonly words: string
  readonly isUnspaced: boolean
  /** The words as written, and in the plural or singular. */
  readonly forms: ReadonlyArray<string>
  /** Common prefix of all forms: one look-up rules them all out. */
  readonly stem: string
  readonly bare: string
}

const soughtOf = (norm: string): WordSequence => {
  const words = unspacedApart(unaccented(norm))
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
  const singular = words.endsWith("s") && words.length > 3 ? words.slice(0, -1) : words
  return {
    words,
    isUnspaced: holdsUnspaced(words),
    forms: [...new Set([` ${words} `, ` ${words}s `, ` ${singular} `])],
    stem: ` ${singular}`,
    bare: withoutLinks(` ${words} `)
  }
}

/** Returns the look-up forms of an anchor, whole and word by word, memoized for many texts. */
const lookUpForms = memoize((anchor: Anchor) => {
  const norm = anchor.kind === "phrase" || anchor.kind === "name" ? anchor.norm : nameNorm(anchor.text)
  const words = anchor.kind === "name" ? norm.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "") : []
  // "Temur Khan's Chinese" consists of two names.
  const owned = anchor.kind === "name" ? norm.split(/['’]s\s+/u) : []
  // The digits of a code are contiguous in any notation; separators are omitted only beside letters.
  const digits = anchor.kind === "code" ? (/\d+/u.exec(anchor.code)?.[0] ?? "") : ""
  return { whole: soughtOf(norm), parts: words.map(soughtOf), owned: owned.map(soughtOf), digits }
})

/** Removes accents: "Temür" is also written "Temur". */
const unaccented = (text: string): string =>
  accented.test(text)
    ? normalForm(normalForm(text, "NFD").replace(/(\p{Script=Latin})\p{M}+/gu, "$1"), "NFC")
    : text
const accented = /[\u00c0-\u024f\u1e00-\u1eff]/u

/** Removes the linking words of a name. */
const withoutLinks = (norm: string): string =>
  norm.replace(/ (?:(?:of|the|de|van|von|du|la|del|der|and|und|et|y|s) )+/gu, " ")
