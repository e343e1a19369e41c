import type { Passage } from "../../files/documents/index.js"
import { matchesOf, negationCount, opensWithPronoun, wordwise } from "../../language/languages/index.js"
import {
  holdsWeekday,
  namesAnother,
  type Question,
  questionFit,
  saysCondition,
  saysPlace
} from "../../language/questions/index.js"
import {
  type Anchor,
  alignedPlaces,
  type Idf,
  isOpposed,
  isOver,
  isPastOnly,
  isWeekday,
  type ReadUnit,
  saysPast,
  type Token
} from "../../language/text-analysis/index.js"
import { memoize } from "../../platform/caching/index.js"
import {
  type Evidence,
  type EvidencePassage,
  headingOf,
  type PreparedQuestion,
  prepareQuestion
} from "../evidence/index.js"
import { type Candidate, candidatesOf } from "./candidates.js"
import { coveredShare, heaviestMissingWord } from "./coverage.js"
import { datedPagesOf } from "./dated-page.js"
import { headTextOf } from "./head-text.js"
import { type Place, placesOf } from "./passage-place.js"
import { type StatementFeature, statementFeatures } from "./statement-features.js"
import { asksOfTime, timeFit } from "./valid-time.js"

/** A sentence, row, item, list, field or block as a possible answer. */
export interface Statement {
  readonly source: EvidencePassage
  readonly unit: ReadUnit
  /** The unit before it in the passage. */
  readonly before: ReadUnit | undefined
  /** Values of the features that `statementFeatures` names, in that order. */
  readonly features: ReadonlyArray<number>
  /** Something in it rules it out as an answer, whatever else speaks for it. */
  readonly isRuledOut: boolean
  /** It has no value of the kind that is asked for, so that it ranks behind those that have one. */
  readonly lacksKind: boolean
  /** It takes no words from a label or the sentence before it, so that words it lacks count against it. */
  readonly isWhole: boolean
  /** Shares of the question's words in the statement, in it or above it, and in the title. */
  readonly own: number
  readonly head: number
  readonly title: number
  /** The statement contains a value of the kind that is asked for. */
  readonly hasType: boolean
}

/** Statements that are scored; the first pass by coverage drops the others. */
const scoredMax = 30

/**
 * Returns the statements of the evidence that the first pass keeps. Passages that were chosen from a pool have the
 * statements that they had there, because some features compare with the whole pool.
 */
export const statementsOf = memoize((evidence: Evidence): ReadonlyArray<Statement> => {
  const pool = pools.get(evidence.question)
  if (pool?.idf === evidence.idf) {
    const sources = new Map(evidence.sources.map((source) => [source.stored, source]))
    if (
      pool.passages.size >= sources.size &&
      evidence.sources.every(({ stored }) => pool.passages.has(stored))
    )
      return pool.statements.flatMap((one) => {
        const source = sources.get(one.source.stored)
        return source === undefined ? [] : [{ ...one, source }]
      })
  }
  const statements = readStatements(evidence)
  pools.set(evidence.question, {
    idf: evidence.idf,
    passages: new Set(evidence.sources.map(({ stored }) => stored)),
    statements
  })
  return statements
})
const pools = new WeakMap<
  Question,
  {
    readonly idf: Idf
    readonly passages: ReadonlySet<Passage>
    readonly statements: ReadonlyArray<Statement>
  }
>()

const readStatements = (evidence: Evidence): ReadonlyArray<Statement> => {
  const prepared = prepareQuestion(evidence)
  const pre = candidatesOf(evidence, prepared)
  const pooled = prepared.asked.map((_, at) =>
    pre.reduce((most, { nearRow }) => Math.max(most, nearRow[at] ?? 0), 0)
  )
  const best: Best = {
    bm25: pre.reduce((most, { bm25 }) => Math.max(most, bm25), 1e-9),
    missingPool: pre.length === 0 ? 1 : 1 - coveredShare(prepared, (at) => pooled[at] ?? 0),
    lacksRecord: ofRecord().test(prepared.question.text) && pooled.at(-1) === 0
  }
  const places = placesOf(evidence, prepared)
  return [...pre]
    .sort((a, b) => b.own + b.near - (a.own + a.near))
    .slice(0, scoredMax)
    .flatMap((one) => {
      const place = places.get(one.source)
      return place === undefined ? [] : [statementOf(evidence, prepared, one, place, best)]
    })
}

/** What concerns all statements. */
interface Best {
  /** The highest score of words. */
  readonly bm25: number
  /** The share of the question that no passage holds. */
  readonly missingPool: number
  /** "The light limit of neon": no passage has the record whose row would be the answer. */
  readonly lacksRecord: boolean
}
const ofRecord = wordwise(
  () => /\b(?:of|for|von|für|de|du|del) (?:the |an? |der |die |das |la |el )?[\p{L}\p{N}-]+\?$/iu
)

