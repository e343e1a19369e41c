import { groupsOf, isAcronymIn, isFunctionWord, type Language } from "../languages/index.js"
import { digitsOf } from "./number-terms.js"
import { withWholeNumbers } from "./whole-numbers.js"

/** The shared analysis of text into index terms: lower case, stems, CJK bigrams. */
export type Analyser = (text: string) => ReadonlyArray<{
  readonly term: string
  readonly position: number
  readonly start: number
  readonly end: number
}>

/** Rarity of a term in the workspace: `ln(1 + (N - df + 0.5) / (df + 0.5))`, also for unknown terms. */
export type Idf = (term: string) => number

/** A content term with its original word. */
export interface Term {
  readonly term: string
  readonly surface: string
  readonly start: number
  readonly end: number
}

/** An indexed word of a text. */
export interface Token {
  readonly term: string
  readonly isContent: boolean
}

/**
 * Returns the terms of a text about its subject, in order. For a code that the analyser gives whole and in parts, the
 * parts.
 */
export const contentTerms = (analyse: Analyser, text: string, language: Language): ReadonlyArray<Term> => {
  const tokens =
    language === "cjk"
      ? unspacedTerms(analyse(withoutParticles(text)))
      : withWholeNumbers(text, analyse(text))
  const isContent = (surface: string) => !isFunctionWord(surface, language) || isAcronymIn(text, surface)
  return tokens.flatMap(({ term, start, end }, index) => {
    const surface = text.slice(start, end)
    const next = tokens[index + 1]
    const isWhole =
      next !== undefined && next.start >= start && next.end <= end && next.end - next.start < end - start
    return isWhole || !isContent(surface) ? [] : [{ term, surface, start, end }]
  })
}

/**
 * Question phrases of Chinese and Japanese, without words of the subject. Hiragana are nearly always particles and
 * endings. Replaced by blanks, which keeps the offsets and separates pairs of characters.
 */
const particles =
  /누구(?:입니까|인가요|예요|죠)?|언제(?:입니까|인가요)?|어디(?:입니까|인가요|에서|에)?|무엇(?:입니까|인가요|을|이)?|몇|얼마(?:입니까|인가요)?|왜|어떻게|(?:입니|합니|습니|됩니|하나|인가|나|까)(?:까|다|요)(?=[\s?？.!]|$)|什[么麼]时候|什麼時候|什[么麼]|多长时间|多長時間|多少[天个個次年月人元块塊名件位台种種小]?|多[久大高重远遠宽寬深快]|哪[里裡些个個儿年天种種位]|怎[么麼样樣办辦]+|如何|[为為]什[么麼]|是否|[请請][问問]|[几幾](?:[个個](?:小时|小時|月|人)?|小时|小時|[天年月次点點号號人元块塊名件位台种種折页頁条條时時分秒项項])|何(?:時間|日間|分間|年間|週間|[かカヶケ箇]月|曜日|パーセント|キロ|トン|リットル|メートル|ミリ|グラム|ページ|文字|[時日月年分秒人名個本枚回件台度歳円番号色])|一次|需要|可以|[应應][该該]|必[须須]|能否|[谁誰何]|[是的了吗嗎呢吧]|(?<![主重])要(?![求点點素件])|(?<![所享拥擁占具没沒])有(?![效限关關利机機料])|(?<![存所正])在(?![线線职職庫库])|[ぁ-ゖ]+/gu

const withoutParticles = (text: string): string => {
  const bare = text.replace(particles, (found) => " ".repeat(found.length))
  return /[\p{L}\p{N}]/u.test(bare) ? bare : text
}

/** Omits single characters, which mean little by themselves, unless there is nothing else. */
const unspacedTerms = (tokens: ReturnType<Analyser>): ReturnType<Analyser> => {
  const long = tokens.filter(({ term }) => !isVague.test(term))
  return long.length > 0 ? long : tokens
}
const isVague =
  /^[一二三四五六七八九十百千年月日週周時时分秒人名個个本件回次度際时時他前後后中上下内內外間间物事者々等用能会會把被从從由和与與或以及及对對该該此其些我你他她它您们們]$/u

/** The distinct terms of a text, optimized for repeated look-ups. */
export class TermSet {
  private readonly terms: ReadonlySet<string>
  private knownGroups: ReadonlySet<string> | undefined
  private knownNumbers: ReadonlySet<string> | undefined
  private knownParts: Parts | undefined
  private knownSigns: ReadonlyMap<string, number> | undefined

