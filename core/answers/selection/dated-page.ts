import { pageContentAsked } from "../../language/questions/index.js"
import type { Value } from "../../language/values/index.js"
import { memoize } from "../../platform/caching/index.js"
import type { DocumentId } from "../../platform/kernel/index.js"
import type { Evidence, EvidencePassage } from "../evidence/index.js"
import { headTextOf } from "./head-text.js"

/** The days that a text names. */
const daysIn = (values: ReadonlyArray<Value>) =>
  values.flatMap((value) =>
    value.kind === "date" ? value.readings.filter(({ day, year }) => day !== null && year !== null) : []
  )

/** A number by which days can be ordered; no count of days. */
const orderOf = ({ day, month, year }: ReturnType<typeof daysIn>[number]): number =>
  (year ?? 0) * 372 + (month ?? 1) * 31 + (day ?? 1)

/** Returns the days in title, headings and path of a passage, or in a field of its front matter. */
const daysOf = ({ texts }: Evidence, source: EvidencePassage) => {
  const above = daysIn(texts.read(headTextOf(source)).values)
  return above.length > 0
    ? above
    : source.units.flatMap(({ kind, values }) => (kind === "field" ? daysIn(values) : []))
}

/**
 * Returns the documents for whose content the question asks by naming their date and the words of their title: "What was
 * discussed on 2024-05-13?", "What was our last daily meeting about?". Every statement of such a page answers.
 */
export const datedPagesOf = memoize((evidence: Evidence): ReadonlySet<DocumentId> => {
  const { question, sources, texts } = evidence
  const pageQuestion = pageContentAsked(question)
  if (pageQuestion === null) return new Set()
  const dated = sources
    .filter((source) => {
      const head = texts.read(headTextOf(source)).set
      return pageQuestion.named.every(({ term }) => head.match(term, question.language) > 0)
    })
    .flatMap((source) => daysOf(evidence, source).map((day) => ({ id: source.passage.documentId, day })))
  const latest = Math.max(...dated.map(({ day }) => orderOf(day)))
  const { day: wantedDay } = pageQuestion
  const isWanted =
    wantedDay === "newest"
      ? (day: (typeof dated)[number]["day"]) => orderOf(day) === latest
      : (day: (typeof dated)[number]["day"]) =>
          wantedDay.some(
            (one) => one.day === day.day && one.month === day.month && (one.year ?? day.year) === day.year
          )
  return new Set(dated.flatMap(({ day, id }) => (isWanted(day) ? [id] : [])))
})
