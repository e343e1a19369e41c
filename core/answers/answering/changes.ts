import * as Effect from "effect/Effect"
import { DocumentStore, type Passage } from "../../files/documents/index.js"
import { type Question, readQuestion } from "../../language/questions/index.js"
import {
  AnswerTexts,
  type Idf,
  type ReadUnit,
  TermSet,
  type TextCache
} from "../../language/text-analysis/index.js"
import { analyse } from "../../language/tokenization/index.js"
import { Caller, type DocumentId, momentOfReading } from "../../platform/kernel/index.js"
import { fixedTextLanguage, isPriced, isPriceWord, makeEvidence } from "../evidence/index.js"
import { extractiveModelId, proseOfClaims } from "../extractive/index.js"
import {
  changesOf,
  readGovernance,
  type StatementChange,
  subjectsOf,
  type VersionStatement
} from "../gathering/index.js"
import { abstentionText, changeText, ruleOutcome } from "../generation/index.js"
import { type ChangesAsked, changesAsked } from "../selection/index.js"
import { judgeEvidence } from "./gate.js"
import {
  type Draft,
  draftAnswer,
  evidenceFor,
  plainDraft,
  type QuestionEvidence,
  type QuestionRun
} from "./pipeline.js"
import { sourcesOf } from "./source.js"
import { timeStage } from "./stages.js"
import { PartListener } from "./streamed-claims.js"

/** Documents whose versions one question compares, and changes that one answer names. */
const [documentsMax, changesMax] = [8, 12]
/** The share of the words of what is asked about that a changed statement has, in it or above it. */
const coverageMin = 0.6
const coverageTolerance = 0.05

/** Evidence and draft of a question. */
interface Drafted {
  readonly found: QuestionEvidence
  readonly draft: Draft
}

/**
 * Answers what changed from the versions of the documents that match: each changed statement with what it said before,
 * cited to both versions. Null for other questions. Where no statement changed, documents that say what changed answer;
 * where none does, the answer says that the versions show no change.
 */
export const changesAnswer = Effect.fnUntraced(function* (questionRun: QuestionRun, question: Question) {
  const today = (yield* momentOfReading).slice(0, 10)
  const asked = changesAsked(question.original, today)
  if (asked === null) return null
  return (
    (yield* fromVersions(questionRun, question, asked)) ??
    (yield* fromDocuments(questionRun, question, asked))
  )
})

const fromVersions = Effect.fnUntraced(function* (
  questionRun: QuestionRun,
  question: Question,
  asked: ChangesAsked
) {
  const { calibration, mode, settings, stages } = questionRun
  const { workspace } = yield* Caller
  const texts = yield* AnswerTexts
  const about = asked.subject === "" ? question : readQuestion(asked.subject, analyse)
  const { gathered, ...rest } = yield* evidenceFor(questionRun, about).pipe(
    Effect.provideService(PartListener, null)
  )
  const documents =
    asked.subject === ""
      ? yield* changedLast
      : [...new Set(gathered.sources.map(({ passage }) => passage.documentId))].slice(0, documentsMax)
  const { changes, isIncomplete } = yield* changesOf(workspace, documents, asked)
  const { confidence, meant } = changesAbout(
    changes,
    asked.subject === "" ? null : about,
    rest.evidence.idf,
    texts
  )
  if (meant.length === 0) return null
  const shown = meant.slice(0, changesMax)
  const statements = shown.flatMap(({ after, before }) => [after, before].filter((one) => one !== null))
  const cited = [...new Map(statements.map((one) => [keyOf(one), one])).values()]
  const evidence = makeEvidence({
    ...rest.evidence,
    question:
      asked.subject === ""
        ? readQuestion([...new Set(cited.map(({ passage }) => passage.docTitle))].join(", "), analyse)
        : about,
    passages: cited.map(({ passage }) => passage),
    data: []
  })
  const ids = new Map(cited.map((one, place) => [keyOf(one), evidence.sources[place]?.id ?? ""]))
  const language = fixedTextLanguage({ question, style: evidence.style })
  const claims = shown.map((change) => ({
    text: changeText(inWords(change, shown), language),
    citations: [change.after, change.before].flatMap((one) =>
      one === null ? [] : (ids.get(keyOf(one)) ?? [])
    )
  }))
  const governance = yield* readGovernance(workspace, subjectsOf(evidence), gathered.seen)
  const sources = sourcesOf(evidence.sources, gathered.termWeights, governance).map((source, place) => {
    const one = cited[place]
    return one === undefined ? source : { ...source, docVersion: one.version, validAt: one.since }
  })
  const found = {
    ...rest,
    gathered,
    chosen: [],
    evidence,
    governance,
    sources,
    dataCalls: [],
    unavailableData: 0
  }
  yield* (yield* PartListener)?.({ type: "sources", sources, dataCalls: [] }) ?? Effect.void
  const preJudgment =
    mode === "off"
      ? null
      : yield* timeStage(
          stages,
          "gate",
          Effect.sync(() =>
            judgeEvidence(evidence, {}, { ...calibration, prior: null }, settings.policy, 0, { isIncomplete })
          ),
          () => 0
        )
  const outcome = {
    ...ruleOutcome(proseOfClaims(claims, evidence.style.format), extractiveModelId),
    answerable: true,
    claims
  }
  // Each claim quotes the versions that it cites.
  const checks = claims.map(() => ({ supported: true, status: "supported", support: 1 }) as const)
  const draft: Draft = { ...plainDraft, preJudgment, outcome, checks, confidence }
  return { found, draft } satisfies Drafted
})