const headingAsUnit = ({ texts }: Evidence, source: EvidencePassage, unit: ReadUnit) => {
  const { text, values } = texts.read(headingOf(source, unit))
  return { kind: "sentence", text, values } as const
}

/** "Owns the search." below "Team Swift": whoever is meant stands in the heading. */
export const lacksSubject = ({ kind, text }: ReadUnit): boolean =>
  (kind === "sentence" || kind === "item") && verbFirst.test(text)
const verbFirst = /^(?:\p{Lu}\p{Ll}+(?:s|ed)|Is|Was|Responsible|Verantwortlich|Zuständig) \p{Ll}/u

/** Returns the heading of a statement when it has the date that the statement lacks. */
export const datedLabelOf = (source: EvidencePassage, unit: ReadUnit): string | undefined => {
  if (unit.kind !== "sentence" && unit.kind !== "item") return undefined
  const heading = headingOf(source, unit)
  if (heading === "" || heading.length > labelMaxChars) return undefined
  return source.read.within(heading).values.some(({ kind }) => kind === "date") ? heading : undefined
}
const labelMaxChars = 120

/** Whether most passages have a name: that of the product that the whole vault is about tells no page apart. */
const isOfAllPages = ({ analyse, idf, sources }: Evidence, name: string): boolean => {
  // In a vault of a few notes every name is in most of them.
  if (sources.length < manyPages) return false
  const terms = analyse(name)
  return terms.length > 0 && terms.every(({ term }) => idf(term) < ofAllPagesMax)
}
/** Weight of a word that about four of five passages have. */
const ofAllPagesMax = 0.25
const manyPages = 20

/** A page that the question names by its date counts as a near one, since words tell pages of one form not apart. */
const datedPageCosine = 0.75

const cosineOf = (evidence: Evidence, { passage }: EvidencePassage): number => {
  const { cosines } = evidence
  if (!datedPagesOf(evidence).has(passage.documentId)) return cosines.get(passage.id) ?? 0
  return [...cosines.values()].some((cosine) => cosine > 0) ? datedPageCosine : 0
}

const isDate = (anchor: Anchor): boolean => anchor.kind === "value" && anchor.value.kind === "date"

const contentOf = (tokens: ReadonlyArray<Token>): ReadonlyArray<string> =>
  tokens.flatMap(({ isContent, term }) => (isContent ? [term] : []))

const statementOf = (
  evidence: Evidence,
  prepared: PreparedQuestion,
  one: Candidate,
  place: Place,
  best: Best
): Statement => {
  const { before, head, headRow, near, nearRow, own, row, source, unit } = one
  const { question } = prepared
  const flag = (value: boolean): number => (value ? 1 : 0)
  const tokens = unit.tokensIn(question.language)
  const names = namesFit(evidence, prepared, one, place)
  const firm = question.anchors.filter(({ kind }) => kind !== "name")
  const { countedThing, deniedWord } = questionFit(question, unit)
  const kind = kindOf(evidence, prepared, one)
  // "No, you need not" answers whether one must.
  const isYesNo = question.answerType === "yes-no"
  const isDenied = (text: string) => !isYesNo && negationCount(text) % 2 === 1
  const [asksDenied, saysDenied] = [isDenied(question.text), isDenied(unit.text)]
  const asksPast = saysPast(question) || asksOfTime(evidence)
  const holdsThen = timeFit(evidence, source, unit) > 0
  const values: Record<StatementFeature, number> = {
    own,
    head,
    near,
    passage: place.passage,
    bm25: one.bm25 / best.bm25,
    cosine: cosineOf(evidence, source),
    ordered: orderedShare(prepared, contentOf(tokens)),
    exact: coveredShare(prepared, (at) => ((row[at] ?? 0) === 1 ? 1 : 0)),
    missing: heaviestMissingWord(prepared, (at) => Math.max(row[at] ?? 0, headRow[at] ?? 0)),
    missingPool: best.missingPool,
    hasNames: flag(names.count > 0),
    namesHeld: names.held,
    namesNear: names.near,
    namesPassage: names.passage,
    hasCodes: flag(firm.length > 0),
    codesHeld: mean(
      firm.map((anchor) =>
        // "From 2022 to 2024" holds 2023.
        flag(unit.field.has(anchor) || names.above.has(anchor) || (isDate(anchor) && holdsThen))
      )
    ),
    kindHeld: flag(kind === "held"),
    kindMissing: flag(kind === "missing"),
    otherKind: flag(question.answerType === "other" && kind === null),
    counted: flag(countedThing === 1),
    placeName: flag(question.answerType === "place" && placed.test(unit.text)),
    personName: flag(question.answerType === "person" && twoNames.test(unit.text.replace(/^\S+ /u, ""))),
    newName: flag(namesAnother(question, unit)),
    askedDenied: flag(asksDenied),
    saysDenied: flag(saysDenied),
    denied: flag(asksDenied !== saysDenied),
    past: flag(asksPast !== isPastOnly(unit))
  }
  // Rows, items and fields take words from a header, a label or a heading: what they lack may stand there.
  const isProse = unit.kind === "sentence"
  const isWhole = isProse && !opensWithPronoun(unit.text)
  const lacksKind =
    kind === "missing" &&
    (question.answerType === "person"
      ? isWhole || unit.kind !== "sentence" || before === undefined || !prepared.holdsType(before)
      : valueKinds.has(question.answerType) &&
        // "Week: 160" has its unit in a header.
        (!recordKinds.has(unit.kind) || unit.values.length === 0))
  const isRuledOut =
    deniedWord === 1 ||
    // A timetable may say of each day what it says of no other.
    (prepared.weekday === null && !isYesNo && isOpposed(question.read, unit)) ||
    (!asksPast && isOver(unit)) ||
    (names.count > 0 && names.near < 0.5 && values.newName === 1) ||
    (place.missing < 0.9 &&
      heaviestMissingWord(prepared, (at) => nearRow[at] ?? 0) >= 0.9 &&
      isSwapped(prepared, unit, tokens)) ||
    // A sentence without a word of the question answers below a heading that has more of it than the title has.
    (isWhole && own === 0 && head <= place.title) ||
    (unit.kind === "row" && best.lacksRecord) ||
    // "replicas: 3" counts replicas.
    (isProse && countedThing === 0)
  return {
    source,
    unit,
    before,
    own,
    head,
    title: place.title,
    hasType: kind === "held",
    isRuledOut,
    lacksKind,
    isWhole: isWhole && !asksDenied,
    features: statementFeatures.map((name) => values[name])
  }
}

