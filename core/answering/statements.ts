import { AnchorField, findAnchors } from "./anchors.js"
import type { Evidence, EvidenceData, EvidencePassage } from "./evidence.js"
import { type Language, languageOf } from "./language.js"
import { isStateWord } from "./oppositions.js"
import { isShowable } from "./plain.js"
import { contentTerms, type Term, TermSet } from "./terms.js"
import { findValues, type Value } from "./values.js"

/** One thing that a source says: a sentence, a clause of it, a cell of a table or of a data row. */
export interface Statement {
  readonly sourceId: string
  /** The document or query it stands in: two statements of one are two places of one page. */
  readonly origin: string
  /** Verbatim what a reader is shown; more than `text` where that is a clause or a cell. */
  readonly quote: string
  readonly text: string
  readonly language: Language
  readonly values: ReadonlyArray<Value>
  /** Content words without values, directions and states. */
  readonly terms: ReadonlyArray<Term>
  readonly set: TermSet
  /** Title, headings and path: what the statement is about without saying so. */
  readonly around: TermSet
  readonly names: ReadonlyArray<{ readonly start: number; readonly end: number; readonly norm: string }>
  /** Years that the title names: what has no date of its own is of these. */
  readonly titleYears: ReadonlyArray<string>
  /** Those of the title, at no place of the text. */
  readonly titleNames: Statement["names"]
  readonly field: AnchorField
  readonly aroundField: AnchorField
  /** Nearest heading, in lower case. */
  readonly heading: string
}

/** Longer units are data, not statements. */
const statementMaxChars = 600
const cellsMax = 40

/** Every statement of the evidence that `bears` lets pass, in the order of the sources. */
export const statementsOf = (
  evidence: Evidence,
  bears: (text: string, around: string) => boolean
): ReadonlyArray<Statement> => [
  ...evidence.sources.flatMap((source) => passageStatements(source, evidence, bears)),
  ...evidence.data.flatMap((data) => dataStatements(data, evidence, bears))
]

const passageStatements = (
  source: EvidencePassage,
  evidence: Evidence,
  bears: (text: string, around: string) => boolean
): ReadonlyArray<Statement> => {
  const { docPath, docTitle, documentId, headingPath } = source.passage
  const name = [docTitle, docPath.replace(/\.md$/iu, "").split("/").at(-1) ?? ""].join(" | ")
  return source.units.flatMap((unit) => {
    if (unit.kind === "list" || unit.kind === "code" || unit.text.length > statementMaxChars) return []
    const headings = [...headingPath, unit.heading]
    const around = [name, ...headings, unit.kind === "item" ? unit.lead : ""].join(" | ")
    if (!bears(unit.text, around)) return []
    const quote = quoteOf(source.text.slice(unit.start, unit.end), unit.text)
    const base = {
      sourceId: source.id,
      origin: documentId,
      quote,
      title: docTitle,
      heading: headings.join(" | ").toLowerCase()
    }
    const texts = unit.kind === "row" ? cellTexts(unit.text) : [unit.text, ...clausesOf(unit.text)]
    return texts.map((text) => makeStatement({ ...base, text, around }, evidence))
  })
}

/** What stands in the file, letter for letter, unless that would read as a citation of ours or hide characters. */
const quoteOf = (raw: string, shown: string): string => (isShowable(raw) ? raw : shown)

const dataStatements = (
  data: EvidenceData,
  evidence: Evidence,
  bears: (text: string, around: string) => boolean
): ReadonlyArray<Statement> =>
  data.rows.flatMap((row) => {
    const cells = data.columns
      .slice(0, cellsMax)
      .map((column) => `${words(column)}: ${cellText(row[column])}`)
    const quote = cells.join("; ")
    if (!bears(quote, data.queryTitle)) return []
    const base = { sourceId: data.id, origin: data.id, quote, title: "", heading: "" }
    return cellTexts(quote).map((text) => makeStatement({ ...base, text, around: data.queryTitle }, evidence))
  })

/** "crew_limit" and "crewLimit" are "crew limit". */
const words = (column: string): string =>
  column.replace(/[_-]+/gu, " ").replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")
const cellText = (cell: unknown): string =>
  cell === null || cell === undefined ? "" : typeof cell === "string" ? cell : JSON.stringify(cell)

/** "Site: Veck; Depth: 40 m; Crew: 3" says two things of Veck. */
const cellTexts = (row: string): ReadonlyArray<string> => {
  const [first, ...rest] = row.split("; ").slice(0, cellsMax)
  if (first === undefined) return []
  return rest.length === 0 ? [first] : rest.map((cell) => `${first}; ${cell}`)
}

/** The clauses of a long sentence, each of which may be compared on its own. */
const clausesOf = (text: string): ReadonlyArray<string> => {
  const parts = text.split(
    /;\s|[,:—–]\s(?=(?:and|but|while|whereas|und|aber|während|et|mais|y|pero)\s)|\s—\s/u
  )
  return parts.length < 2 ? [] : parts.filter((part) => part.length >= 12)
}

const makeStatement = (
  given: {
    readonly sourceId: string
    readonly origin: string
    readonly quote: string
    readonly heading: string
    readonly text: string
    readonly around: string
    readonly title: string
  },
  evidence: Evidence
): Statement => {
  const { around, text } = given
  const language = languageOf(text)
  const values = findValues(text)
  const terms = contentTerms(evidence.analyse, text, language).filter(
    (term) =>
      !values.some((value) => term.start < value.end && value.start < term.end) && !isStateWord(term.surface)
  )
  return {
    ...given,
    language,
    values,
    terms,
    set: new TermSet(terms.map(({ term }) => term)),
    around: new TermSet(evidence.analyse(around).map(({ term }) => term)),
    names: namesOf(text, language),
    titleYears: given.title.match(/(?<![\p{L}\p{N}-])(?:19|20)\d{2}(?![\p{L}\p{N}-])/gu) ?? [],
    titleNames: namesOf(given.title, language).map(({ norm }) => ({ start: -1, end: -1, norm })),
    field: new AnchorField(text),
    aroundField: new AnchorField(around)
  }
}

const namesOf = (text: string, language: Language): Statement["names"] =>
  findAnchors(text, language).flatMap((anchor) => {
    if (anchor.kind === "value") return []
    const start = text.indexOf(anchor.text)
    const norm = anchor.kind === "code" ? anchor.code : anchor.norm
    return start < 0 ? [] : [{ start, end: start + anchor.text.length, norm }]
  })
