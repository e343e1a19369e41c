import { isFunctionWord, type Language } from "./language.js"
import { groupsOf } from "./synonyms.js"

/** The shared analysis of text into index terms (see the retrieval room): lower case, stems, CJK bigrams. */
export type Analyser = (text: string) => ReadonlyArray<{
  readonly term: string
  readonly position: number
  readonly start: number
  readonly end: number
}>

/** Rarity of a term in the workspace: `ln(1 + (N - df + 0.5) / (df + 0.5))`, also for terms that nothing holds. */
export type Idf = (term: string) => number

/** A content term with the word it came from. */
export interface Term {
  readonly term: string
  readonly surface: string
  readonly start: number
  readonly end: number
}

/** A word of a text as it is indexed. */
export interface Token {
  readonly term: string
  readonly isContent: boolean
}

/**
 * The terms of a text that say something about its subject, in order. Of a code that the analyser gives whole
 * and in parts, the parts.
 */
export const contentTerms = (analyse: Analyser, text: string, language: Language): ReadonlyArray<Term> => {
  const tokens = language === "cjk" ? unspacedTerms(analyse(withoutParticles(text))) : analyse(text)
  return tokens.flatMap(({ term, start, end }, index) => {
    const surface = text.slice(start, end)
    const next = tokens[index + 1]
    const isWhole =
      next !== undefined && next.start >= start && next.end <= end && next.end - next.start < end - start
    return isWhole || isFunctionWord(surface, language) ? [] : [{ term, surface, start, end }]
  })
}

/**
 * What a question in Chinese or Japanese is asked with: no word of its subject. Hiragana are particles and endings
 * nearly always. Blanks in their place keep the offsets, and no pair of characters reaches over them.
 */
const particles =
  /什[么麼]时候|什麼時候|什[么麼]|多长时间|多長時間|多少[天个個次年月人元块塊名件位台种種小]?|多[久大高重远遠宽寬深快]|哪[里裡些个個儿年天种種位]|怎[么麼样樣办辦]+|如何|[为為]什[么麼]|是否|[请請][问問]|[几幾](?:[个個](?:小时|小時|月|人)?|小时|小時|[天年月次点點号號人元块塊名件位台种種折页頁条條时時分秒项項])|何(?:時間|日間|分間|年間|週間|[かカヶケ箇]月|曜日|パーセント|キロ|トン|リットル|メートル|ミリ|グラム|ページ|文字|[時日月年分秒人名個本枚回件台度歳円番号色])|一次|需要|可以|[应應][该該]|必[须須]|能否|[谁誰何]|[是的了吗嗎呢吧]|(?<![主重])要(?![求点點素件])|(?<![所享拥擁占具没沒])有(?![效限关關利机機料])|(?<![存所正])在(?![线線职職庫库])|[ぁ-ゖ]+/gu

const withoutParticles = (text: string): string => {
  const bare = text.replace(particles, (found) => " ".repeat(found.length))
  return /[\p{L}\p{N}]/u.test(bare) ? bare : text
}

/** Without lone characters that mean little by themselves, where there is more. */
const unspacedTerms = (tokens: ReturnType<Analyser>): ReturnType<Analyser> => {
  const long = tokens.filter(({ term }) => !isVague.test(term))
  return long.length > 0 ? long : tokens
}
const isVague =
  /^[一二三四五六七八九十百千年月日週周時时分秒人名個个本件回次度際时時他前後后中上下内內外間间物事者々等用能会會把被从從由和与與或以及及对對该該此其些我你他她它您们們]$/u

/** The distinct terms of a text, made to be asked many times. */
export class TermSet {
  private readonly terms: ReadonlySet<string>
  private knownGroups: ReadonlySet<string> | undefined
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

  /** Jaccard similarity: shared terms over all terms; 0 for two empty sets. */
  overlap(other: TermSet): number {
    let shared = 0
    for (const term of this.terms) if (other.terms.has(term)) shared += 1
    const all = this.size + other.size - shared
    return all === 0 ? 0 : shared / all
  }