  constructor(terms: Iterable<string>) {
    this.terms = new Set(terms)
  }

  get size(): number {
    return this.terms.size
  }

  has(term: string): boolean {
    return this.terms.has(term)
  }

  every(test: (term: string) => boolean): boolean {
    for (const term of this.terms) if (!test(term)) return false
    return true
  }

  /** Returns the Jaccard similarity: shared terms over all terms; 0 for two empty sets. */
  overlap(other: TermSet): number {
    let shared = 0
    for (const term of this.terms) if (other.terms.has(term)) shared += 1
    const all = this.size + other.size - shared
    return all === 0 ? 0 : shared / all
  }

  /**
   * Returns how well the set covers a term, from 0 to 1: 1 for the term itself and for a number that is written
   * otherwise ("four" and "4"), 0.7 for a listed synonym, up to 0.75 for a word with the same beginning ("Urlaub" in "Urlaubstage", "director" and "directorate"), and in German for
   * one with the same ending ("Frist" in "Kündigungsfrist").
   */
  match(term: string, language: Language): number {
    return this.terms.has(term) ? 1 : this.carry(soughtTerm(term, language))
  }

  /** Returns the same for a prepared term. */
  matchSought(sought: SoughtTerm): number {
    return this.terms.has(sought.term) ? 1 : this.carry(sought)
  }

  /** Returns the union of sets. */
  static union(sets: ReadonlyArray<TermSet>): TermSet {
    const all = new Set<string>()
    for (const { terms } of sets) for (const term of terms) all.add(term)
    return new TermSet(all)
  }

  /** Returns the same for several sets treated as one; no word spans two of their texts. */
  static matchIn(sets: ReadonlyArray<TermSet>, term: string, language: Language): number {
    return TermSet.matchSoughtIn(sets, soughtTerm(term, language))
  }

  static matchSoughtIn(sets: ReadonlyArray<TermSet>, sought: SoughtTerm): number {
    for (const set of sets) if (set.terms.has(sought.term) || set.holdsNumber(sought)) return 1
    for (const set of sets) if (set.holdsSynonym(sought)) return synonymMatch
    if (sought.isSign) return Math.max(0, ...sets.map((set) => set.carry(sought)))
    let best = 0
    for (const set of sets) best = Math.max(best, set.partMatch(sought))
    return best
  }

  private carry(sought: SoughtTerm): number {
    if (sought.isSign) return this.signs.get(sought.term) ?? 0
    if (this.holdsNumber(sought)) return 1
    return this.holdsSynonym(sought) ? synonymMatch : this.partMatch(sought)
  }

  /** Chinese characters of its pairs: one before a Japanese ending is a word by itself. */
  private get signs(): ReadonlyMap<string, number> {
    if (this.knownSigns !== undefined) return this.knownSigns
    const signs = new Map<string, number>()
    for (const term of this.terms) {
      const pair = signPair.exec(term)
      if (pair === null) continue
      const [, first = "", second = ""] = pair
      signs.set(first, Math.max(signs.get(first) ?? 0, isEnding.test(second) ? signMatch : pairMatch))
      if (isSign.test(second)) signs.set(second, Math.max(signs.get(second) ?? 0, pairMatch))
    }
    this.knownSigns = signs
    return signs
  }

  private holdsNumber({ digits }: SoughtTerm): boolean {
    if (digits === null) return false
    this.knownNumbers ??= new Set([...this.terms].flatMap((term) => digitsOf(term) ?? []))
    return this.knownNumbers.has(digits)
  }

  private holdsSynonym({ groups }: SoughtTerm): boolean {
    if (groups.length === 0) return false
    this.knownGroups ??= new Set([...this.terms].flatMap(groupsOf))
    for (const group of groups) if (this.knownGroups.has(group)) return true
    return false
  }

  private partMatch({ language, part, term }: SoughtTerm): number {
    if (part === null) return 0
    this.knownParts ??= partsOf(this.terms)
    const { heads, long, tails } = this.knownParts
    const { head, tail, verb } = part
    let best = verb !== null && long.some((other) => sharedPart(verb, other, "other") > 0) ? verbMatch : 0
    // Words with a common part agree at the beginning up to the shortest part, in German also at the end.
    for (let at = 0; at < long.length; at += 1)
      if (heads[at] === head || (tail !== null && tails[at] === tail))
        best = Math.max(
          best,
          sharedPart(term, long[at] ?? "", language),
          this.whole(term, long[at] ?? "", language)
        )
    return best
  }