const recordKinds: ReadonlySet<ReadUnit["kind"]> = new Set(["row", "field", "setting"])
const valueKinds: ReadonlySet<Question["answerType"]> = new Set(["date", "number", "place"])

const mean = (list: ReadonlyArray<number>): number =>
  list.length === 0 ? 1 : list.reduce((sum, value) => sum + value, 0) / list.length

/** Returns how far the names of the question stand in the statement, with what stands around it, and in its passage. */
const namesFit = (
  evidence: Evidence,
  { question, weekday }: PreparedQuestion,
  { before, source, unit }: Candidate,
  place: Place
) => {
  const names = question.anchors.filter(
    (anchor) => anchor.kind === "name" && !isOfAllPages(evidence, anchor.text)
  )
  const above = evidence.texts.read(
    `${headTextOf(source)} | ${unit.heading} | ${unit.lead} | ${unit.opening}`
  ).field
  // A weekday has a capital and no other claim to be a name.
  const isSaid = ({ text }: Anchor): boolean =>
    weekday !== null && isWeekday(text) && holdsWeekday(unit.text, weekday.day)
  const own = (name: Anchor): number => (isSaid(name) ? 1 : unit.field.share(name))
  return {
    above,
    count: names.length,
    held: mean(names.map(own)),
    near: mean(
      names.map((name) =>
        Math.max(own(name), above.share(name), before === undefined ? 0 : before.field.share(name))
      )
    ),
    passage: mean(names.map((name) => Math.max(own(name), place.field.share(name))))
  }
}

const saysWhere = (question: Question, unit: ReadUnit): boolean =>
  question.answerType === "place" && saysPlace(question, unit)

/** Whether a statement has what the question asks for by its kind; null when it asks for none, or nobody can tell. */
const kindOf = (
  evidence: Evidence,
  prepared: PreparedQuestion,
  { source, unit }: Candidate
): "held" | "missing" | null => {
  const { question } = prepared
  const { answerType } = question
  if (asksDefault.test(question.text))
    return unit.kind !== "list" && statesDefault().test(unit.text) ? "held" : "missing"
  if (asksToken.test(question.text))
    return holdsNewToken(question, unit.text) || holdsNewCode(question, unit) ? "held" : "missing"
  const isHeld =
    prepared.holdsType(unit) ||
    saysCondition(question, unit) ||
    (answerType === "date" && prepared.weekday !== null && holdsWeekday(unit.text, prepared.weekday.day)) ||
    (answerType === "date" && datedLabelOf(source, unit) !== undefined) ||
    (answerType === "person" &&
      lacksSubject(unit) &&
      prepared.holdsType(headingAsUnit(evidence, source, unit))) ||
    saysWhere(question, unit)
  if (isHeld) return "held"
  // People are only found reliably in English.
  const isUnsure = answerType === "person" && question.language !== "en"
  return answerType === "yes-no" || answerType === "other" || isUnsure ? null : "missing"
}

