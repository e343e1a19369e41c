import { areSynonyms, holdsUnspaced } from "../languages/index.js"
import { answerTypeTest, predicateOf, propertyTest, type Question, thingOf } from "../questions/index.js"
import {
  type Anchor,
  antonymsOf,
  contentTerms,
  isWeekday,
  type ReadUnit,
  type Term,
  TermLookup,
  type TermSet,
  type Token
} from "../text-analysis/index.js"
import type { Value } from "../values/index.js"
import type { Evidence } from "./evidence.js"

/** A word of the question, or a code that is looked up as a whole. */
export interface AskedTerm {
  readonly term: string
  readonly code: Anchor | null
  /** The amount or date that contains it. */
  readonly value: Value | null
  readonly isWeekday: boolean
  /** Whether a unit has a value of the property that the word names ("hot", "pressure"); null for other words. */
  readonly hasProperty: ((unit: Pick<ReadUnit, "text" | "values">) => boolean) | null
  /** Whether it is part of a name. */
  readonly isName: boolean
  readonly weight: number
}

/** A longer question is reduced to its rarest terms. */
const termsMax = 48

/** A question prepared for look-ups in many texts; results are cached per text. */
export class PreparedQuestion {
  readonly question: Question
  /** Distinct terms, rarest first. */
  readonly asked: ReadonlyArray<AskedTerm>
  /** Whether some terms are more than words: codes, amounts, weekdays. */
  readonly hasMore: boolean
  /** Whether one of the terms is a weekday. */
  readonly hasWeekday: boolean
  readonly sought: TermLookup
  /** Row indices of the requested attribute, and of its modifiers. */
  readonly focus: number | null
  readonly modifiers: ReadonlyArray<number>
  /** Row index of the activity or role in a "who" question. */
  readonly predicate: number | null
  /** Row index of the word for a price. */
  readonly price: number | null
  /** Row indices of the thing that the attribute belongs to, without names. */
  readonly thing: ReadonlyArray<number>
  readonly termsOfQuestion: ReadonlySet<string>
  readonly anchorTexts: ReadonlyArray<string>
  /** Terms of the subject of a definition. */
  readonly subject: ReadonlyArray<Term>
  /** Antonyms of words of the question, by their terms. */
  readonly rivals: ReadonlyArray<{ readonly of: string; readonly term: string }>
  readonly holdsType: (unit: Pick<ReadUnit, "kind" | "text" | "values">) => boolean

  constructor(private readonly evidence: Evidence) {
    const { analyse, question } = evidence
    const { anchors, focus, focusModifiers, language, subject } = question
    this.question = question
    this.asked = askedTerms(evidence)
    this.hasWeekday = this.asked.some(({ isWeekday }) => isWeekday)
    this.hasMore =
      this.hasWeekday ||
      this.asked.some(
        ({ code, hasProperty, value }) => code !== null || value !== null || hasProperty !== null
      )
    const words = this.asked.map(({ term }) => term)
    const terms = [...words, ...(focus === null ? [] : [focus]), ...focusModifiers]
    this.sought = new TermLookup(terms, language)
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

  /** Returns how well a set covers a term of the question, 0 to 1. */
  match(set: TermSet, term: string): number {
    return this.sought.match(set, term)
  }

  /** Returns the same for several sets treated as one. */
  matchIn(sets: ReadonlyArray<TermSet>, term: string): number {
    return this.sought.matchIn(sets, term)
  }

  weigh(term: string): number {
    return Math.max(0.05, this.evidence.idf(term))
  }

  /** The indexed words of the question. */
  get tokens(): ReadonlyArray<Token> {
    return this.question.read.tokensIn(this.question.language)
  }
}

/** Returns the prepared question, cached per evidence: it is looked up in the pool and again in the selection. */
export const prepareQuestion = (evidence: Evidence): PreparedQuestion => {
  const { entities, idf, question } = evidence
  const held = lastAsked.get(question)
  if (held !== undefined && held.idf === idf && held.entities === entities) return held.asking
  const asking = new PreparedQuestion(evidence)
  lastAsked.set(question, { idf, entities, asking })
  return asking
}
const lastAsked = new WeakMap<
  Question,
  Pick<Evidence, "entities" | "idf"> & { readonly asking: PreparedQuestion }
>()

const lightWeight = 0.3
/** Words that an answer need not repeat. */
const light =
  /^(?:available|currently|usually|normally|typically|exactly|actually|ever|exists?|put|get|gets|find|happens?|now|today|presently|jetzt|nun|heute|maintenant|désormais|ahora|actualmente|hoy|сейчас|теперь|сегодня|verfügbar|aktuell|derzeit|normalerweise|genau|disponibles?|actuellement)$/iu

/**
 * Returns weights of character pairs that may span a word boundary in scripts without spaces. Such a pair does not
 * occur in texts, while its characters occur in the neighbouring pairs; only the part not covered by those counts.
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
/** Such a pair may still carry meaning. */
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
    // A yes-no question may be answered with another amount.
    const isLight = (value !== null && question.answerType === "yes-no") || light.test(surface)
    const weight = (isLight ? lightWeight : 1) * weigh(term) * (shares?.get(term) ?? 1)
    byTerm.set(term, {
      term,
      code: null,
      value,
      hasProperty: propertyTest(surface),
      isName,
      isWeekday: isWeekday(surface),
      weight
    })
  }
  for (const anchor of question.anchors) {
    if (anchor.kind !== "code") continue
    const weight = Math.max(0.05, ...analyse(anchor.text).map(({ term }) => weigh(term)))
    byTerm.set(anchor.code, {
      term: anchor.code,
      code: anchor,
      value: null,
      hasProperty: null,
      isName: false,
      isWeekday: false,
      weight
    })
  }
  return [...byTerm.values()].sort((a, b) => b.weight - a.weight).slice(0, termsMax)
}
