import { type Language, opensWithPronoun, wordwise } from "../../language/languages/index.js"
import {
  type AnchorField,
  isShowable,
  isStateWord,
  ReadText,
  type ReadUnit,
  type Term,
  TermSet
} from "../../language/text-analysis/index.js"
import { isUnitWord, type Value } from "../../language/values/index.js"
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
  /** Title, headings, path and lead-in: the implicit subject of the statement; its terms. */
  readonly context: ReadText
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
  /** Where a cell of a data row stands; null for statements of passages. */
  readonly cell: DataCell | null
}

/** The place of one value in the rows of a data call. */
export interface DataCell {
  /** The words of the column name, without units ("lifts_tonnes" is "lifts"); never empty. */
  readonly name: ReadText
  /** Number of the row within its call. */
  readonly row: number
  /** The cell that tells the row from the others of its call; empty for the only row, null when none does. */
  readonly rowKey: ReadText | null
}

/** Whether a text with its surroundings is relevant to the question. */
type Bears = (read: ReadText, around: ReadText) => boolean

/** Longer units are data, not statements. */
const statementMaxChars = 600
const cellsMax = 40

/** Returns every statement of the evidence that passes `bears`, source by source. */
export function* statementsOf(evidence: Evidence, bears: Bears): Generator<ReadonlyArray<Statement>> {
  for (const source of evidence.sources) yield passageStatements(source, evidence, bears)
  for (const data of evidence.data) yield dataStatements(data, evidence, bears)
}

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

const dataStatements = (data: EvidenceData, evidence: Evidence, bears: Bears): ReadonlyArray<Statement> => {
  const columns = data.columns.slice(0, cellsMax)
  const names = columns.map((column) => columnName(words(column), evidence))
  const keyColumn = columns.find((column) => areDistinctTexts(data.rows.map((row) => row[column])))
  return data.rows.flatMap((row, at) => {
    const cells = columns.map((column) => `${words(column)}: ${cellText(row[column])}`)
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
    const rowKey =
      data.rows.length === 1
        ? quoted.part("")
        : keyColumn === undefined
          ? null
          : quoted.part(cellText(row[keyColumn]))
    return cellTexts(quoted.text).flatMap((text, cell) => {
      const name = names[cells.length === 1 ? cell : cell + 1]
      return name === undefined
        ? []
        : [
            {
              ...makeStatement({ ...base, read: quoted.part(text), around }),
              cell: { name, row: at, rowKey }
            }
          ]
    })
  })
}

/** Whether the cells of a column tell its rows apart: texts, no two of them equal. */
const areDistinctTexts = (cells: ReadonlyArray<unknown>): boolean =>
  cells.length > 1 &&
  cells.every((cell) => typeof cell === "string" && /\p{L}/u.test(cell)) &&
  new Set(cells).size === cells.length

/** The name of a column without its units, which say nothing of what it holds; whole when it is a unit. */
const columnName = (column: string, { analyse }: Evidence): ReadText => {
  const bare = column
    .split(" ")
    .filter((word) => !isUnitWord(word))
    .join(" ")
  return new ReadText(bare === "" ? column : bare, analyse)
}

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
  const clauses = parts.length < 2 ? [text] : parts.filter((part) => part.length >= clauseMinChars)
  return [
    ...new Set([
      ...(parts.length < 2 ? [] : clauses),
      ...clauses.map(mainClause).filter((clause) => !clauses.includes(clause))
    ])
  ]
}
const clauseMinChars = 12

/**
 * Returns a clause without who reported it and without what is added behind a comma: "The group noted that the budget
 * is 71 million EUR, of which 12 million EUR is paid" states the budget.
 */
const mainClause = (text: string): string => {
  const reported = text.replace(reporting(), "").replace(opening(), "")
  const main = reported.replace(addition(), "")
  return main.length >= clauseMinChars ? main : text
}

/** Only verbs that assert what they report: a proposal or an expectation states a plan. */
const reporting = wordwise(
  () =>
    /^[^.,;:]{2,80}?\b(?:noted|notes|said|says|stated|states|reported|reports|confirmed|confirms|found|announced|recorded|wrote|explained|observed|learned|stellte fest|berichtete|bestätigte|teilte mit|erklärte|a indiqué|a confirmé|constate|señaló|indicó|informó|confirmó),?\s(?:that|dass|que)\s/iu
)

/** What says that a statement holds in general, or draws attention to it. */
const opening = wordwise(
  () =>
    /^(?:(?:as a rule|as usual|in practice|in general|generally|normally|usually|today|nowadays|currently|at present|by now|of course|in short|in der regel|derzeit|heute|en général|actuellement|aujourd['’]hui|por lo general|actualmente|hoy),\s|(?:please )?(?:note|remember|keep in mind|be aware),?\s(?:that\s)?)/iu
)

/** What is added to a statement by a relative clause, as a part, or as an example. */
const addition = wordwise(
  () =>
    /,\s(?:(?:one |some |half |most |all )?(?:of|in|for|from|after|with) (?:which|whom)|which|who|where|including|among (?:them|which)|such as|davon|wovon|darunter|von denen|dont|y compris|de los cuales|de las cuales|incluid[oa]s?)\b.*$/isu
)

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
    cell: null,
    language: read.language,
    values: read.values,
    ...comparedParts(read),
    context: around,
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
