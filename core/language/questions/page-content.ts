import { wordwise } from "../languages/index.js"
import type { Term } from "../text-analysis/index.js"
import type { DateParts } from "../values/index.js"
import type { Question } from "./question.js"

/** A question for what stands on a page that it names by a date: "What was discussed on 2024-05-13?" */
export interface PageContentQuestion {
  /** Readings of the date; `newest` for "our last meeting". */
  readonly day: ReadonlyArray<DateParts> | "newest"
  /** Words that title or path of the page must have: "daily", "meeting". */
  readonly named: ReadonlyArray<Term>
}

const asksWhat = wordwise(
  () => /^(?:so |and )?(?:what|which|was|worüber|worum|welche|de quoi|qu|que|qué|sobre qué)\b/iu
)
/** Verbs of what people say, decide or see at a meeting or on a day, and what is asked with "about". */
const reported = wordwise(
  () =>
    /(?<!\p{L})(?:discuss\p{L}*|talk(?:ed|ing)?|sp(?:oke|oken|eak)|happen\p{L}*|decid\p{L}*|decisions?|agree[ds]?|cover(?:ed)?|do|did|done|about|agenda|topics?|minuted|noted|besproch\p{L}*|geredet|gesprochen|passiert\p{L}*|geschah|geschehen|beschlossen|vereinbart|entschieden|themen|discut\p{L}*|parlé|passé|décidé|convenu|habl\p{L}*|pasó|decidi\p{L}*|acord\p{L}*|trat\p{L}*)(?!\p{L})/giu
)
/** The date tells which meeting it was; its notes need not say that they are some. */
const occasion =
  /^(?:meetings?|calls?|standups?|sessions?|notes?|minutes|sync|day|sitzung|besprechung|treffen|protokoll|tag|réunion|reunión|jour|día|we|you|they)$/iu
const newest = wordwise(
  () =>
    /(?<!\p{L})(?:most recent|latest|newest|(?:our|the|my|your|their|its) (?:very )?last|neueste\p{L}*|letzte\p{L}*|dernière?|últim[oa]s?)(?!\p{L})/iu
)

/** Returns what a question for the content of a dated page names; null for other questions. */
export const pageContentAsked = ({ read, terms, text }: Question): PageContentQuestion | null => {
  if (!asksWhat().test(text)) return null
  const verbs = [...text.matchAll(reported())]
  if (verbs.length === 0) return null
  const readings = read.values.flatMap((value) =>
    value.kind === "date" ? value.readings.filter(({ day }) => day !== null) : []
  )
  const latest = newest().exec(text)
  if (readings.length === 0 && latest === null) return null
  const spans = [
    ...[...verbs, ...(latest === null ? [] : [latest])].map(({ 0: word, index }) => ({
      start: index,
      end: index + word.length
    })),
    ...read.values
  ]
  const left = terms.filter(({ end, start }) => !spans.some((span) => start < span.end && end > span.start))
  if (readings.length === 0) return left.length === 0 ? null : { day: "newest", named: left }
  return { day: readings, named: left.filter(({ surface }) => !occasion.test(surface)) }
}
