import { isFunctionWord, type Language, wordwise } from "../../language/languages/index.js"
import {
  type Anchor,
  type AnchorField,
  isDirectionWord,
  ReadText,
  type ReadUnit,
  type Row,
  type Term,
  TermLookup,
  type TermSet,
  type TextUnit
} from "../../language/text-analysis/index.js"
import { type Value, valueEntails } from "../../language/values/index.js"
import { type WordRelation, wordRelation } from "../../language/word-relations/index.js"
import { memoize } from "../../platform/caching/index.js"
import {
  cellText,
  claimText,
  type Evidence,
  type EvidenceData,
  type EvidencePassage,
  headingOf,
  labelsOf,
  withLabel
} from "../evidence/index.js"

/** A unit of a source with its precomputed terms. */
export interface WindowUnit {
  readonly kind?: TextUnit["kind"]
  readonly text: string
  readonly set: TermSet
  readonly values: ReadonlyArray<Value>
  readonly field: AnchorField
}

/** Neighbouring units of a source, or the best of several sources, that may support a claim. */
export interface Window {
  readonly pieces: ReadonlyArray<WindowUnit>
  /** Title, headings and path of the source. */
  readonly around: string
  readonly truncated: boolean
  /** The claim equals the window, letter for letter. */
  readonly verbatim: boolean
  /** A record with what stands above it. */
  readonly isRecord: boolean
  /** Share of the claim's words, by weight, that the window contains, 0 to 1. */
  readonly alignment: number
}

/** An analysed claim, and the share of it that a piece of evidence contains. */
export class ClaimReader {
  readonly language: Language
  /** Content words without values and directions; those of the question when the claim consists of values only. */
  readonly terms: ReadonlyArray<Term>
  readonly values: ReadonlyArray<Value>
  readonly names: ReadonlyArray<Anchor & { readonly kind: "name" | "phrase" }>
  private readonly folded: string
  private readonly sought: TermLookup
  private readonly rows = new Map<WindowUnit, Row>()

  constructor(
    readonly text: string,
    readonly evidence: Evidence
  ) {
    const read = claimText(evidence, text)
    this.language = read.language
    this.values = read.values
    this.folded = fold(text)
    this.names = read
      .anchorsIn(this.language)
      .flatMap((anchor) => (anchor.kind === "name" || anchor.kind === "phrase" ? [anchor] : []))
    const naming = namingSpans(text)
    const bare = read
      .termsIn(this.language)
      .filter(
        (term) =>
          !naming.some(({ end, start }) => start <= term.start && term.end <= end) &&
          !this.values.some((value) => term.start < value.end && value.start < term.end) &&
          !isDirectionWord(term.surface)
      )
    // A claim of values only refers to the subject of the question.
    this.terms = bare.length > 0 ? bare : evidence.question.terms
    this.sought = new TermLookup(
      this.terms.map(({ term }) => term),
      this.language
    )
  }

  /** Returns windows of one to three neighbouring units of a cited source. */
  windowsOf(id: string): ReadonlyArray<Window> {
    const source = this.evidence.sources.find((one) => one.id === id)
    if (source !== undefined) {
      const { docPath, docTitle, headingPath } = source.passage
      const around = [docTitle, ...headingPath, docPath].join(" | ")
      const labelled = source.units.find((unit) => isLabelled(source, unit, this.folded))
      const windows = [
        ...this.windows(source.units, around, false).filter(
          (window) => window.verbatim || !window.pieces.some((piece) => this.isSplit(source, piece))
        ),
        ...source.units.flatMap((unit) => this.recordWindow(source, unit, around))
      ]
      return labelled === undefined
        ? windows
        : [...windows, { ...this.window([labelled], around, false), verbatim: true, alignment: 1 }]
    }
    const data = this.evidence.data.find((one) => one.id === id)
    if (data === undefined) return []
    const rows = dataTexts(data).map((text) => new ReadText(text, this.evidence.analyse))
    return this.windows(rows, [data.queryTitle, data.about ?? ""].join(" | "), data.truncated)
  }

  join(windows: ReadonlyArray<Window>): Window {
    return this.window(
      windows.flatMap(({ pieces }) => pieces),
      windows.map(({ around }) => around).join(" | "),
      windows.some(({ truncated }) => truncated)
    )
  }

  weight(term: string): number {
    return Math.max(0.05, this.evidence.idf(term))
  }

