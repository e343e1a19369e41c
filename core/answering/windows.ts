import { type Anchor, AnchorField, findAnchors } from "./anchors.js"
import type { Evidence, EvidenceData } from "./evidence.js"
import { isFunctionWord, type Language, languageOf } from "./language.js"
import { isDirectionWord } from "./oppositions.js"
import { contentTerms, type Term, TermSet } from "./terms.js"
import { findValues, type Value } from "./values.js"

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

  constructor(
    readonly text: string,
    private readonly evidence: Evidence
  ) {
    this.language = languageOf(text)
    this.values = findValues(text)
    this.folded = fold(text)
    this.names = findAnchors(text, this.language).flatMap((anchor) =>
      anchor.kind === "name" || anchor.kind === "phrase" ? [anchor] : []
    )
    const bare = contentTerms(evidence.analyse, text, this.language).filter(
      (term) =>
        !this.values.some((value) => term.start < value.end && value.start < term.end) &&
        !isDirectionWord(term.surface)
    )
    // A claim of nothing but values is about what was asked.
    this.terms = bare.length > 0 ? bare : evidence.question.terms
  }

  /** One to three neighbours at a time, of each cited source. */
  windowsOf(id: string): ReadonlyArray<Window> {
    const source = this.evidence.sources.find((one) => one.id === id)
    if (source !== undefined) {
      const { docPath, docTitle, headingPath } = source.passage
      const around = [docTitle, ...headingPath, docPath].join(" | ")
      return this.windows(
        source.units.map(({ text }) => text),
        around,
        false
      )
    }
    const data = this.evidence.data.find((one) => one.id === id)
    return data === undefined ? [] : this.windows(dataTexts(data), data.queryTitle, data.truncated)
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
    return new TermSet(this.evidence.analyse(text).map(({ term }) => term))
  }

  /** All content words of a text, values among them. */
  termsOf(text: string): ReadonlyArray<Term> {
    return contentTerms(this.evidence.analyse, text, this.language)
  }

  isContent(word: string): boolean {
    return !isFunctionWord(word, this.language)
  }

  private windows(texts: ReadonlyArray<string>, around: string, truncated: boolean): ReadonlyArray<Window> {
    const pieces = texts.map((text) => this.piece(text))
    return pieces.flatMap((_, at) =>
      [1, 2, 3].flatMap((length) =>
        at + length > pieces.length ? [] : [this.window(pieces.slice(at, at + length), around, truncated)]
      )
    )
  }

  private piece(text: string): Piece {
    let [values, field]: [ReadonlyArray<Value> | undefined, AnchorField | undefined] = [undefined, undefined]
    const set = new TermSet(this.evidence.analyse(text).map(({ term }) => term))
    // Most windows are never looked at closely.
    return {
      text,
      set,
      get values() {
        values ??= findValues(text)
        return values
      },
      get field() {
        field ??= new AnchorField(text)
        return field
      }
    }
  }

  private window(pieces: ReadonlyArray<Piece>, around: string, truncated: boolean): Window {
    const verbatim = fold(pieces.map(({ text }) => text).join(" ")) === this.folded
    const sets = pieces.map(({ set }) => set)
    return { pieces, around, truncated, verbatim, alignment: verbatim ? 1 : this.share(this.terms, sets) }
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