  /**
   * How well the set carries a term, from 0 to 1: 1 for the term itself, 0.7 for a listed synonym, up to 0.75
   * for a word that begins alike ("Urlaub" in "Urlaubstage", "director" and "directorate"), and in German for
   * one that ends alike ("Frist" in "Kündigungsfrist").
   */
  match(term: string, language: Language): number {
    return this.terms.has(term) ? 1 : this.carry(soughtTerm(term, language))
  }

  /** The same of a term that is looked for in many sets. */
  matchSought(sought: SoughtTerm): number {
    return this.terms.has(sought.term) ? 1 : this.carry(sought)
  }

  /** All terms of all sets. */
  static union(sets: ReadonlyArray<TermSet>): TermSet {
    const all = new Set<string>()
    for (const { terms } of sets) for (const term of terms) all.add(term)
    return new TermSet(all)
  }

  /** The same of several sets as if they were one: of texts that no word reaches across. */
  static matchIn(sets: ReadonlyArray<TermSet>, term: string, language: Language): number {
    return TermSet.matchSoughtIn(sets, soughtTerm(term, language))
  }

  static matchSoughtIn(sets: ReadonlyArray<TermSet>, sought: SoughtTerm): number {
    for (const set of sets) if (set.terms.has(sought.term)) return 1
    for (const set of sets) if (set.holdsSynonym(sought)) return synonymMatch
    if (sought.isSign) return Math.max(0, ...sets.map((set) => set.carry(sought)))
    let best = 0
    for (const set of sets) best = Math.max(best, set.partMatch(sought))
    return best
  }

  private carry(sought: SoughtTerm): number {
    if (sought.isSign) return this.signs.get(sought.term) ?? 0
    return this.holdsSynonym(sought) ? synonymMatch : this.partMatch(sought)
  }

  /** The Chinese characters that its pairs hold: one before a Japanese ending is the word itself. */
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
    // Words that share a part at all begin alike as far as the shortest part goes, in German also end alike.
    for (let at = 0; at < long.length; at += 1)
      if (heads[at] === head || (tail !== null && tails[at] === tail))
        best = Math.max(
          best,
          sharedPart(term, long[at] ?? "", language),
          this.whole(term, long[at] ?? "", language)
        )
    return best
  }

  /** "Urlaubstage", where "Urlaub" and "Tage" are said. */
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

/** A term with what is asked of it in each set. */
export interface SoughtTerm {
  readonly term: string
  readonly language: Language
  readonly groups: ReadonlyArray<string>
  /** A Chinese character that stands alone in the question: texts hold it in pairs. */
  readonly isSign: boolean
  /** Null of one that shares no part with others. */
  readonly part: {
    /** Hashes of how it begins and, in German, ends. */
    readonly head: number
    readonly tail: number | null
    /** The verb without what German puts before it or far behind it. */
    readonly verb: string | null
  } | null
}

export const soughtTerm = (term: string, language: Language): SoughtTerm => ({
  term,
  language,
  groups: groupsOf(term),
  isSign: isSign.test(term),
  part: hasParts(term) ? partsSought(term, language) : null
})

const partsSought = (term: string, language: Language): NonNullable<SoughtTerm["part"]> => ({
  head: headOf(term),
  tail: language === "de" ? tailOf(term) : null,
  verb: language === "de" ? (separable.exec(term)?.[1] ?? null) : null
})

/** "Aufbewahrt" is what one does who "bewahrt … auf". */
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

/** The words of a set that may share a part with another, and hashes of how they begin and end. */
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
  // "responsible" and "responsibility": what they share must be most of both.
  let shared = 0
  while (shared < short.length && short.charCodeAt(shared) === long.charCodeAt(shared)) shared++
  return shared >= 6 && shared / long.length >= 0.7 ? 0.65 : 0
}
