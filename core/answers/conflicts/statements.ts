import { type Language, opensWithPronoun } from "../../language/languages/index.js"
import {
  type AnchorField,
  isShowable,
  isStateWord,
  ReadText,
  type ReadUnit,
  type Term,
  TermSet
} from "../../language/text-analysis/index.js"
import type { Value } from "../../language/values/index.js"
import { memoize } from "../../platform/caching/index.js"
import { cellText, type Evidence, type EvidenceData, type EvidencePassage } from "../evidence/index.js"

/** One statement of a source: a sentence, a clause of it, a cell of a table or of a data row. */
export interface Statement {
  readonly sourceId: string
  /** The document or query: two statements of one origin are two parts of one page. */
  readonly origin: string
  /** Verbatim text for the reader; longer than `text` when that is a clause or a cell. */
  readonly quote: string
  readonly text: string
  /** The text and the quote, analysed. */
  readonly read: ReadText
  readonly quoted: ReadText
  readonly language: Language
  readonly values: ReadonlyArray<Value>
  /** Content words without values, directions and states. */
  readonly terms: ReadonlyArray<Term>
  readonly set: TermSet
  /** Terms of title, headings and path: the implicit subject of the statement. */
  readonly around: TermSet
  readonly names: ReadonlyArray<{ readonly start: number; readonly end: number; readonly norm: string }>
  /** Terms of the title, and whether the statement names its subject or refers to its context ("It", "Its"). */
  readonly title: TermSet
  readonly isOfPronoun: boolean
  /** Years in the title, which apply to statements without a date of their own. */
  readonly titleYears: ReadonlyArray<string>
  /** Numbered names of the title ("Pump 7") that the statement also contains: which of several things it concerns. */
  readonly numbered: ReadonlyMap<string, string>
  /** Names of the title, without positions in the text. */
  readonly titleNames: Statement["names"]
  readonly field: AnchorField
  readonly aroundField: AnchorField
  /** The headings above it, in lower case. */
  readonly heading: string
  /** The nearest heading and the label of its paragraph or list: the subject of a short statement. */
  readonly section: string
  /** Subject of the row of a table cell: column name and text of the first cell. */
  readonly row: { readonly column: string; readonly cell: string } | null
  /** Terms of the column name of a data row's cell; a statement without them is about something else. */
  readonly column: ReadonlyArray<string> | null
}

/** Whether a text with its surroundings is relevant to the question. */
type Bears = (read: ReadText, around: ReadText) => boolean

/** Longer units are data, not statements. */
const statementMaxChars = 600
const cellsMax = 40

/** Returns every statement of the evidence that passes `bears`, in source order. */
export const statementsOf = (evidence: Evidence, bears: Bears): ReadonlyArray<Statement> => [
  ...evidence.sources.flatMap((source) => passageStatements(source, evidence, bears)),
  ...evidence.data.flatMap((data) => dataStatements(data, evidence, bears))
]

const passageStatements = (
  source: EvidencePassage,
  evidence: Evidence,
  bears: Bears
): ReadonlyArray<Statement> => {
  const { docPath, docTitle, documentId, headingPath } = source.passage
  const name = [
    docTitle,
    docPath
      .replace(/\.(?:md|markdown|mdx)$/iu, "")
      .split("/")
      .at(-1) ?? ""
  ].join(" | ")
  const title = evidence.texts.read(docTitle)
  let last: { readonly heading: string; readonly lead: string; readonly around: ReadText } | undefined
  return source.units.flatMap((unit) => {
    if (unit.kind === "list" || unit.kind === "code" || unit.text.length > statementMaxChars) return []
    if (unit.kind === "field" && ofDocument.test(unit.heading)) return []
    const headings = [...headingPath, unit.heading]
    const lead = unit.kind === "item" || unit.kind === "sentence" ? unit.lead : ""
    if (last?.heading !== unit.heading || last.lead !== lead)
      last = {
        heading: unit.heading,
        lead,
        around: evidence.texts.read([name, ...headings, lead].join(" | "))
      }
    const { around } = last
    if (!bears(unit, around)) return []
    const quoted = quoteOf(unit)
    const base = {
      sourceId: source.id,
      origin: documentId,
      quoted,
      title,
      heading: headings.join(" | ").toLowerCase(),
      row: unit.kind === "row" ? rowOf(unit.text) : null,
      section: `${unit.kind === "field" ? "" : headings.findLast((one) => one !== "")} | ${lead}`
    }
    return sayingsOf(unit).map((read) => makeStatement({ ...base, read, around }))
  })
}

/** Metadata of a document, which differs between documents without contradiction. */
const ofDocument =
  /^(?:title|version|revision|date|created|updated|modified|last.?\w+|effective.*|valid.*|id|slug|tags?|aliases)$/u

/**
 * Returns the verbatim text of the file, unless it would look like one of our citations or contains hidden characters.
 */
const quoteOf = memoize((unit: ReadUnit) =>
  unit.raw !== unit.text && isShowable(unit.raw) ? unit.part(unit.raw) : unit
)

/** Returns the statements of a unit: the whole and its clauses; for a row, its cells. */
const sayingsOf = memoize((unit: ReadUnit): ReadonlyArray<ReadText> => {
  const part = (text: string) => unit.part(text)
  return unit.kind === "row" ? cellTexts(unit.text).map(part) : [unit, ...clausesOf(unit.text).map(part)]
})

