import { holdsUnspaced, wordwise } from "../../language/languages/index.js"
import {
  type AskedWeekday,
  answerTypeTest,
  askedUnitOf,
  hasPlaceCell,
  holdsUnit,
  holdsWeekday,
  type Question,
  weekdayIn
} from "../../language/questions/index.js"
import {
  type Anchor,
  type ReadUnit,
  type Row,
  type Term,
  TermLookup,
  type TermSet,
  type Token
} from "../../language/text-analysis/index.js"
import { isCurrency } from "../../language/values/index.js"
import type { Evidence } from "./evidence.js"
import { glossaryEntryOf } from "./glossary.js"

/** A word of the question, or a code that is looked up as a whole. */
export interface AskedTerm {
  readonly term: string
  readonly code: Anchor | null
  readonly weight: number
}

/** A longer question is reduced to its rarest terms. */
const termsMax = 48

/** A question prepared for look-ups in many texts; results are cached per text. */
export class PreparedQuestion {
  readonly question: Question
  /** Distinct terms, rarest first. */
  readonly asked: ReadonlyArray<AskedTerm>
  /** Whether some terms are codes, which are looked up as a whole. */
  readonly hasMore: boolean
  readonly sought: TermLookup
  readonly termsOfQuestion: ReadonlySet<string>
  private readonly abbreviated: ReadonlyArray<Abbreviation>
  private readonly asksColour: boolean
  private readonly verbsOfRecords: ReadonlyArray<string>
  private readonly versionTerms: ReadonlyArray<string>
  private readonly releaseTerms: ReadonlyArray<string>
  private readonly priceTerms: ReadonlyArray<string>
  private readonly placeTerms: ReadonlyArray<string>
  readonly weekday: AskedWeekday | null
  readonly holdsType: (unit: Pick<ReadUnit, "kind" | "text" | "values">) => boolean

  constructor(private readonly evidence: Evidence) {
    const { question } = evidence
    this.question = question
    this.asked = askedTerms(evidence)
    this.hasMore = this.asked.some(({ code }) => code !== null)
    this.sought = new TermLookup(
      this.asked.map(({ term }) => term),
      question.language
    )
    this.termsOfQuestion = new Set(question.terms.map(({ term }) => term))
    this.holdsType = answerTypeTest(question)
    this.abbreviated = abbreviationsIn(evidence)
    this.asksColour = colourAsked().test(question.text)
    const termsLike = (pattern: RegExp) =>
      question.terms.flatMap(({ surface, term }) => (pattern.test(surface) ? [term] : []))
    this.verbsOfRecords = termsLike(verbOfRecord)
    this.versionTerms = termsLike(
      /^(?:which|what) /iu.test(question.text) ? versionOrRelease : /^versions?$/iu
    )
    this.releaseTerms = question.answerType === "date" ? termsLike(releaseWord) : []
    this.priceTerms = question.answerType === "number" ? termsLike(priceWord) : []
    this.placeTerms = question.answerType === "place" ? termsLike(placeVerb) : []
    this.weekday = weekdayIn(question)
  }

  /**
   * Returns a row that also counts words of the question as held where a text implies them: "kilograms" by 900 kg,
   * "recovery time objective" by RTO if a glossary of the evidence defines it, "colour" by the name of a colour,
   * "Saturday" by "Sat" and "Tuesday" by "Mon–Fri", "version" by a version, "released" by a version with a date, "cost"
   * by an amount of money, "stands" by a row with a place, "use" by any row or setting, which have no verbs.
   */
  withImpliedTerms(row: Row, texts: ReadonlyArray<Pick<ReadUnit, "kind" | "text" | "values">>): Row {
    const unit = askedUnitOf(this.question)
    const { weekday } = this
    const said = [
      ...(texts.some(({ kind }) => recordKinds.has(kind)) ? this.verbsOfRecords : []),
      ...(weekday !== null && texts.some(({ text }) => holdsWeekday(text, weekday.day)) ? weekday.terms : []),
      ...(unit !== null && texts.some((text) => holdsUnit(unit, text)) ? unit.terms : []),
      ...(this.versionTerms.length > 0 && texts.some(({ text }) => versionIn().test(text))
        ? this.versionTerms
        : []),
      ...(this.releaseTerms.length > 0 && texts.some(isRelease) ? this.releaseTerms : []),
      ...(this.priceTerms.length > 0 && texts.some(isPriced) ? this.priceTerms : []),
      ...(this.placeTerms.length > 0 && texts.some(hasPlaceCell) ? this.placeTerms : []),
      ...this.abbreviated
        .filter(({ short }) => texts.some(({ text }) => text.includes(short)))
        .flatMap(({ terms }) => terms),
      ...(this.asksColour && texts.some(({ text }) => colour().test(text)) ? colourTerms : [])
    ]
    return said.length === 0
      ? row
      : row.map((held, at) => (said.includes(this.asked[at]?.term ?? "") ? 1 : held))
  }

