import {
  type Anchor,
  answerTypeTest,
  antonymsOf,
  areSynonyms,
  contentTerms,
  holdsUnspaced,
  isWeekday,
  predicateOf,
  type Question,
  type ReadUnit,
  Sought,
  type Term,
  type TermSet,
  type Token,
  thingOf,
  type Value
} from "../text-analysis/index.js"
import type { Evidence } from "./evidence.js"

/** A word of the question, or a code that is looked up whole. */
export interface AskedTerm {
  readonly term: string
  readonly code: Anchor | null
  /** The amount or date that it is part of. */
  readonly value: Value | null
  readonly isWeekday: boolean
  /** It is part of a name. */
  readonly isName: boolean
  readonly weight: number
}

/** A question of more terms is read by its rarest ones. */
const termsMax = 48

/** What is asked, ready to be looked for in text after text: what was found in one is not looked for again. */
export class Asking {
  readonly question: Question
  /** Distinct terms, the rarest first. */
  readonly asked: ReadonlyArray<AskedTerm>
  /** Some of them are more than words: codes, amounts, weekdays. */
  readonly hasMore: boolean
  /** One of them is a day of the week. */
  readonly hasWeekday: boolean
  readonly sought: Sought
  /** Places in the rows of what is asked of the subject, and of what tells that from others of its kind. */
  readonly focus: number | null
  readonly modifiers: ReadonlyArray<number>
  /** That of what somebody is asked to do or be. */
  readonly predicate: number | null
  /** That of what something costs. */
  readonly price: number | null
  /** Those of the thing that something is asked of, which are not part of a name. */
  readonly thing: ReadonlyArray<number>
  readonly termsOfQuestion: ReadonlySet<string>
  readonly anchorTexts: ReadonlyArray<string>
  /** The terms of the subject of a definition. */
  readonly subject: ReadonlyArray<Term>
  /** Opposites of words of the question, by their terms. */
  readonly rivals: ReadonlyArray<{ readonly of: string; readonly term: string }>
  readonly holdsType: (unit: Pick<ReadUnit, "kind" | "text" | "values">) => boolean

  constructor(private readonly evidence: Evidence) {
    const { analyse, question } = evidence
    const { anchors, focus, focusModifiers, language, subject } = question
    this.question = question
    this.asked = askedTerms(evidence)
    this.hasWeekday = this.asked.some(({ isWeekday }) => isWeekday)
    this.hasMore = this.hasWeekday || this.asked.some(({ code, value }) => code !== null || value !== null)
    const words = this.asked.map(({ term }) => term)
    const terms = [...words, ...(focus === null ? [] : [focus]), ...focusModifiers]
    this.sought = new Sought(terms, language)
    this.focus = focus === null ? null : words.length
    this.modifiers = focusModifiers.map((_, at) => words.length + (focus === null ? 0 : 1) + at)
    const predicate = predicateOf(question)
    this.predicate = predicate === null ? null : this.sought.placeOf(predicate)
    const price = question.terms.find(({ term }) => areSynonyms(term, "cost"))
    this.price = price === undefined ? null : this.sought.placeOf(price.term)
    this.thing = thingOf(question).flatMap((term) => this.sought.placeOf(term) ?? [])
    this.termsOfQuestion = new Set(question.terms.map(({ term }) => term))
    this.anchorTexts = anchors.map(({ text }) => text.toLowerCase())
    this.subject = subject === null ? [] : contentTerms(analyse, subject, language)
    this.rivals = question.terms.flatMap(({ surface, term }) =>
      antonymsOf(surface.toLowerCase()).flatMap((rival) =>
        analyse(rival).map((one) => ({ of: term, term: one.term }))
      )
    )
    this.holdsType = answerTypeTest(question)
  }

  /** How well a set carries a term of the question, 0 to 1. */
  match(set: TermSet, term: string): number {
    return this.sought.match(set, term)
  }