  /** Returns the share of terms, by weight, that the sets contain; 0 for no terms. */
  share(terms: ReadonlyArray<Term>, sets: ReadonlyArray<TermSet>): number {
    let [covered, total] = [0, 0]
    for (const { term } of terms) {
      total += this.weight(term)
      covered += this.weight(term) * Math.max(0, ...sets.map((set) => set.match(term, this.language)))
    }
    return total === 0 ? 0 : covered / total
  }

  setOf(text: string): TermSet {
    return this.readOf(text).set
  }

  /** Returns all content words of a text, values included. */
  termsOf(text: string): ReadonlyArray<Term> {
    return this.readOf(text).termsIn(this.language)
  }

  anchorsOf(text: string): ReadonlyArray<Anchor> {
    return this.readOf(text).anchorsIn(this.language)
  }

  /** The analysed text, cached with the evidence: its claims and their parts are compared with the same units. */
  readOf(text: string): ReadText {
    const texts = readTexts(this.evidence)
    const cached = texts.get(text)
    if (cached !== undefined) return cached
    const readText = new ReadText(text, this.evidence.analyse)
    texts.set(text, readText)
    return readText
  }

  /** How two words are related, by the built-in lists and the thesaurus of the workspace. */
  relationOf(one: string, other: string): WordRelation | undefined {
    return wordRelation(one, other, this.language, this.evidence.thesaurus)
  }

  isContent(word: string): boolean {
    return !isFunctionWord(word, this.language)
  }

  /**
   * A row, setting, field, item or labelled sentence with what says what it is about: its lead-in, heading and title.
   */
  private recordWindow(source: EvidencePassage, unit: ReadUnit, around: string): ReadonlyArray<Window> {
    if (unit.kind === "list" || unit.kind === "code") return []
    if (unit.kind === "sentence" && unit.lead === "") return []
    const { docTitle } = source.passage
    const above = [docTitle, headingOf(source, unit), unit.lead].filter((text) => text !== "")
    if (above.length === 0 || !this.values.every((value) => isIn(unit, value))) return []
    const context = this.readOf([...new Set(above)].join(": "))
    return [{ ...this.window([context, unit], around, false), isRecord: true }]
  }

  /** Whether a list or block holds smaller statements, to one of which the claim must be bound. */
  private isSplit({ units }: EvidencePassage, piece: WindowUnit): boolean {
    const whole = units.find((unit) => unit === piece)
    if (whole?.kind === "list") return this.values.length > 0 || sentenceBreak.test(whole.text)
    return (
      whole?.kind === "code" && units.some(({ block, kind }) => kind === "setting" && block === whole.block)
    )
  }

  private windows(
    pieces: ReadonlyArray<WindowUnit & Partial<TextUnit>>,
    around: string,
    truncated: boolean
  ): ReadonlyArray<Window> {
    return pieces.flatMap((_, at) =>
      [1, 2, 3].flatMap((length) =>
        at + length > pieces.length || !areJoinable(pieces.slice(at, at + length))
          ? []
          : [this.window(pieces.slice(at, at + length), around, truncated)]
      )
    )
  }

  private window(pieces: ReadonlyArray<WindowUnit>, around: string, truncated: boolean): Window {
    const verbatim = foldAll(pieces) === this.folded
    return {
      pieces,
      around,
      truncated,
      verbatim,
      isRecord: false,
      alignment: verbatim ? 1 : this.alignment(pieces)
    }
  }

  /** Returns the share of the claim's terms that the pieces contain. */
  private alignment(pieces: ReadonlyArray<WindowUnit>): number {
    const rows = pieces.map((piece) => this.rowOf(piece))
    let [covered, total] = [0, 0]
    for (const [at, { term }] of this.terms.entries()) {
      const weight = this.weight(term)
      total += weight
      covered += weight * rows.reduce((best, row) => Math.max(best, row[at] ?? 0), 0)
    }
    return total === 0 ? 0 : covered / total
  }

  /** A piece belongs to several windows, so its row is computed once. */
  private rowOf(piece: WindowUnit): Row {
    const cached = this.rows.get(piece)
    if (cached !== undefined) return cached
    const row = this.sought.rowOf(piece.set)
    this.rows.set(piece, row)
    return row
  }
}

