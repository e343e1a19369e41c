import { AnchorField, findAnchors } from "./anchors.js"
import type { Evidence, EvidenceData } from "./evidence.js"
import { isFunctionWord, type Language, languageOf, negationCount } from "./language.js"
import type { Claim } from "./model.js"
import { hasDirection, isDirectionWord, opposes } from "./oppositions.js"
import { contentTerms, type Term, TermSet } from "./terms.js"
import { findValues, type Value, valueEntails } from "./values.js"

export const verifierId = "builtin/lexical-1"

/** Why a claim that shares its words with the evidence is still not carried by it. */
export type Veto = "value" | "name" | "negation" | "opposite" | "truncated"

export interface ClaimCheck {
  readonly supported: boolean
  /** Alignment of the best window, 0 to 1; 0 under a veto or without a known citation. */
  readonly support: number
  readonly veto?: Veto
}

/** Share of a claim's words, weighted by rarity, that its window must hold. */
const alignmentMin = 0.6

/**
 * Checks one claim against what it cites: windows of one to three neighbouring units of each cited source, and
 * the best window of each joined. Pure; blind to paraphrase beyond stems, listed synonyms and normalised values.
 */
export const checkClaim = (claim: Claim, evidence: Evidence): ClaimCheck => {
  const reader = new ClaimReader(claim, evidence)
  const windows = claim.citations.flatMap((id) => windowsOf(id, evidence, reader))
  if (windows.length === 0) return { supported: false, support: 0 }
  const best = windows.flat().sort((a, b) => b.alignment - a.alignment)
  const joined =
    windows.length > 1
      ? [
          reader.join(
            windows.flatMap((group) => [...group].sort((a, b) => b.alignment - a.alignment).slice(0, 1))
          )
        ]
      : []
  let veto: Veto | undefined
  for (const window of [...best, ...joined]) {
    if (window.alignment < alignmentMin) continue
    const found = reader.veto(window)
    if (found === undefined) return { supported: true, support: window.alignment }
    veto ??= found
  }
  if (veto !== undefined) return { supported: false, support: 0, veto }
  return { supported: false, support: Math.max(...best.map(({ alignment }) => alignment)) }
}

/** Every claim checked, in order, with the contract's count. */
export const checkGrounding = (
  claims: ReadonlyArray<Claim>,
  evidence: Evidence
): { readonly verified: number; readonly total: number; readonly checks: ReadonlyArray<ClaimCheck> } => {
  const checks = claims.map((claim) => checkClaim(claim, evidence))
  return { verified: checks.filter(({ supported }) => supported).length, total: claims.length, checks }
}

interface Window {
  readonly texts: ReadonlyArray<string>
  /** Title, headings and path of the source. */
  readonly around: string
  readonly truncated: boolean
  /** The claim is the window, letter for letter. */
  readonly verbatim: boolean
  readonly alignment: number
}

const windowsOf = (
  id: string,
  evidence: Evidence,
  reader: ClaimReader
): ReadonlyArray<ReadonlyArray<Window>> => {
  const source = evidence.sources.find((one) => one.id === id)
  if (source !== undefined) {
    const { docPath, docTitle, headingPath } = source.passage
    return [
      reader.windows(
        source.units.map(({ text }) => text),
        [docTitle, ...headingPath, docPath].join(" | "),
        false
      )
    ]
  }
  const data = evidence.data.find((one) => one.id === id)
  return data === undefined ? [] : [reader.windows(dataTexts(data), data.queryTitle, data.truncated)]
}

const dataTexts = (data: EvidenceData): ReadonlyArray<string> => [
  ...data.rows.map(
    (row) =>
      `${data.queryTitle}: ${data.columns.map((column) => `${column} ${String(row[column] ?? "")}`).join(", ")}`
  ),
  `${data.queryTitle}: ${data.rowCount}`
]

class ClaimReader {
  private readonly language: Language
  private readonly terms: ReadonlyArray<Term>
  private readonly values: ReadonlyArray<Value>
  private readonly folded: string

  constructor(
    private readonly claim: Claim,
    private readonly evidence: Evidence
  ) {
    this.language = languageOf(claim.text)
    this.values = findValues(claim.text)
    this.folded = fold(claim.text)
    const bare = contentTerms(evidence.analyse, claim.text, this.language).filter(
      (term) =>
        !this.values.some((value) => term.start < value.end && value.start < term.end) &&
        !isDirectionWord(term.surface)
    )
    // A claim of nothing but values is about what was asked.
    this.terms = bare.length > 0 ? bare : evidence.question.terms
  }

