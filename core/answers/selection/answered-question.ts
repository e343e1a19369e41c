import { wordwise } from "../../language/languages/index.js"
import { answerTypeOf, type Question } from "../../language/questions/index.js"
import type { ReadText, ReadUnit, Term } from "../../language/text-analysis/index.js"
import { wordRelation } from "../../language/word-relations/index.js"
import { memoize } from "../../platform/caching/index.js"
import { nameNorm } from "../../platform/kernel/index.js"
import { type Evidence, type EvidencePassage, headingOf, isQuestion } from "../evidence/index.js"
import { definesSubject } from "./defining.js"
import { headTextOf } from "./head-text.js"

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
  const defined = definitionIn(evidence)
  if (defined.length > 0) return defined
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

const answersIn = (evidence: Evidence, source: EvidencePassage): ReadonlyArray<PageAnswer> => {
  const { question, texts } = evidence
  const isAsked = (text: string): boolean => isQuestion(text) && asksTheSame(evidence, texts.read(text))
  const { units } = source
  for (const [at, unit] of units.entries()) {
    if (!sayable.has(unit.kind)) continue
    const asksHere = isQuestion(unit.text)
    const labels = asksHere ? [unit.text] : [unit.lead, headingOf(source, unit)]
    const isDefined = unit.kind === "sentence" && unit.lead !== "" && isSubject(question, unit.lead)
    const asked = isDefined ? unit.lead : labels.find(isAsked)
    const from = asksHere ? at + 1 : at
    const first = units[from]
    if (asked === undefined || first === undefined || first.heading !== unit.heading) continue
    const below = units.slice(from)
    // Whether it is so may stand in a later paragraph.
    const isWhole = question.answerType === "yes-no" && !asksHere && !saysWhether.test(first.text)
    const end = below.findIndex(
      ({ block, heading, text }) =>
        (isWhole ? heading !== first.heading : block !== first.block) || isQuestion(text)
    )
    const answer = first.kind === "list" ? [first] : end < 0 ? below : below.slice(0, end)
    if (answer.length > 0) return answer.slice(0, sentencesMax).map((one) => ({ source, unit: one, asked }))
  }
  return []
}

/** The most certain statement that says what the subject of the question is, with the sentences of its item. */
const definitionIn = (evidence: Evidence): ReadonlyArray<PageAnswer> => {
  const { question, retired, sources } = evidence
  if (question.subject === null) return []
  let best: { readonly worth: number; readonly found: ReadonlyArray<PageAnswer> } = { worth: 0, found: [] }
  for (const source of inOrder(sources)) {
    const { passage, units } = source
    if (passage.docVerification === "deprecated" || retired.has(passage.documentId)) continue
    for (const [at, unit] of units.entries()) {
      const worth = definesSubject(evidence, source, unit)
      if (worth <= best.worth) continue
      const next = units.slice(at + 1, at + sentencesMax)
      const end = next.findIndex(
        ({ block, opening }) => block !== unit.block || opening === "" || opening === unit.opening
      )
      const behind = sentenceBehind(source, unit)
      const more =
        unit.kind === "item" && unit.opening === ""
          ? next.slice(0, end < 0 ? next.length : end)
          : behind === undefined
            ? []
            : [behind]
      best = { worth, found: [unit, ...more].map((one) => ({ source, unit: one })) }
    }
  }
  return best.found
}

/** Returns the sentence behind one that goes on with it: "This allows you to …". */
export const sentenceBehind = ({ units }: EvidencePassage, unit: ReadUnit): ReadUnit | undefined => {
  const next = units[units.indexOf(unit) + 1]
  return next?.block === unit.block && next.kind === unit.kind && goesOn.test(next.text) ? next : undefined
}
const goesOn =
  /^(?:This|That|It|They|These|(?:To do|For) (?:this|so|that)|Dies|Das|Dadurch|Damit|Dazu|Hierzu|Dafür)(?!\p{L})/u

const isSubject = ({ subject }: Question, label: string): boolean =>
  subject !== null && nameNorm(label) === nameNorm(subject.replace(/^(?:an?|the) /iu, ""))

const saysWhether = /^(?:yes|no|not|ja|nein|oui|non|sí)(?!\p{L})/iu

const sayable: ReadonlySet<ReadUnit["kind"]> = new Set(["sentence", "item", "list"])

/** Steps below a heading, or what an introduction introduces, that name what is to be done. */
const stepsIn = (evidence: Evidence, source: EvidencePassage): ReadonlyArray<PageAnswer> => {
  const { question, texts } = evidence
  const names = (text: string): boolean => text !== "" && saysTheSame(evidence, texts.read(text))
  for (const [at, unit] of source.units.entries()) {
    const introduced = introducedBy(source, unit)
    const isBelow = (unit.kind === "item" || unit.kind === "list") && names(headingOf(source, unit))
    if (question.answerType === "procedure" && instructs(evidence, source, unit))
      return [unit, ...introduced].map((one) => ({ source, unit: one }))
    const found = isBelow ? itemsFrom(source.units, at) : names(unit.text) ? introduced : []
    if (found.length > 0)
      return [
        ...[...(isBelow || found[0]?.kind === "list" ? [] : [unit]), ...found].map((one) => ({
          source,
          unit: one
        })),
        ...continuedBelow(evidence.sources, source, found)
      ].slice(0, itemsMax)
  }
  return []
}

