import type { StructuredAnswer } from "../../core/answers/answering/index.js"
import type { Source } from "../../core/answers/evidence/index.js"
import { paintStretches, type Stretch } from "./highlight.js"
import { carrier } from "./quote.js"
import { originalLines, placeText, standing } from "./search.js"
import { paint, proseColumns } from "./terminal.js"
import { clean, cleanLine, indexingLine, wrap } from "./text.js"
import { unmatchedWords } from "./unmatched.js"

/** Facts about sources beyond the answer itself; unknown sources are left out. */
export interface Background {
  /** By the id of the passage. */
  readonly places: ReadonlyMap<string, { readonly headingPath: string; readonly verification: string }>
  /** The whole text of documents, by id. */
  readonly texts: ReadonlyMap<string, string>
}

/** An answer as people read it: prose, the passages that carry it, where else to look, what there is to beware of. */
export const showAnswer = (answer: StructuredAnswer, background: Background): string => {
  const cited = citedSources(answer)
  const citedPaths = new Set(cited.map(({ docPath }) => docPath))
  const others = answer.sources.filter(({ docPath }) => !citedPaths.has(docPath))
  const isRefusal = answer.claims.length === 0
  return [
    ...(isRefusal ? [paint.yellow(paint.bold(refusalTitle(answer)))] : []),
    prose(answer),
    ...unsupported(answer),
    ...warnings(answer),
    ...(answer.indexing === undefined ? [] : [paint.dim(indexingLine(answer.indexing))]),
    ...cited.map((source) => citation(source, answer, background)),
    ...dataCitations(answer),
    ...pointers(isRefusal ? "Where one might look" : "Also worth a look", others, background),
    ...entities(answer),
    footer(answer, isRefusal)
  ].join("\n\n")
}

const refusalTitle = ({ policy }: StructuredAnswer): string =>
  policy.mode === "enforce" && policy.verdict === "clarify" ? "Which one is meant?" : "No answer found"

/** The sources that a claim cites, in their order. */
export const citedSources = ({ claims, sources }: StructuredAnswer): ReadonlyArray<Source> => {
  const ids = new Set(claims.flatMap(({ citations }) => citations))
  return sources.filter(({ id }) => ids.has(id))
}

const prose = ({ answer }: StructuredAnswer): string =>
  wrap(clean(answer).trim(), proseColumns()).replace(/\[[SD]\d+\]/g, (marker) => paint.cyan(marker))

/** The statements that were not fully found in what they cite, each with its status. */
const unsupported = ({ claims }: StructuredAnswer): ReadonlyArray<string> => {
  const lines = claims.flatMap(({ citations, status = "supported", text, unmatched }) =>
    status === "supported"
      ? []
      : [
          `${status}: ${cleanLine(text)}${citations.map((id) => ` [${id}]`).join("")}${unmatchedWords(text, unmatched)}`
        ]
  )
  return lines.length === 0
    ? []
    : [lines.map((line) => paint.yellow(wrap(`! ${line}`, proseColumns()))).join("\n")]
}

/** Whether nothing supports some sentences, which were left out. */
const withheldMessage = ({ claims, message }: StructuredAnswer["policy"]["caveats"][number]): boolean =>
  claims !== undefined && message.includes("Withheld")

/** A confidence that only shadows the answer is for the log; how much was found stands in the last line anyway. */
const isTold =
  ({ mode }: StructuredAnswer["policy"]) =>
  (caveat: StructuredAnswer["policy"]["caveats"][number]): boolean =>
    (caveat.code !== "partial_grounding" || withheldMessage(caveat)) &&
    (mode === "enforce" || caveat.code !== "low_confidence")

const warnings = ({ policy }: StructuredAnswer): ReadonlyArray<string> =>
  [
    ...policy.caveats
      .filter(isTold(policy))
      .map(({ message, sourceIds }) => ({ text: cleanLine(message), sourceIds })),
    ...policy.conflicts.map(({ attribute, preferred, reason, sides, subject }) => ({
      text:
        `The sources disagree about ${[cleanLine(subject), cleanLine(attribute)].filter(Boolean).join(", ")}: ` +
        sides.map(({ sourceId, value }) => `${cleanLine(value)} [${sourceId}]`).join(", ") +
        (preferred === null ? "." : `. Preferred: [${preferred}], ${cleanLine(reason)}`),
      sourceIds: []
    }))
  ].map(({ sourceIds, text }) =>
    paint.yellow(wrap(`! ${text}${sourceIds.map((id) => ` [${id}]`).join("")}`, proseColumns()))
  )