/** Items of several sentences say different things: joined, they would carry what none of them says. */
const sentenceBreak = /\p{Ll}{2}[.!?]\s+\p{Lu}/u

const readTexts = memoize((_: Evidence) => new Map<string, ReadText>())

/** Returns the function with its result kept for each claim and piece, because a piece belongs to several windows. */
export const perPiece = <Fact>(
  make: (claim: ClaimReader, piece: WindowUnit) => Fact
): ((claim: ClaimReader, piece: WindowUnit) => Fact) => {
  const ofClaim = memoize((claim: ClaimReader) => memoize((piece: WindowUnit) => make(claim, piece)))
  return (claim, piece) => ofClaim(claim)(piece)
}

/**
 * Whether a passage has the claim letter for letter, in one to three neighbouring units or in one with its label. Such
 * a claim needs no analysis; the built-in model writes no others.
 */
export const isQuotedFrom = (text: string, id: string, { sources }: Evidence): boolean => {
  const source = sources.find((one) => one.id === id)
  const claim = fold(text)
  return (
    source?.units.some(
      (unit, at) => isRunFrom(source.units, at, claim) || isLabelled(source, unit, claim)
    ) === true
  )
}

const isRunFrom = (units: ReadonlyArray<ReadUnit>, at: number, claim: string): boolean =>
  [1, 2, 3].some((length) => {
    const pieces = units.slice(at, at + length)
    return foldAll(pieces) === claim && areJoinable(pieces)
  })

/** Whether the claim consists of a label and the unit. */
const isLabelled = (source: EvidencePassage, unit: ReadUnit, claim: string): boolean =>
  claim.endsWith(folded(unit)) &&
  labelsOf(source, unit).some((label) => fold(withLabel(label, unit.text)) === claim)

const isIn = ({ values }: WindowUnit, value: Value): boolean =>
  values.some((other) => valueEntails(other, value))

/** Each row, setting and field stands for itself; other units go together below one heading, label and lead-in. */
const areJoinable = (pieces: ReadonlyArray<WindowUnit & Partial<TextUnit>>): boolean =>
  pieces.length === 1 ||
  pieces.every(
    ({ heading, kind, lead }) =>
      (kind === undefined || !records.has(kind)) && heading === pieces[0]?.heading && lead === pieces[0]?.lead
  )
const records: ReadonlySet<TextUnit["kind"]> = new Set(["row", "setting", "field"])

const dataTexts = (data: EvidenceData): ReadonlyArray<string> => [
  ...data.rows.map(
    (row) =>
      `${data.queryTitle}: ${data.columns.map((column) => `${column} ${cellText(row[column])}`).join(", ")}`
  ),
  `${data.queryTitle}: ${data.rowCount}`
]

/**
 * Reduces a text to what readers see of it: its words, and the signs that change what they mean. "C++", "−18", "≥ 5",
 * "3.10" and "x != 0" keep theirs; punctuation goes.
 */
const fold = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[−–](?=\p{N})/gu, "-")
    .replace(silent, " ")
    .replace(/\s+/gu, " ")
    .trim()

/** What is no letter, digit or sign with a meaning. Looks at the characters beside it only, never across a blank. */
const silent =
  /(?![\p{L}\p{N}\s%€$£<>≥≤≠=±°])(?!!(?==))(?![+#](?<=[\p{L}\p{N}+][+#]))(?!\+(?=\p{N}))(?!-(?<=(?:^|[\s(])-)(?=\p{N}))(?![.,:/](?<=\p{N}[.,:/])(?=\p{N}))./gsu

const folded = memoize(({ text }: WindowUnit) => fold(text))

/** Equals `fold` of the pieces joined by blanks; folding does not look across a blank. */
const foldAll = (pieces: ReadonlyArray<WindowUnit>): string =>
  pieces
    .map(folded)
    .filter((text) => text !== "")
    .join(" ")

/** Matches "is the name of" and "is called": naming phrases add nothing to a name. */
const namingSpans = (text: string) =>
  [...text.matchAll(naming())].map(({ 0: { length }, index }) => ({ start: index, end: index + length }))

const naming = wordwise(
  () =>
    /\b(?:is|are|was|were) (?:the |a )?(?:names?|terms?|titles?|words?) (?:of|for|given to)\b|\b(?:is|are|was|were) (?:also |often |sometimes |commonly )?(?:called|named|termed|known as|referred to as)\b/giu
)
