import type { Passage } from "../../files/documents/index.js"
import { negationCount, opensWithPronoun } from "../../language/languages/index.js"
import {
  namesAnother,
  type Question,
  questionFit,
  saysCondition,
  saysPlace
} from "../../language/questions/index.js"
import {
  alignedPlaces,
  type Idf,
  isOpposed,
  isOver,
  isPastOnly,
  oppositeStates,
  type ReadUnit,
  saysPast,
  type Token
} from "../../language/text-analysis/index.js"
import { valueEntails } from "../../language/values/index.js"
import { memoize } from "../../platform/caching/index.js"
import {
  type Evidence,
  type EvidencePassage,
  type FoundBy,
  headingOf,
  type PreparedQuestion,
  prepareQuestion
} from "../evidence/index.js"
import { type Candidate, candidatesOf } from "./candidates.js"
import { coveredShare, heaviestMissingWord, rowOf } from "./coverage.js"
import { datedPagesOf } from "./dated-page.js"
import { headTextOf } from "./head-text.js"
import { type Place, placesOf } from "./passage-place.js"
import { type StatementFeature, statementFeatures } from "./statement-features.js"

/** A sentence, row, item, list, field or block as a possible answer. */
export interface Statement {
  readonly source: EvidencePassage
  readonly unit: ReadUnit
  /** The unit before it in the passage. */
  readonly before: ReadUnit | undefined
  /** Values of the features that `statementFeatures` names, in that order. */
  readonly features: ReadonlyArray<number>
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
    own: 0,
    head: 0,
    near: 0,
    bm25: 1e-9,
    passage: 0,
    title: 0,
    missingPool: pre.length === 0 ? 1 : 1 - coveredShare(prepared, (at) => pooled[at] ?? 0)
  }
  for (const { bm25, head, near, own } of pre) {
    best.own = Math.max(best.own, own)
    best.head = Math.max(best.head, head)
    best.near = Math.max(best.near, near)
    best.bm25 = Math.max(best.bm25, bm25)
  }
  const places = placesOf(evidence, prepared)
  for (const { passage, title } of places.values()) {
    best.passage = Math.max(best.passage, passage)
    best.title = Math.max(best.title, title)
  }
  return [...pre]
    .sort((a, b) => b.own + b.near - (a.own + a.near))
    .slice(0, scoredMax)
    .flatMap((one) => {
      const place = places.get(one.source)
      return place === undefined ? [] : [statementOf(evidence, prepared, one, place, best)]
    })
}

/** The best of all statements, and the share of the question that no passage holds. */
type Best = Record<"own" | "head" | "near" | "bm25" | "passage" | "title" | "missingPool", number>

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

/** Lexical score of passages that did not come from a search. */
const usualLexical = 0.2

/** A page that the question names by its date counts as a good hit, since words tell pages of one form not apart. */
const datedPageScore = 0.75

const scoresOf = (evidence: Evidence, { passage }: EvidencePassage): FoundBy | undefined => {
  const { scores } = evidence
  if (!datedPagesOf(evidence).has(passage.documentId)) return scores.get(passage.id)
  const hasVectors = [...scores.values()].some(({ cosine }) => cosine > 0)
  return { lexical: datedPageScore, cosine: hasVectors ? datedPageScore : 0 }
}

const contentOf = (tokens: ReadonlyArray<Token>): ReadonlyArray<string> =>
  tokens.flatMap(({ isContent, term }) => (isContent ? [term] : []))