  /** The same of several sets as if they were one. */
  matchIn(sets: ReadonlyArray<TermSet>, term: string): number {
    return this.sought.matchIn(sets, term)
  }

  weigh(term: string): number {
    return Math.max(0.05, this.evidence.idf(term))
  }

  /** The words of the question, as they are indexed. */
  get tokens(): ReadonlyArray<Token> {
    return this.question.read.tokensIn(this.question.language)
  }
}

/** A question is looked for several times, in the pool and in what was chosen from it: what was found is remembered. */
export const askingOf = (evidence: Evidence): Asking => {
  const { entities, idf, question } = evidence
  const held = lastAsked.get(question)
  if (held !== undefined && held.idf === idf && held.entities === entities) return held.asking
  const asking = new Asking(evidence)
  lastAsked.set(question, { idf, entities, asking })
  return asking
}
const lastAsked = new WeakMap<Question, Pick<Evidence, "entities" | "idf"> & { readonly asking: Asking }>()

const lightWeight = 0.3
/** Words that need not be said again. */
const light =
  /^(?:available|currently|usually|normally|typically|exactly|actually|ever|exists?|put|get|gets|find|happens?|verfügbar|aktuell|derzeit|normalerweise|genau|disponibles?|actuellement)$/iu

/**
 * Where words are not parted, a pair of characters may be the end of one and the beginning of the next: it stands
 * nowhere, and its characters stand in the pairs beside it. What is not told by those is all that it asks for.
 */
const boundaryShares = ({ question: { terms }, sources }: Evidence): ReadonlyMap<string, number> => {
  const isHeld = (term: string) => sources.some(({ read }) => read.unitTerms.has(term))
  const isPair = ({ end, start, term }: Term) => end - start === 2 && term.length === 2 && holdsUnspaced(term)
  const held = terms.map((term) => isPair(term) && isHeld(term.term))
  const shares = new Map<string, number>()
  terms.forEach((term, at) => {
    if (!isPair(term) || held[at] === true) return
    const [before, after] = [terms[at - 1], terms[at + 1]]
    const isTold =
      (held[at - 1] === true && before?.end === term.start + 1 ? 1 : 0) +
      (held[at + 1] === true && after?.start === term.end - 1 ? 1 : 0)
    if (isTold > 0) shares.set(term.term, Math.max(boundaryMin, 1 - isTold / 2))
  })
  return shares
}
/** Something may stand behind it all the same. */
const boundaryMin = 0.1

const askedTerms = (evidence: Evidence): ReadonlyArray<AskedTerm> => {
  const { analyse, idf, question } = evidence
  const weigh = (term: string) => Math.max(0.05, idf(term))
  const byTerm = new Map<string, AskedTerm>()
  const names = question.anchors.filter(({ kind }) => kind === "name").map(({ text }) => text)
  const values = question.anchors.flatMap((anchor) => (anchor.kind === "value" ? [anchor] : []))
  const shares = question.language === "cjk" ? boundaryShares(evidence) : null
  for (const { surface, term } of question.terms) {
    const isName = names.some((name) => name.includes(surface))
    const value = values.find(({ text }) => text.includes(surface))?.value ?? null
    // Whoever asks whether something is so may be told of another amount.
    const isLight = (value !== null && question.answerType === "yes-no") || light.test(surface)
    const weight = (isLight ? lightWeight : 1) * weigh(term) * (shares?.get(term) ?? 1)
    byTerm.set(term, { term, code: null, value, isName, isWeekday: isWeekday(surface), weight })
  }
  for (const anchor of question.anchors) {
    if (anchor.kind !== "code") continue
    const weight = Math.max(0.05, ...analyse(anchor.text).map(({ term }) => weigh(term)))
    byTerm.set(anchor.code, {
      term: anchor.code,
      code: anchor,
      value: null,
      isName: false,
      isWeekday: false,
      weight
    })
  }
  return [...byTerm.values()].sort((a, b) => b.weight - a.weight).slice(0, termsMax)
}