const dataStatements = (data: EvidenceData, evidence: Evidence, bears: Bears): ReadonlyArray<Statement> =>
  data.rows.flatMap((row) => {
    const cells = data.columns
      .slice(0, cellsMax)
      .map((column) => `${words(column)}: ${cellText(row[column])}`)
    const quoted = new ReadText(cells.join("; "), evidence.analyse)
    const around = quoted.part([data.queryTitle, data.about ?? ""].join(" "))
    if (!bears(quoted, around)) return []
    const base = {
      sourceId: data.id,
      origin: data.id,
      quoted,
      title: quoted.part(""),
      heading: "",
      section: "",
      row: null
    }
    return cellTexts(quoted.text).map((text, at) => ({
      ...makeStatement({ ...base, read: quoted.part(text), around }),
      column: evidence
        .analyse(words(data.columns[cells.length === 1 ? at : at + 1] ?? ""))
        .map(({ term }) => term)
    }))
  })

/** "crew_limit" and "crewLimit" are "crew limit". */
const words = (column: string): string =>
  column.replace(/[_-]+/gu, " ").replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")
/** "Site: Veck; Depth: 40 m; Crew: 3" says two things of Veck. */
const cellTexts = (row: string): ReadonlyArray<string> => {
  const [first, ...rest] = row.split("; ").slice(0, cellsMax)
  if (first === undefined) return []
  return rest.length === 0 ? [first] : rest.map((cell) => `${first}; ${cell}`)
}

/** Returns the subject of a row: "Site: Veck; Depth: 40 m" is the row of Veck, among sites. */
const rowOf = (row: string): NonNullable<Statement["row"]> => {
  const [first = ""] = row.split("; ")
  const at = first.lastIndexOf(": ")
  return { column: first.slice(0, Math.max(0, at)), cell: first.slice(at < 0 ? 0 : at + 2).toLowerCase() }
}

/** Returns the clauses of a long sentence, each of which is compared alone. */
const clausesOf = (text: string): ReadonlyArray<string> => {
  const parts = text.split(
    /;\s|[,:—–]\s(?=(?:and|but|while|whereas|und|aber|während|et|mais|y|pero)\s)|\s—\s/u
  )
  return parts.length < 2 ? [] : parts.filter((part) => part.length >= 12)
}

const makeStatement = (parts: {
  readonly sourceId: string
  readonly origin: string
  readonly quoted: ReadText
  readonly heading: string
  readonly section: string
  readonly row: Statement["row"]
  readonly read: ReadText
  readonly around: ReadText
  readonly title: ReadText
}): Statement => {
  const { around, heading, origin, quoted, read, row, section, sourceId, title } = parts
  return {
    sourceId,
    origin,
    quote: quoted.text,
    text: read.text,
    read,
    quoted,
    heading,
    section,
    row,
    column: null,
    language: read.language,
    values: read.values,
    ...comparedParts(read),
    around: around.set,
    title: title.set,
    isOfPronoun: opensWithPronoun(read.text),
    titleYears: yearsOf(title),
    numbered: numberedAlike(numberedOf(title), numberedOf(read)),
    titleNames: titleNamesOf(title)(read.language),
    field: read.field,
    aroundField: around.field
  }
}

/** Returns the parts of a text that are compared. */
export const comparedParts = memoize((read: ReadText) => {
  const terms = read
    .termsIn(read.language)
    .filter(
      (term) =>
        !read.values.some((value) => term.start < value.end && value.start < term.end) &&
        !isStateWord(term.surface)
    )
  return { terms, set: new TermSet(terms.map(({ term }) => term)), names: namesIn(read, read.language) }
})

/** Returns the same objects for each language, so that memoized facts about a name are found by identity. */
const titleNamesOf = memoize((title: ReadText) => {
  const known = new Map<Language, Statement["names"]>()
  return (language: Language): Statement["names"] => {
    const cached = known.get(language)
    if (cached !== undefined) return cached
    const names = namesIn(title, language).map(({ norm }) => ({ start: -1, end: -1, norm }))
    known.set(language, names)
    return names
  }
})

const yearsOf = memoize(
  ({ text }: ReadText) => text.match(/(?<![\p{L}\p{N}-])(?:19|20)\d{2}(?![\p{L}\p{N}-])/gu) ?? []
)

/** Returns words with the number that distinguishes things of one kind ("Pump 7"); no years. */
const numberedOf = memoize(
  ({ text }: ReadText): ReadonlyMap<string, string> =>
    new Map(
      [
        ...text.matchAll(
          /(?<![\p{L}\p{N}-])(\p{L}{2,})\s(?!(?:19|20)\d{2}\b)(\d{1,6})(?![\p{L}\p{N}%]|[.,:]\d)/gu
        )
      ].map(([, word = "", number = ""]) => [word.toLowerCase(), number])
    )
)

const numberedAlike = (
  one: ReadonlyMap<string, string>,
  other: ReadonlyMap<string, string>
): ReadonlyMap<string, string> => new Map([...one].filter(([word, number]) => other.get(word) === number))

const namesIn = (read: ReadText, language: Language): Statement["names"] =>
  read.anchorsIn(language).flatMap((anchor) => {
    if (anchor.kind === "value") return []
    const start = read.text.indexOf(anchor.text)
    const norm = anchor.kind === "code" ? anchor.code : anchor.norm
    return start < 0 ? [] : [{ start, end: start + anchor.text.length, norm }]
  })