/** "To delete the account, open …": the purpose, with the heading above it, has the words of the question. */
const instructs = ({ question, texts }: Evidence, source: EvidencePassage, unit: ReadUnit): boolean => {
  const [, purpose] = unit.kind === "sentence" || unit.kind === "item" ? (toDo.exec(unit.text) ?? []) : []
  if (purpose === undefined) return false
  const said = texts.read(purpose)
  const above = texts.read(`${headTextOf(source)} | ${unit.heading}`)
  const terms = question.read.termsIn(question.language)
  return (
    terms.length > 1 &&
    terms.every(
      ({ term }) =>
        said.set.match(term, question.language) > 0 || above.set.match(term, question.language) > 0
    ) &&
    terms.filter(({ term }) => said.set.match(term, question.language) > 0).length > terms.length / 2 &&
    question.anchors.every((anchor) => said.field.has(anchor) || above.field.has(anchor))
  )
}
const toDo = /^(?:(?:In order )?[Tt]o|Um) ([^,;:]{3,100}), (?=\p{Ll})/u

/** The items of a list that goes on in the following passages of its section. */
const continuedBelow = (
  sources: Evidence["sources"],
  source: EvidencePassage,
  found: ReadonlyArray<ReadUnit>
): ReadonlyArray<PageAnswer> => {
  if (found[0]?.kind !== "item") return []
  const chars = found.reduce((sum, { text }) => sum + text.length, 0)
  return continuationOf(sources, source)
    .flatMap((next) => next.units.flatMap((unit) => (unit.kind === "item" ? [{ source: next, unit }] : [])))
    .filter(withinChars(chars))
}

const withinChars = (before: number) => {
  let chars = before
  return ({ unit: { text } }: PageAnswer): boolean => {
    chars += text.length
    return chars <= itemChars
  }
}

/** The passages that follow one without a gap and hold items of a list below the same headings, in their order. */
export const continuationOf = (
  sources: Evidence["sources"],
  { passage }: EvidencePassage
): ReadonlyArray<EvidencePassage> => {
  const found: Array<EvidencePassage> = []
  const path = passage.headingPath.join("\n")
  for (let ordinal = passage.ordinal + 1; ; ordinal += 1) {
    const next = sources.find(
      (one) =>
        one.passage.documentId === passage.documentId &&
        one.passage.ordinal === ordinal &&
        one.passage.headingPath.join("\n") === path
    )
    if (next === undefined || !next.units.some(({ kind }) => kind === "item")) return found
    found.push(next)
  }
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
const saysTheSame = ({ question, sources }: Evidence, other: ReadText): boolean => {
  const { anchors, language, read } = question
  const [terms, others] = [read.termsIn(language), other.termsIn(language)]
  const missing = terms.filter(({ term }) => other.set.match(term, language) === 0)
  // "The following roles exist:" lists them.
  const further = others.filter(
    ({ surface, term }) =>
      read.set.match(term, language) === 0 && !introduces.test(surface) && !isOfAll(sources, term)
  )
  if (terms.length === 0 || missing.length > terms.length / 2 || further.length > 2) return false
  const areSame = (one: string, list: ReadonlyArray<Term>): boolean =>
    list.some(({ surface }) => wordRelation(one, surface, language) === "same")
  return (
    missing.every(({ surface }) => ofUse.test(surface) || areSame(surface, further)) &&
    further.every(({ surface }) => ofUse.test(surface) || areSame(surface, missing)) &&
    anchors.every((anchor) => other.field.has(anchor))
  )
}

/** Whether most passages that were found have a word, which is then what the whole vault is about. */
const isOfAll = (sources: Evidence["sources"], term: string): boolean =>
  sources.length >= manySources &&
  sources.filter(({ read }) => read.unitTerms.has(term)).length >= ofAllShare * sources.length
const [manySources, ofAllShare] = [6, 0.6]
/** Verbs that say no more than that something is used. */
const ofUse =
  /^(?:us(?:e|es|ed|ing)|run|runs|running|operate|work|works|(?:ver|be)?nutz\p{L}{1,3}|verwend\p{L}{1,3}|betreib\p{L}{1,3}|einsetz\p{L}{1,3}|utilis\p{L}{1,3}|usar)$/iu
const introduces = /^(?:following|below|steps?|these|are|available|folgenden?|schritte)$/iu

/** Whether two questions have the same content words, ask for the same kind of answer, and name the same. */
const asksTheSame = (evidence: Evidence, other: ReadText): boolean => {
  const { question } = evidence
  return (
    nameNorm(question.text) === nameNorm(other.text) ||
    (answerTypeOf(question.text, question.language) === answerTypeOf(other.text, question.language) &&
      asksMeaning().test(question.text) === asksMeaning().test(other.text) &&
      saysTheSame(evidence, other))
  )
}
/** "What does EIP stand for?" is not "What is an EIP?". */
const asksMeaning = wordwise(
  () => /(?<!\p{L})(?:stands? for|short for|steht|abbreviat\p{L}*|acronym)(?!\p{L})/iu
)