const statementOf = (
  evidence: Evidence,
  prepared: PreparedQuestion,
  one: Candidate,
  place: Place,
  best: Readonly<Best>
): Statement => {
  const { before, head, headRow, near, nearRow, own, row, source, unit } = one
  const { question } = prepared
  const values: Partial<Record<StatementFeature, number>> = {}
  const flag = (value: boolean): number => (value ? 1 : 0)
  values.own = own
  values.head = head
  values.near = near
  values.passage = place.passage
  values.bm25 = one.bm25 / best.bm25
  values.rank = 1 / place.rank
  const scores = scoresOf(evidence, source)
  values.lexical = scores?.lexical ?? (evidence.scores.size === 0 ? usualLexical : 0)
  values.cosine = scores?.cosine ?? 0
  const tokens = unit.tokensIn(question.language)
  const [questionTerms, unitTerms] = [contentOf(prepared.tokens), contentOf(tokens)]
  const weigh = (terms: ReadonlyArray<string>) => terms.reduce((sum, term) => sum + prepared.weigh(term), 0)
  const aligned = questionTerms.length === 0 ? [] : alignedPlaces(questionTerms, unitTerms)
  values.ordered =
    questionTerms.length === 0
      ? 0
      : Math.min(1, weigh(aligned.flatMap(([at]) => questionTerms[at] ?? [])) / weigh(questionTerms))
  let [neighbours, span] = [0, 0]
  for (let at = 1; at < aligned.length; at += 1) {
    const [left, right] = [aligned[at - 1], aligned[at]]
    if (left === undefined || right === undefined) continue
    if (right[0] === left[0] + 1 && right[1] === left[1] + 1) neighbours += 1
    span += right[1] - left[1] - 1
  }
  values.adjacent = questionTerms.length < 2 ? 0 : neighbours / (questionTerms.length - 1)
  values.spread = aligned.length < 2 ? 0 : Math.min(1, span / (aligned.length - 1) / 8)
  values.missing = heaviestMissingWord(prepared, (at) => Math.max(row[at] ?? 0, headRow[at] ?? 0))
  values.missingNear = heaviestMissingWord(prepared, (at) => nearRow[at] ?? 0)
  values.missingPassage = place.missing
  const names = question.anchors.filter(
    (anchor) => anchor.kind === "name" && !isOfAllPages(evidence, anchor.text)
  )
  const firm = question.anchors.filter(({ kind }) => kind !== "name")
  const above = `${headTextOf(source)} | ${unit.heading} | ${unit.lead}`
  const aboveField = evidence.texts.read(above).field
  const mean = (list: ReadonlyArray<number>) =>
    list.length === 0 ? 1 : list.reduce((sum, value) => sum + value, 0) / list.length
  values.hasNames = flag(names.length > 0)
  values.namesHeld = mean(names.map((name) => unit.field.share(name)))
  values.namesNear = mean(
    names.map((name) =>
      Math.max(
        unit.field.share(name),
        aboveField.share(name),
        before === undefined ? 0 : before.field.share(name)
      )
    )
  )
  values.namesPassage = mean(names.map((name) => place.field.share(name)))
  values.hasCodes = flag(firm.length > 0)
  values.codesHeld = mean(firm.map((anchor) => flag(unit.field.has(anchor) || aboveField.has(anchor))))
  const hasType =
    prepared.holdsType(unit) ||
    saysCondition(question, unit) ||
    (question.answerType === "date" && datedLabelOf(source, unit) !== undefined) ||
    (question.answerType === "person" &&
      lacksSubject(unit) &&
      prepared.holdsType(headingAsUnit(evidence, source, unit)))
  const saysWhere = question.answerType === "place" && saysPlace(question, unit)
  // People are only found reliably in English.
  const isUnsure = question.answerType === "person" && !hasType && question.language !== "en"
  if (!isUnsure) noteKind(values, question.answerType, hasType, saysWhere)
  const { countedThing, deniedWord } = questionFit(question, unit)
  values.counted = countedThing === 1 ? 1 : 0
  // "replicas: 3" counts replicas.
  values.uncounted = countedThing === 0 && (unit.kind === "sentence" || unit.kind === "item") ? 1 : 0
  values.deniedWord = deniedWord
  values.newName = flag(namesAnother(question, unit))
  values.newNumber = flag(
    unit.values.some((value) => !question.read.values.some((known) => valueEntails(value, known)))
  )
  const known = new Set(questionTerms)
  const fresh = unitTerms.filter((term) => !known.has(term)).length
  values.newWords = Math.min(1, Math.log1p(fresh) / Math.log(30))
  values.swapped = flag(isSwapped(prepared, unit, tokens))
  values.opposed = flag(isOpposed(question.read, unit))
  values.denied = flag((negationCount(question.text) - negationCount(unit.text)) % 2 !== 0)
  values.exact = coveredShare(prepared, (at) => ((row[at] ?? 0) === 1 ? 1 : 0))
  values.missingWords = Math.min(1, prepared.asked.filter((_, at) => (row[at] ?? 0) === 0).length / 5)
  values.missingWordsNear = Math.min(1, prepared.asked.filter((_, at) => (nearRow[at] ?? 0) === 0).length / 5)
  values.missingPool = best.missingPool
  values.askedDenied = flag(negationCount(question.text) % 2 === 1)
  values.saysDenied = flag(negationCount(unit.text) % 2 === 1)
  values.nameClash = flag(values.namesHeld < 1 && values.newName === 1)
  values.nameElsewhere = flag(values.namesNear < 1 && values.namesPassage === 1)
  const last = questionTerms.at(-1)
  values.verbMissing = flag(
    last !== undefined &&
      question.language !== "cjk" &&
      !unitTerms.includes(last) &&
      prepared.match(unit.set, last) === 0 &&
      !names.some(({ text }) => text.toLowerCase().includes(last))
  )
  values.placeName = flag(question.answerType === "place" && placed.test(unit.text))
  values.personName = flag(question.answerType === "person" && twoNames.test(unit.text.replace(/^\S+ /u, "")))
  const asksPast = saysPast(question)
  values.over = flag(!asksPast && isOver(unit))
  values.past = flag(asksPast !== isPastOnly(unit))
  values.words = Math.min(1, Math.log1p(tokens.length) / Math.log(80))
  values.short = flag(unitTerms.length < 3)
  const at = source.units.indexOf(unit)
  values.first = flag(at === 0)
  values.place = source.units.length < 2 ? 0 : at / (source.units.length - 1)
  values.row = flag(unit.kind === "row")
  values.item = flag(unit.kind === "item")
  const isList = unit.kind === "list"
  const asksList = question.answerType === "list" || question.answerType === "procedure"
  values.listAsked = flag(isList && asksList)
  values.listUnasked = flag(isList && !asksList)
  values.code = flag(unit.kind === "code")
  values.field = flag(unit.kind === "field")
  values.leadIn = flag(/[:：]$/u.test(unit.text))
  values.question = flag(/[?？]$/u.test(unit.text))
  values.pronoun = flag(opensWithPronoun(unit.text))
  values.defines = flag(question.subject !== null && definesSubject(unit.text, question.subject))
  values.opensSubject = question.subject !== null && at === 0 && source.passage.ordinal <= 1 ? place.title : 0
  values.otherState = flag(
    question.answerType !== "yes-no" && oppositeStates(question.text, unit.text) !== undefined
  )
  values.reasonAbove = flag(question.answerType === "reason" && reasonHeading.test(above))
  const label = unit.lead === "" ? headingOf(source, unit) : unit.lead
  const labelRow = label === "" ? null : rowOf(prepared, evidence.texts.read(label))
  values.nearest = labelRow === null ? place.title : coveredShare(prepared, (at) => labelRow[at] ?? 0)
  values.labelled = flag(lineLabel.test(unit.text) || unit.lead !== "")
  values.title = place.title
  values.ownGap = best.own - own
  values.headGap = best.head - head
  values.nearGap = best.near - near
  values.passageGap = best.passage - place.passage
  values.titleGap = best.title - place.title
  return {
    source,
    unit,
    before,
    own,
    head,
    title: place.title,
    hasType,
    features: statementFeatures.map((name) => values[name] ?? 0)
  }
}

