import { behindLabel, claimText, type Evidence, type EvidenceData, labelsOf } from "../evidence/index.js"
import {
  type Anchor,
  type AnchorField,
  isDirectionWord,
  isFunctionWord,
  type Language,
  memoize,
  ReadText,
  type Row,
  Sought,
  type Term,
  type TermSet,
  type Value,
  wordwise
} from "../text-analysis/index.js"

/** A unit of a source, ready to be compared with claims. */
export interface Piece {
  readonly text: string
  readonly set: TermSet
  readonly values: ReadonlyArray<Value>
  readonly field: AnchorField
}

/** Neighbouring units of a source, or the best of several, that may carry a claim. */
export interface Window {
  readonly pieces: ReadonlyArray<Piece>
  /** Title, headings and path of the source. */
  readonly around: string
  readonly truncated: boolean
  /** The claim is the window, letter for letter. */
  readonly verbatim: boolean
  /** Share of the claim's words, by weight, that the window holds, 0 to 1. */
  readonly alignment: number
}

/** What a claim says, and how much of it a stretch of evidence holds. */
export class ClaimReader {
  readonly language: Language
  /** Content words without values and directions; of a claim of nothing but values, those of the question. */
  readonly terms: ReadonlyArray<Term>
  readonly values: ReadonlyArray<Value>
  readonly names: ReadonlyArray<Anchor & { readonly kind: "name" | "phrase" }>
  private readonly folded: string
  private readonly sought: Sought
  private readonly texts = new Map<string, ReadText>()
  private readonly rows = new Map<Piece, Row>()

  constructor(
    readonly text: string,
    private readonly evidence: Evidence
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
    // A claim of nothing but values is about what was asked.
    this.terms = bare.length > 0 ? bare : evidence.question.terms
    this.sought = new Sought(
      this.terms.map(({ term }) => term),
      this.language
    )
  }

  /** One to three neighbours at a time, of each cited source. */
  windowsOf(id: string): ReadonlyArray<Window> {
    const source = this.evidence.sources.find((one) => one.id === id)
    if (source !== undefined) {
      const { docPath, docTitle, headingPath } = source.passage
      const around = [docTitle, ...headingPath, docPath].join(" | ")
      const labelled = source.units.find(
        (unit) =>
          // Whatever stands before it, the unit is what such a claim ends with.
          this.folded.endsWith(folded(unit)) &&
          labelsOf(source, unit).some((label) => fold(behindLabel(label, unit.text)) === this.folded)
      )
      const windows = this.windows(source.units, around, false)
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

  /** Share of terms, by weight, that a set holds; 0 of none. */
  share(terms: ReadonlyArray<Term>, sets: ReadonlyArray<TermSet>): number {
    let [held, total] = [0, 0]
    for (const { term } of terms) {
      total += this.weight(term)
      held += this.weight(term) * Math.max(0, ...sets.map((set) => set.match(term, this.language)))
    }
    return total === 0 ? 0 : held / total
  }

  setOf(text: string): TermSet {
    return this.read(text).set
  }

  /** All content words of a text, values among them. */
  termsOf(text: string): ReadonlyArray<Term> {
    return this.read(text).termsIn(this.language)
  }

  private read(text: string): ReadText {
    const held = this.texts.get(text)
    if (held !== undefined) return held
    const made = new ReadText(text, this.evidence.analyse)
    this.texts.set(text, made)
    return made
  }

  isContent(word: string): boolean {
    return !isFunctionWord(word, this.language)
  }

  private windows(pieces: ReadonlyArray<Piece>, around: string, truncated: boolean): ReadonlyArray<Window> {
    return pieces.flatMap((_, at) =>
      [1, 2, 3].flatMap((length) =>
        at + length > pieces.length ? [] : [this.window(pieces.slice(at, at + length), around, truncated)]
      )
    )
  }

  private window(pieces: ReadonlyArray<Piece>, around: string, truncated: boolean): Window {
    const verbatim = foldAll(pieces) === this.folded
    return { pieces, around, truncated, verbatim, alignment: verbatim ? 1 : this.alignment(pieces) }
  }

  /** The share of the claim's terms that the pieces hold. */
  private alignment(pieces: ReadonlyArray<Piece>): number {
    const rows = pieces.map((piece) => this.rowOf(piece))
    let [held, total] = [0, 0]
    for (const [at, { term }] of this.terms.entries()) {
      const weight = this.weight(term)
      total += weight
      held += weight * rows.reduce((best, row) => Math.max(best, row[at] ?? 0), 0)
    }
    return total === 0 ? 0 : held / total
  }

  /** A piece is part of several windows. */
  private rowOf(piece: Piece): Row {
    const held = this.rows.get(piece)
    if (held !== undefined) return held
    const row = this.sought.rowOf(piece.set)
    this.rows.set(piece, row)
    return row
  }
}

const dataTexts = (data: EvidenceData): ReadonlyArray<string> => [
  ...data.rows.map(
    (row) =>
      `${data.queryTitle}: ${data.columns.map((column) => `${column} ${cellText(row[column])}`).join(", ")}`
  ),
  `${data.queryTitle}: ${data.rowCount}`
]

/** As in JSON where it is no plain text; an empty cell says nothing. */
const cellText = (cell: unknown): string =>
  cell === null || cell === undefined ? "" : typeof cell === "object" ? JSON.stringify(cell) : String(cell)

const fold = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}%€$£]+/gu, " ")
    .trim()

const folded = memoize(({ text }: Piece) => fold(text))

/** As `fold` of all of them with a blank between each two, which no letter takes for its neighbour. */
const foldAll = (pieces: ReadonlyArray<Piece>): string =>
  pieces
    .map(folded)
    .filter((text) => text !== "")
    .join(" ")

/** "Is the name of", "is called": that a thing is called so is said by calling it so. */
const namingSpans = (text: string) =>
  [...text.matchAll(naming())].map(({ 0: { length }, index }) => ({ start: index, end: index + length }))

const naming = wordwise(
  /\b(?:is|are|was|were) (?:the |a )?(?:names?|terms?|titles?|words?) (?:of|for|given to)\b|\b(?:is|are|was|were) (?:also |often |sometimes |commonly )?(?:called|named|termed|known as|referred to as)\b/giu
)