  windows(texts: ReadonlyArray<string>, around: string, truncated: boolean): ReadonlyArray<Window> {
    const sets = texts.map((text) => new TermSet(this.evidence.analyse(text).map(({ term }) => term)))
    return texts.flatMap((_, at) =>
      [1, 2, 3].flatMap((length) =>
        at + length > texts.length
          ? []
          : [this.window(texts.slice(at, at + length), sets.slice(at, at + length), around, truncated)]
      )
    )
  }

  join(windows: ReadonlyArray<Window>): Window {
    const texts = windows.flatMap((window) => window.texts)
    const sets = texts.map((text) => new TermSet(this.evidence.analyse(text).map(({ term }) => term)))
    return this.window(
      texts,
      sets,
      windows.map(({ around }) => around).join(" | "),
      windows.some(({ truncated }) => truncated)
    )
  }

  private window(
    texts: ReadonlyArray<string>,
    sets: ReadonlyArray<TermSet>,
    around: string,
    truncated: boolean
  ): Window {
    let covered = 0
    let total = 0
    for (const { term } of this.terms) {
      const weight = Math.max(0.05, this.evidence.idf(term))
      total += weight
      covered += weight * Math.max(0, ...sets.map((set) => set.match(term, this.language)))
    }
    const alignment = total === 0 ? 0 : covered / total
    const verbatim = fold(texts.join(" ")) === this.folded
    return { texts, around, truncated, verbatim, alignment: verbatim ? 1 : alignment }
  }

  veto(window: Window): Veto | undefined {
    const text = window.texts.join(" ")
    if (
      window.truncated &&
      /\b(?:total|sum|all|every|maximum|highest|most|count|insgesamt|alle|total|tous|toutes|todos)\b/iu.test(
        this.claim.text
      )
    )
      return "truncated"
    // A part of a sentence may lose its "not"; the whole of it cannot be wrong.
    if (window.verbatim) return undefined
    const found = findValues(text)
    if (!this.values.every((value) => found.some((other) => valueEntails(other, value)))) return "value"
    const field = new AnchorField(`${text} | ${window.around}`)
    const names = findAnchors(this.claim.text, this.language).filter(
      ({ kind }) => kind === "name" || kind === "phrase"
    )
    if (!names.every((anchor) => field.has(anchor))) return "name"
    const subject = this.openingName()
    if (subject !== undefined && !field.has({ kind: "name", text: subject, norm: subject.toLowerCase() }))
      return "name"
    if (hasDirection(this.claim.text) && !hasDirection(text)) return "opposite"
    const clause = this.alignedClause(window)
    if (negationCount(clause) % 2 !== negationCount(this.claim.text) % 2) return "negation"
    return opposes(this.claim.text, clause) ? "opposite" : undefined
  }

  /** A bare singular word before a verb opens a claim: in English that is a name ("Merrow was retired"). */
  private openingName(): string | undefined {
    const parts =
      /^(\p{Lu}[\p{L}\p{N}-]*[^s\s])\s+(?:is|was|has|had|will|can|must|does|did|may|should|\p{Ll}{2,}(?:ed|es|[^s]s))\b/u.exec(
        this.claim.text
      )
    const word = parts?.[1]
    return word === undefined || this.language !== "en" || isFunctionWord(word, this.language)
      ? undefined
      : word
  }

  /** The unit of the window that shares most with the claim, cut to its nearest clause where that loses nothing. */
  private alignedClause(window: Window): string {
    const overlap = (text: string): number => {
      const set = new TermSet(this.evidence.analyse(text).map(({ term }) => term))
      const values = findValues(text)
      const shared = this.terms.reduce(
        (sum, { term }) => sum + Math.max(0.05, this.evidence.idf(term)) * set.match(term, this.language),
        0
      )
      return shared + this.values.filter((value) => values.some((other) => valueEntails(other, value))).length
    }
    const best = (texts: ReadonlyArray<string>) =>
      texts
        .map((text) => ({ text, share: overlap(text) }))
        .reduce((a, b) => (b.share > a.share ? b : a), { text: "", share: -1 })
    const unit = best(window.texts)
    const clause = best(
      unit.text.split(/[,;:—–]\s|\s(?:but|whereas|while|aber|sondern|während|mais|pero|sino)\s/u)
    )
    return clause.share >= 0.95 * unit.share ? clause.text : unit.text
  }
}

const fold = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}%€$£]+/gu, " ")
    .trim()