/** "Which option skips large files?" asks for a name that is written like code. */
const asksToken =
  /^(?:which|what|welche[mnrs]?) (?:\p{L}+ ){0,2}?(?:options?|flags?|commands?|environment variables?|variables?|parameters?|settings?|files?|functions?|methods?|endpoints?|switch(?:es)?|shortcuts?|hotkeys?|keys?|befehle?|tasten?(?:kombination(?:en)?|kürzel)?|umgebungsvariablen?|parameter|datei(?:en)?|einstellung(?:en)?)(?!\p{L})/iu
const holdsNewToken = ({ text }: Question, unit: string): boolean =>
  matchesOf(asksFile.test(text) ? fileName : token, unit).some(([found]) => !text.includes(found))
/** Documentation marks names, keys and values as code. */
const holdsNewCode = ({ text }: Question, { raw }: ReadUnit): boolean =>
  !asksFile.test(text) && matchesOf(codeSpan, raw).some(([, code = ""]) => !text.includes(code))
const codeSpan = /`([^`\n]{1,80})`|<(?:code|kbd)>([^<>\n]{1,80})</gu
const asksFile = /^\S+ (?:\p{L}+ ){0,2}?(?:files?|datei(?:en)?)(?!\p{L})/iu
const fileName =
  /[\p{L}\p{N}_-]*\.\p{L}{1,5}(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])~?\/[\p{L}\p{N}_.-]+(?:\/[\p{L}\p{N}_.-]+)+/gu
const token =
  /(?<![\p{L}\p{N}_/.-])(?:--?\p{L}[\p{L}\p{N}_-]*|\/?\p{L}[\p{L}\p{N}-]*(?:[/_.][\p{L}\p{N}-]+)+|\p{Ll}+\p{Lu}[\p{L}\p{N}]*|\p{Lu}{4,}(?:_\p{Lu}+)*)(?![\p{L}\p{N}])/gu

/** The commonest question about a setting; of all sentences with the word "default" few say which it is. */
const asksDefault = /\bdefault\b|\bstandardwert\b|\bpor defecto\b|\bpar défaut\b/iu
const statesDefault = wordwise(
  () =>
    /\bdefaults? (?:(?:[\p{L}\p{N}_-]+ ){0,3}(?:is|are|of)|to|value)\b|\bdefaults? ?[:=]|\bby default\b|\(default\b|\bstandard(?:wert|mäßig)\b|\bpor defecto\b|\bpar défaut\b/iu
)

/** Returns the share of the question's words that a statement has in the order of the question. */
const orderedShare = (prepared: PreparedQuestion, unitTerms: ReadonlyArray<string>): number => {
  const terms = contentOf(prepared.tokens)
  if (terms.length === 0) return 0
  const weigh = (some: ReadonlyArray<string>) => some.reduce((sum, term) => sum + prepared.weigh(term), 0)
  const aligned = alignedPlaces(terms, unitTerms)
  return Math.min(1, weigh(aligned.flatMap(([at]) => terms[at] ?? [])) / weigh(terms))
}

const placed =
  /\b(?:in|at|near|from|to|into|of|on|outside|inside|north|south|east|west|through|en|bei|nach|aus|dans|à|cerca)\s+(?:the |der |dem |la |le |el )?\p{Lu}/u
const twoNames = /\p{Lu}[\p{L}.'’-]*\s+(?:(?:de|von|van|du|la|al|bin|ibn)\s+)?\p{Lu}\p{L}/u

/** Whether a neighbour of a question's word differs in the unit: "modern Europe" for "medieval Europe". */
const isSwapped = (prepared: PreparedQuestion, unit: ReadUnit, unitTokens: ReadonlyArray<Token>): boolean => {
  const questionTokens = prepared.tokens
  const isOther = (token: Token | undefined) =>
    token?.isContent === true && !questionTokens.some(({ term }) => term === token.term)
  for (let at = 1; at < questionTokens.length; at += 1) {
    const [left, right] = [questionTokens[at - 1], questionTokens[at]]
    if (left?.isContent !== true || right?.isContent !== true) continue
    const [hasLeft, hasRight] = [
      prepared.match(unit.set, left.term) > 0,
      prepared.match(unit.set, right.term) > 0
    ]
    if (hasLeft === hasRight) continue
    const sharedTerm = hasRight ? right.term : left.term
    if (
      unitTokens.some(
        ({ term }, place) => term === sharedTerm && isOther(unitTokens[place + (hasRight ? -1 : 1)])
      )
    )
      return true
  }
  return false
}