  /** Matches a compound such as "Urlaubstage" when the set contains both "Urlaub" and "Tage". */
  private whole(term: string, head: string, language: Language): number {
    if (language !== "de" || !term.startsWith(head) || term.length < head.length + restLengthMin) return 0
    const rest = term.slice(head.length)
    const rests = /^[sn]/u.test(rest) ? [rest, rest.slice(1)] : [rest]
    const isSaid = rests.some(
      (one) =>
        one.length >= restLengthMin &&
        [...this.terms].some((other) => other.startsWith(one) && other.length <= one.length + endingLengthMax)
    )
    return isSaid ? wholeMatch : 0
  }
}

/** A term with its precomputed look-up data. */
export interface SoughtTerm {
  readonly term: string
  readonly language: Language
  readonly groups: ReadonlyArray<string>
  /** The digits of a number, which may be spelled; null for other terms. */
  readonly digits: string | null
  /** A single Chinese character of the question; texts contain it in pairs. */
  readonly isSign: boolean
  /** Null for a term without common parts. */
  readonly part: {
    /** Hashes of its beginning and, in German, its ending. */
    readonly head: number
    readonly tail: number | null
    /** The verb without a separable prefix, which German also puts at the end of a clause. */
    readonly verb: string | null
  } | null
}

export const soughtTerm = (term: string, language: Language): SoughtTerm => ({
  term,
  language,
  groups: groupsOf(term),
  digits: digitsOf(term),
  isSign: isSign.test(term),
  part: hasParts(term) ? partsSought(term, language) : null
})

const partsSought = (term: string, language: Language): NonNullable<SoughtTerm["part"]> => ({
  head: headOf(term),
  tail: language === "de" ? tailOf(term) : null,
  verb: language === "de" ? (separable.exec(term)?.[1] ?? null) : null
})

/** Matches "aufbewahrt" with "bewahrt … auf". */
const separable = /^(?:ab|an|auf|aus|bei|ein|mit|nach|vor|zu|zuruck|weg|durch|um)(?:ge|zu)?(\p{L}{5,})$/u
const verbMatch = 0.6

const synonymMatch = 0.7
const isSign = /^\p{Script=Han}$/u
const isEnding = /^[ぁ-ゖ]$/u
const signPair = /^(\p{Script=Han})(\p{Script=Han}|[ぁ-ゖ])$/u
const signMatch = 1
const pairMatch = 0.7
const wholeMatch = 0.9
const restLengthMin = 3
const endingLengthMax = 2
const partMinLength = 5
const hasDigit = /\p{N}/u
const hasParts = (term: string): boolean => term.length >= partMinLength && !hasDigit.test(term)

/** The words of a set that may share a part with another, and hashes of their beginnings and endings. */
interface Parts {
  readonly long: ReadonlyArray<string>
  readonly heads: Int32Array
  readonly tails: Int32Array
}

const partsOf = (terms: ReadonlySet<string>): Parts => {
  const long = [...terms].filter(hasParts)
  return { long, heads: Int32Array.from(long, headOf), tails: Int32Array.from(long, tailOf) }
}

const headOf = (term: string): number => hashOf(term, 0)
const tailOf = (term: string): number => hashOf(term, term.length - partMinLength)

const hashOf = (term: string, from: number): number => {
  let hash = 0
  for (let at = from; at < from + partMinLength; at += 1) hash = Math.imul(hash, 31) + term.charCodeAt(at)
  return hash | 0
}

const sharedPart = (a: string, b: string, language: Language): number => {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  if (long.startsWith(short)) {
    const share = short.length / long.length
    return language === "de" || share >= 0.6 ? Math.min(0.75, 0.45 + 0.4 * share) : 0
  }
  if (language === "de" && long.endsWith(short)) return 0.6
  // "responsible" and "responsibility": the common part must be most of both.
  let shared = 0
  while (shared < short.length && short.charCodeAt(shared) === long.charCodeAt(shared)) shared++
  return shared >= 6 && shared / long.length >= 0.7 ? 0.65 : 0
}
