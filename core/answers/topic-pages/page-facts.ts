import type { ReadText, ReadUnit, TextCache } from "../../language/text-analysis/index.js"
import { TermSet } from "../../language/text-analysis/index.js"
import type { Value } from "../../language/values/index.js"
import { type Evidence, type EvidencePassage, isQuestion } from "../evidence/index.js"
import { checkClaim } from "../grounding/index.js"
import type { CitedSentence, PageStatements } from "./model.js"

/** Most statements of each part of a page. */
const [factsMax, valuesMax, timelineMax] = [24, 30, 30]
const [charsMin, charsMax] = [20, 500]
/** Minimum match of a word with a word of a name. */
const matchMin = 0.9

/** Whether a text, with its surroundings, has all words of one of the names. */
export const isAbout = (names: ReadonlyArray<ReadText>, ...texts: ReadonlyArray<ReadText>): boolean => {
  const sets = texts.map(({ set }) => set)
  const language = texts[0]?.language ?? "en"
  return names.some((name) => {
    const terms = name.termsIn(name.language)
    return terms.length > 0 && terms.every(({ term }) => TermSet.matchIn(sets, term, language) >= matchMin)
  })
}

/**
 * Returns what the sources state of a subject, word for word: facts, quantities and dates, each statement once, in the
 * order of the sources. Every statement is checked against its source like the sentence of a model.
 */
export const factsAbout = (
  names: ReadonlyArray<ReadText>,
  evidence: Evidence,
  texts: TextCache
): PageStatements => {
  const seen = new Set<string>()
  const facts: Array<CitedSentence> = []
  const values: Array<PageStatements["values"][number]> = []
  const dated: Array<{ readonly key: string; readonly entry: PageStatements["timeline"][number] }> = []
  for (const source of evidence.sources)
    for (const unit of source.units) {
      const key = unit.text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ")
      if (seen.has(key) || !isStatement(unit) || !isOfSubject(names, source, unit, texts)) continue
      const sentence = { text: unit.text.trim(), citations: [source.id] }
      if (!checkClaim(sentence, evidence).supported) continue
      seen.add(key)
      const date = unit.values.find((value) => value.kind === "date")
      const quantity = unit.values.find(isQuantity)
      if (date !== undefined && unit.kind !== "row")
        dated.push({
          key: dateKey(date),
          entry: { ...sentence, date: unit.text.slice(date.start, date.end) }
        })
      else if (quantity !== undefined)
        values.push({ ...sentence, value: unit.text.slice(quantity.start, quantity.end) })
      else facts.push(sentence)
    }
  const timeline = dated.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  return {
    facts: facts.slice(0, factsMax),
    values: values.slice(0, valuesMax),
    timeline: timeline.slice(0, timelineMax).map(({ entry }) => entry)
  }
}

const isQuantity = (value: Value): boolean => value.kind === "quantity" && value.dimension !== "ordinal"

/** Dates of unknown order come first. */
const dateKey = (value: Value): string => {
  const first = value.kind === "date" ? value.readings[0] : undefined
  return first === undefined
    ? ""
    : [first.year ?? 0, first.month ?? 0, first.day ?? 0].map((part) => String(part).padStart(4, "0")).join()
}

const isStatement = ({ kind, text }: ReadUnit): boolean =>
  (kind === "sentence" || kind === "item" || kind === "row") &&
  text.length >= charsMin &&
  text.length <= charsMax &&
  /\s/u.test(text.trim()) &&
  !/[:：]$/u.test(text.trim()) &&
  !isQuestion(text)

const isOfSubject = (
  names: ReadonlyArray<ReadText>,
  { passage }: EvidencePassage,
  unit: ReadUnit,
  texts: TextCache
): boolean =>
  isAbout(names, unit) ||
  isAbout(names, texts.read([passage.docTitle, ...passage.headingPath, unit.heading, unit.lead].join(" ")))