/** What the documents themselves say of changes; else that there were none, where a document is about what was asked. */
const fromDocuments = Effect.fnUntraced(function* (
  questionRun: QuestionRun,
  question: Question,
  { subject }: ChangesAsked
) {
  const texts = yield* AnswerTexts
  const found = yield* evidenceFor(questionRun, question)
  const draft = yield* draftAnswer(questionRun, found)
  const about = readQuestion(subject, analyse)
  const isKnown =
    subject === "" ||
    found.evidence.sources.some(
      ({ passage, read, units }) =>
        shareOf(
          about,
          found.evidence.idf,
          [read.set, headOf(passage, texts, { heading: "", lead: "" })],
          units
        ) >= coverageMin
    )
  if (draft.outcome.answerable || !isKnown) return { found, draft } satisfies Drafted
  const outcome = { ...draft.outcome, answer: abstentionText(found.evidence, "unchanged") }
  return { found, draft: { ...draft, outcome } } satisfies Drafted
})

/** The documents that changed last. */
const changedLast = Effect.gen(function* () {
  const [store, { workspace }] = [yield* DocumentStore, yield* Caller]
  const page = { limit: documentsMax, offset: 0 }
  const { items } = yield* store.list(workspace, page, { sort: "updatedAt" })
  return items.map(({ id }): DocumentId => id)
})

const keyOf = ({ passage, version }: VersionStatement): string => `${passage.id}\n${version}`

/**
 * The changes whose statements, with what stands above them, have the words that are asked about, and the share of those
 * words that they have; all changes where nothing is named.
 */
const changesAbout = (
  changes: ReadonlyArray<StatementChange>,
  about: Question | null,
  idf: Idf,
  texts: TextCache
): { readonly meant: ReadonlyArray<StatementChange>; readonly confidence: number } => {
  if (about === null) return { meant: changes, confidence: 1 }
  const covered = changes.map((change) => {
    const statements = [change.after, change.before].filter((one) => one !== null)
    return {
      change,
      share: shareOf(
        about,
        idf,
        statements.flatMap(({ passage, unit }) => [unit.set, headOf(passage, texts, unit)]),
        statements.map(({ unit }) => unit)
      )
    }
  })
  const confidence = Math.max(0, ...covered.map(({ share }) => share))
  const least = Math.max(coverageMin, confidence - coverageTolerance)
  return { meant: covered.flatMap(({ change, share }) => (share >= least ? [change] : [])), confidence }
}

/** The words of the title, the headings and the lead-in of a statement. */
const headOf = (passage: Passage, texts: TextCache, { heading, lead }: Pick<ReadUnit, "heading" | "lead">) =>
  texts.read([passage.docTitle, ...passage.headingPath, heading, lead].join(" | ")).set

/** The share of the words of a question, by rarity, that some texts have; an amount of money says "price". */
const shareOf = (
  { language, read }: Question,
  idf: Idf,
  sets: ReadonlyArray<TermSet>,
  units: ReadonlyArray<ReadUnit>
): number => {
  const terms = read.termsIn(language)
  const total = terms.reduce((sum, { term }) => sum + idf(term), 0)
  const isSaid = (surface: string): boolean => isPriceWord(surface) && units.some(isPriced)
  const found = terms.reduce(
    (sum, { surface, term }) =>
      sum + idf(term) * (isSaid(surface) ? 1 : TermSet.matchIn(sets, term, language)),
    0
  )
  return total === 0 ? 0 : found / total
}

/** A change in words, with the time of day where another version is of the same day. */
const inWords = ({ after, at, before, version }: StatementChange, all: ReadonlyArray<StatementChange>) => ({
  day: all.some((one) => one.at !== at && one.at.slice(0, 10) === at.slice(0, 10))
    ? `${at.slice(0, 16).replace("T", " ")} UTC`
    : at.slice(0, 10),
  version,
  before: before?.unit.text ?? null,
  after: after?.unit.text ?? null
})