const citation = (source: Source, answer: StructuredAnswer, background: Background): string => {
  const claims = answer.claims
    .filter(({ citations }) => citations.includes(source.id))
    .map(({ text }) => text)
  const { sentences, text } = carrier(claims, source.snippet, background.texts.get(source.docId) ?? "")
  const place = background.places.get(source.chunkId)
  const label = `[${source.id}]`
  const indent = " ".repeat(label.length + 1)
  return [
    `${paint.cyan(label)} ${paint.bold(cleanLine(source.docTitle))}${standing(place?.verification)}`,
    paint.dim(wrap(`${locationOf(source, background)}${versionOf(source)}`, proseColumns(), indent)),
    ...originalLines(source, indent),
    quotation(text, sentences, indent)
  ].join("\n")
}

/** The cited executions of queries: which query, on which connector, when, and the record that was left. */
const dataCitations = ({ claims, dataCalls }: StructuredAnswer): ReadonlyArray<string> => {
  const ids = new Set(claims.flatMap(({ citations }) => citations))
  return dataCalls
    .filter(({ id }) => ids.has(id))
    .map((data) => {
      const label = `[${data.id}]`
      const indent = " ".repeat(label.length + 1)
      const rows = `${data.rowCount} ${data.rowCount === 1 ? "row" : "rows"}`
      const at = data.executedAt.slice(0, 19).replace("T", " ")
      const facts = [rows, cleanLine(data.connectorName), `${at} UTC`, data.dataCallId]
      return [
        `${paint.cyan(label)} ${paint.bold(cleanLine(data.queryTitle))}`,
        paint.dim(wrap(facts.filter(Boolean).join(" · "), proseColumns(), indent))
      ].join("\n")
    })
}

/** The version that an answer about the past cites, and the day on which it became the current one. */
const versionOf = ({ docVersion, validAt }: Source): string =>
  docVersion === undefined || validAt === undefined
    ? ""
    : ` · version ${docVersion} of ${validAt.slice(0, 10)}`

const locationOf = (source: Source, background: Background): string =>
  placeText(
    source.docPath,
    source.docTitle,
    background.places.get(source.chunkId)?.headingPath ?? "",
    source.page
  )

/** The passage, with a bar at its side; the sentences that carry the claims stand out from the rest. */
const quotation = (text: string, sentences: ReadonlyArray<Stretch>, indent: string): string => {
  const wrapped = wrap(text, proseColumns() - indent.length - 2)
  const painted = paintStretches(text, sentences, wrapped, paint.bold)
  return painted
    .split("\n")
    .map((line) => `${indent}${paint.dim("│")} ${line}`)
    .join("\n")
}

const pointers = (
  title: string,
  sources: ReadonlyArray<Source>,
  background: Background
): ReadonlyArray<string> => {
  const byDocument = new Map<string, Source>()
  for (const source of sources) if (!byDocument.has(source.docPath)) byDocument.set(source.docPath, source)
  if (byDocument.size === 0) return []
  const lines = [...byDocument.values()].map((source) =>
    wrap(`${cleanLine(source.docTitle)}: ${locationOf(source, background)}`, proseColumns() - 4)
      .split("\n")
      .map((line, index) => (index === 0 ? `  ${line}` : `    ${line}`))
      .join("\n")
  )
  return [paint.dim([`${title}:`, ...lines].join("\n"))]
}

const entities = ({ entities: found }: StructuredAnswer): ReadonlyArray<string> =>
  found.length === 0
    ? []
    : [
        paint.dim(
          wrap(
            `About: ${found.map(({ name, type }) => `${cleanLine(name)} (${cleanLine(type)})`).join(", ")}`,
            proseColumns()
          )
        )
      ]

const footer = ({ groundedness, model, usage }: StructuredAnswer, isRefusal: boolean): string => {
  const { total, verified } = groundedness
  const checked = `${verified} of ${total} ${total === 1 ? "statement" : "statements"} found in what ${total === 1 ? "it cites" : "they cite"}`
  const tokens = usage.inputTokens + usage.outputTokens
  const parts = [
    ...(isRefusal ? [] : [verified === total ? checked : paint.yellow(checked)]),
    cleanLine(model.chat),
    ...(tokens === 0 ? [] : [`${tokens.toLocaleString("en")} tokens, $${usage.costUsd.toFixed(4)}`])
  ]
  return paint.dim(parts.join(" · "))
}