const placed =
  /\b(?:in|at|near|from|to|into|of|on|outside|inside|north|south|east|west|through|en|bei|nach|aus|dans|à|cerca)\s+(?:the |der |dem |la |le |el )?\p{Lu}/u
const twoNames = /\p{Lu}[\p{L}.'’-]*\s+(?:(?:de|von|van|du|la|al|bin|ibn)\s+)?\p{Lu}\p{L}/u

const reasonHeading =
  /\b(?:motivation|rationale|background|reasons?|causes?|why|grund|gründe|begründung|ursachen?|hintergrund|warum|pourquoi|raisons?|motivos?|por qué)\b/iu
/** "Deposit: 50 euros". */
const lineLabel = /^[^:.]{1,60}: \S/u

/** "X is …", "X (Y) refers to …", "X bezeichnet …", "World Health Organization (X)". */
const definesSubject = (sentence: string, subject: string): boolean => {
  if (sentence.indexOf(`(${subject})`) > spelledOutMinChars) return true
  const at = sentence
    .slice(0, definedAtMax + subject.length + 8)
    .toLowerCase()
    .indexOf(subject.toLowerCase())
  if (at < 0 || at > definedAtMax) return false
  return definitionVerb.test(sentence.slice(at + subject.length, at + subject.length + 80))
}
/** Least length of what an abbreviation in brackets stands for, with what stands before it. */
const spelledOutMinChars = 5
/** Maximum offset of the subject in a sentence that defines it. */
const definedAtMax = 24
const definitionVerb =
  /^s?["”]?(?:\s\([^)]{1,40}\))?,?\s?(?:is|are|was|were|means|refers|denotes|defines|describes|stands for|provides|allows|ist|sind|bezeichnet|bedeutet|regelt|beschreibt|est|sont|désigne|signifie|es|son|significa|[:–—-]|とは|は|是)(?:\s|$|\p{Script=Han})/iu

const noteKind = (
  values: Partial<Record<StatementFeature, number>>,
  kind: string,
  hasType: boolean,
  saysWhere: boolean
): void => {
  if (kind === "yes-no") return
  if (kind === "other") values.otherKind = 1
  else {
    const name = `${kind}${hasType || saysWhere ? "+" : "-"}`
    const at = statementFeatures.find((one) => one === name)
    if (at !== undefined) values[at] = 1
  }
}

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