  /** Whether a text names no colour, for a question which colour something has. */
  lacksColour(text: string): boolean {
    return asksOnlyColour.test(this.question.text) && !colour().test(text)
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

const versionIn = wordwise(() => /(?<![\p{L}\p{N}.])v?\d{1,4}\.\d{1,4}(?:\.\d{1,5})*(?![\p{L}\p{N}])/iu)
const versionOrRelease = /^(?:versions?|releases?)$/iu
const releaseWord = /^(?:released?|published|veröffentlicht|erschienen|erschien)$/iu
/** "2.4.0 (2025-03-02)" */
const isRelease = ({ text, values }: Pick<ReadUnit, "text" | "values">): boolean =>
  text.length <= releaseChars && versionIn().test(text) && values.some(({ kind }) => kind === "date")
const releaseChars = 80
const priceWord =
  /^(?:costs?|prices?|fees?|kostet?|kosten|preise?s?|gebühr(?:en)?|coûtent?|coûte|prix|cuestan?|precios?|tarifas?|стоит|стоят)$/iu
/** Whether a word asks for an amount of money. */
export const isPriceWord = (surface: string): boolean => priceWord.test(surface)
/** Whether a text has an amount of money. */
const placeVerb =
  /^(?:stands?|located|kept|stored|steht|stehen|liegt|liegen|befindet|befinden|encuentra|trouve)$/iu
export const isPriced = ({ values }: Pick<ReadUnit, "values">): boolean =>
  values.some((value) => value.kind === "quantity" && isCurrency(value.dimension))

/** Kinds of unit that name a thing and its values without a verb. */
const recordKinds: ReadonlySet<ReadUnit["kind"]> = new Set(["row", "setting", "field"])
/** Verbs that only connect a thing with its value: "Which shell does bo use?" */
const verbOfRecord =
  /^(?:us(?:e|es|ed|ing)|runs?|sets?|needs?|takes?|gets?|goes|works?|applies|apply|belongs?|benutzt|verwendet|nutzt|braucht|läuft|gilt|utilise|usa)$/iu

/** An abbreviation with the terms of the question that it stands for. */
interface Abbreviation {
  readonly short: string
  readonly terms: ReadonlyArray<string>
}

/** The entries of glossaries whose full name occurs in the question. */
const abbreviationsIn = ({ question, sources }: Evidence): ReadonlyArray<Abbreviation> =>
  sources
    .flatMap(({ units }) => units.filter(({ kind }) => kind !== "code"))
    .flatMap(({ text }) => {
      const entry = glossaryEntryOf(text)
      if (entry === null || !question.text.toLowerCase().includes(entry.name.toLowerCase())) return []
      return [{ short: entry.short, terms: question.read.part(entry.name).words.map(({ term }) => term) }]
    })

const colourAsked = wordwise(() => /(?<!\p{L})(?:colou?rs?|farbe)(?!\p{L})/iu)
const asksOnlyColour = /^(?:what|which) colou?rs?\b|^welche farbe\b/iu
const colourTerms = ["colour", "color", "farb", "farbe"]
const colour = wordwise(
  () =>
    /(?<!\p{L})(?:red|green|blue|yellow|orange|purple|violet|pink|brown|black|white|gr[ae]y|silver|gold(?:en)?|beige|turquoise|teal|cyan|magenta|cream|ivory|maroon|navy|amber|crimson|scarlet|bronze|copper|tan|lilac|khaki|olive|rot|grün|blau|gelb|lila|rosa|braun|schwarz|weiß|grau)(?!\p{L})|#[\da-f]{6}\b/iu
)

/** Returns the prepared question, cached per evidence: it is looked up in the pool and again in the selection. */
export const prepareQuestion = (evidence: Evidence): PreparedQuestion => {
  const { entities, idf, question } = evidence
  const prepared = lastAsked.get(question)
  if (prepared !== undefined && prepared.idf === idf && prepared.entities === entities) return prepared.asking
  const made = new PreparedQuestion(evidence)
  lastAsked.set(question, { idf, entities, asking: made })
  return made
}
const lastAsked = new WeakMap<
  Question,
  Pick<Evidence, "entities" | "idf"> & { readonly asking: PreparedQuestion }
>()

const lightWeight = 0.3
/** Words that an answer need not repeat. */
const light =
  /^(?:located|situated|available|currently|usually|normally|typically|exactly|actually|ever|exists?|put|get|gets|find|happens?|now|today|presently|jetzt|nun|heute|maintenant|last|latest|newest|recent|recently|désormais|ahora|actualmente|hoy|сейчас|теперь|сегодня|verfügbar|aktuell|derzeit|normalerweise|genau|liegen|liegt|befindet|finden|disponibles?|actuellement)$/iu

/**
 * Returns weights of character pairs that may span a word boundary in scripts without spaces. Such a pair does not
 * occur in texts, while its characters occur in the neighbouring pairs; only the part not covered by those counts.
 */
const boundaryShares = ({ question: { terms }, sources }: Evidence): ReadonlyMap<string, number> => {
  const isHeld = (term: string) => sources.some(({ read }) => read.unitTerms.has(term))
  const isPair = ({ end, start, term }: Term) => end - start === 2 && term.length === 2 && holdsUnspaced(term)
  const isPairHeld = terms.map((term) => isPair(term) && isHeld(term.term))
  const shares = new Map<string, number>()
  terms.forEach((term, at) => {
    if (!isPair(term) || isPairHeld[at] === true) return
    const [before, after] = [terms[at - 1], terms[at + 1]]
    const isTold =
      (isPairHeld[at - 1] === true && before?.end === term.start + 1 ? 1 : 0) +
      (isPairHeld[at + 1] === true && after?.start === term.end - 1 ? 1 : 0)
    if (isTold > 0) shares.set(term.term, Math.max(boundaryMin, 1 - isTold / 2))
  })
  return shares
}
/** Minimum weight of such a pair, which may still carry meaning. */
const boundaryMin = 0.1

const askedTerms = (evidence: Evidence): ReadonlyArray<AskedTerm> => {
  const { analyse, idf, question } = evidence
  const weigh = (term: string) => Math.max(0.05, idf(term))
  const byTerm = new Map<string, AskedTerm>()
  const values = question.anchors.flatMap((anchor) => (anchor.kind === "value" ? [anchor] : []))
  const shares = question.language === "cjk" ? boundaryShares(evidence) : null
  for (const { surface, term } of question.terms) {
    // A yes-no question may be answered with another amount.
    const isAmount = question.answerType === "yes-no" && values.some(({ text }) => text.includes(surface))
    const isLight = isAmount || light.test(surface)
    const weight = (isLight ? lightWeight : 1) * weigh(term) * (shares?.get(term) ?? 1)
    byTerm.set(term, { term, code: null, weight })
  }
  for (const anchor of question.anchors) {
    if (anchor.kind !== "code") continue
    const weight = Math.max(0.05, ...analyse(anchor.text).map(({ term }) => weigh(term)))
    byTerm.set(anchor.code, { term: anchor.code, code: anchor, weight })
  }
  return [...byTerm.values()].sort((a, b) => b.weight - a.weight).slice(0, termsMax)
}
