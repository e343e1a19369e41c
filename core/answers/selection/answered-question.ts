import { answerTypeOf, type Question } from "../../language/questions/index.js"
import type { ReadText, ReadUnit } from "../../language/text-analysis/index.js"
import { memoize } from "../../platform/caching/index.js"
import { nameNorm } from "../../platform/kernel/index.js"
import { type Evidence, type EvidencePassage, headingOf, isQuestion } from "../evidence/index.js"

/** A unit that a page gives as the answer to the question that was asked. */
export interface PageAnswer {
  readonly source: EvidencePassage
  readonly unit: ReadUnit
  /** The question or the defined term, as the page has it; undefined for steps. */
  readonly asked?: string
}

/** More sentences of the answer than these are left to the page. */
const sentencesMax = 4
/** Maximum number of items of a list, and of their characters. */
const [itemsMax, itemChars] = [40, 4_000]

/**
 * Returns what a page says below the very question that was asked: below a heading, behind "Q:", a bold label or a
 * summary. However short it is, it is the answer ("No."). For a question how to do something, a heading or an
 * introduction that names it ("Reset the alarm", "Remove the cache:") asks it too; its steps or commands are the
 * answer. The entry of a list of definitions answers what a thing is. Empty when no page asks it.
 */
export const answersOnPage = memoize((evidence: Evidence): ReadonlyArray<PageAnswer> => {
  for (const source of inOrder(evidence.sources)) {
    const steps = listed.has(evidence.question.answerType) ? stepsIn(evidence, source) : []
    const found = steps.length > 0 ? steps : answersIn(evidence, source)
    if (found.length > 0) return found
  }
  return []
})

/** The passages of a document in their order, the documents in the order of their best passage. */
const inOrder = (sources: Evidence["sources"]): Evidence["sources"] => {
  const ranks = new Map<string, number>()
  for (const { passage, rank } of sources)
    ranks.set(passage.documentId, Math.min(rank, ranks.get(passage.documentId) ?? rank))
  const rankOf = ({ passage }: EvidencePassage): number => ranks.get(passage.documentId) ?? 0
  return [...sources].sort((a, b) => rankOf(a) - rankOf(b) || a.passage.ordinal - b.passage.ordinal)
}

const listed: ReadonlySet<Question["answerType"]> = new Set(["procedure", "list"])

const answersIn = ({ question, texts }: Evidence, source: EvidencePassage): ReadonlyArray<PageAnswer> => {
  const isAsked = (text: string): boolean => isQuestion(text) && asksTheSame(question, texts.read(text))
  const { subject } = question
  const isSubject = (label: string): boolean =>
    subject !== null && nameNorm(label) === nameNorm(subject.replace(/^(?:an?|the) /iu, ""))
  const { units } = source
  for (const [at, unit] of units.entries()) {
    if (!sayable.has(unit.kind)) continue
    const asksHere = isQuestion(unit.text)
    const labels = asksHere ? [unit.text] : [unit.lead, headingOf(source, unit)]
    const isDefined = unit.kind === "sentence" && subject !== null && unit.lead !== "" && isSubject(unit.lead)
    const asked = isDefined ? unit.lead : labels.find(isAsked)
    const from = asksHere ? at + 1 : at
    const first = units[from]
    if (asked === undefined || first === undefined || first.heading !== unit.heading) continue
    const below = units.slice(from)
    const end = below.findIndex(({ block, text }) => block !== first.block || isQuestion(text))
    const answer = first.kind === "list" ? [first] : end < 0 ? below : below.slice(0, end)
    if (answer.length > 0) return answer.slice(0, sentencesMax).map((one) => ({ source, unit: one, asked }))
  }
  return []
}

const sayable: ReadonlySet<ReadUnit["kind"]> = new Set(["sentence", "item", "list"])

/** Steps below a heading, or what an introduction introduces, that name what is to be done. */
const stepsIn = ({ question, texts }: Evidence, source: EvidencePassage): ReadonlyArray<PageAnswer> => {
  const names = (text: string): boolean => text !== "" && saysTheSame(question, texts.read(text))
  for (const [at, unit] of source.units.entries()) {
    const introduced = introducedBy(source, unit)
    const isBelow = (unit.kind === "item" || unit.kind === "list") && names(headingOf(source, unit))
    const found = isBelow ? itemsFrom(source.units, at) : names(unit.text) ? introduced : []
    if (found.length > 0)
      return [...(isBelow || found[0]?.kind === "list" ? [] : [unit]), ...found].map((one) => ({
        source,
        unit: one
      }))
  }
  return []
}

/**
 * Returns what a unit introduces: the list behind "…:", as a whole or as its items, or the block of code behind an
 * introduction that is no sentence of its own. Empty for other units.
 */
export const introducedBy = ({ units }: EvidencePassage, unit: ReadUnit): ReadonlyArray<ReadUnit> => {
  if (unit.kind !== "sentence" && unit.kind !== "item") return []
  const at = units.indexOf(unit) + 1
  const next = units[at]
  if (next === undefined || next.heading !== unit.heading) return []
  if (next.kind === "code") return endsSentence.test(unit.text) ? [] : [next]
  return /[:：]$/u.test(unit.text) && (next.kind === "list" || next.kind === "item")
    ? itemsFrom(units, at)
    : []
}
const endsSentence = /[.!?。！？]["'”»)]?$/u

/** The list that begins at a unit: as one unit where it is short, else its items up to the next heading. */
const itemsFrom = (units: ReadonlyArray<ReadUnit>, at: number): ReadonlyArray<ReadUnit> => {
  const first = units[at]
  if (first === undefined) return []
  const below = units.slice(at)
  const end = below.findIndex(
    ({ heading, kind, text }) => heading !== first.heading || (kind === "sentence" && /[:：]$/u.test(text))
  )
  const items = (end < 0 ? below : below.slice(0, end)).filter(({ kind }) => kind === "item")
  if (first.kind === "list" && items.every(({ block }) => block === first.block)) return [first]
  let chars = 0
  return items
    .filter(({ text }) => {
      chars += text.length
      return chars <= itemChars
    })
    .slice(0, itemsMax)
}

/** Whether a heading or introduction has the content words of the question, and no others. */
const saysTheSame = ({ anchors, language, read }: Question, other: ReadText): boolean => {
  const [terms, others] = [read.termsIn(language), other.termsIn(language)]
  return (
    terms.length > 0 &&
    terms.every(({ term }) => other.set.match(term, language) > 0) &&
    // "The following roles exist:" lists them.
    others.every(({ surface, term }) => read.set.match(term, language) > 0 || introduces.test(surface)) &&
    anchors.every((anchor) => other.field.has(anchor))
  )
}

const introduces = /^(?:following|below|steps?|these|are|available|folgenden?|schritte)$/iu

/** Whether two questions have the same content words, ask for the same kind of answer, and name the same. */
const asksTheSame = (question: Question, other: ReadText): boolean =>
  nameNorm(question.text) === nameNorm(other.text) ||
  (answerTypeOf(question.text, question.language) === answerTypeOf(other.text, question.language) &&
    asksMeaning.test(question.text) === asksMeaning.test(other.text) &&
    saysTheSame(question, other))
/** "What does EIP stand for?" is not "What is an EIP?". */
const asksMeaning = /(?<!\p{L})(?:stands? for|short for|steht|abbreviat\p{L}*|acronym)(?!\p{L})/iu
