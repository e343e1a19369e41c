import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { listContradictions, placeOfSide } from "../../answers/contradictions/index.js"
import { DocumentStore, type ListedDocument } from "../../files/documents/index.js"
import { EntityStore } from "../../knowledge/entities/index.js"
import { record } from "../../platform/audit/index.js"
import {
  atomically,
  Caller,
  Ids,
  millisOf,
  NotFound,
  now,
  type ReportId,
  timestampOf,
  traced
} from "../../platform/kernel/index.js"
import { coverageMatrix, folderOf } from "./report-coverage.js"
import {
  type Report,
  type ReportKind,
  type ReportSection,
  type ReportSummary,
  reportLayoutVersion,
  reportWindowDays
} from "./report-model.js"
import { type AskedQuestion, askedQuestions } from "./report-questions.js"
import type { DocumentMentions } from "./report-store.js"
import { OverviewStore } from "./store.js"

/** Rows of a table of a report. */
const rowsMax = 50
/** Hub concepts of the coverage matrix. */
const hubsMax = 15
/** An entity is thinly covered when at most so many documents mention it. */
const thinDocuments = 1

/**
 * Generates a report from stored data, without a model; an earlier ready report of the same kind and title becomes
 * archived in the same unit of work.
 */
export const createReport = traced("overview.createReport")(function* (input: {
  readonly title: string
  readonly kind: ReportKind
}) {
  const [ids, store, { actor, workspace }, generatedAt] = [
    yield* Ids,
    (yield* OverviewStore).reports,
    yield* Caller,
    yield* now
  ]
  const corpus = yield* readCorpus
  const body = yield* input.kind === "engagement" ? engagement(corpus, generatedAt) : coverage(corpus)
  const hubs = yield* (yield* OverviewStore).hubs(workspace, hubsMax)
  const report: Report = {
    id: ids.make("report"),
    title: input.title,
    kind: input.kind,
    status: "ready",
    layoutVersion: reportLayoutVersion,
    createdBy: actor,
    generatedAt,
    summary: body.summary,
    coverage: coverageMatrix(hubs, corpus.documents, corpus.mentions),
    sections: [...body.sections]
  }
  return yield* atomically(
    Effect.gen(function* () {
      yield* store.archive(workspace, input.kind, input.title)
      yield* store.add(workspace, [report])
      yield* record([{ action: "report.create", subjectId: report.id, details: { kind: input.kind } }])
      return report
    })
  )
})

export const listReports = traced("overview.listReports")(function* () {
  const [store, { workspace }] = [(yield* OverviewStore).reports, yield* Caller]
  const { items, total } = yield* store.list(workspace)
  return { items: [...items], total }
})

export const getReport = traced("overview.getReport")(function* (id: ReportId) {
  const [store, { workspace }] = [(yield* OverviewStore).reports, yield* Caller]
  return Option.getOrNull(yield* store.find(workspace, id)) ?? (yield* new NotFound({ what: "report" }))
})

interface Corpus {
  readonly documents: ReadonlyArray<ListedDocument>
  readonly mentions: ReadonlyArray<DocumentMentions>
}

/** Documents that one statement reads. */
const pageSize = 500

const readCorpus = Effect.gen(function* () {
  const [store, reports, { workspace }] = [
    yield* DocumentStore,
    (yield* OverviewStore).reports,
    yield* Caller
  ]
  const documents: Array<ListedDocument> = []
  for (;;) {
    const page = yield* store.list(workspace, { limit: pageSize, offset: documents.length }, {})
    documents.push(...page.items)
    if (page.items.length < pageSize) break
  }
  return { documents, mentions: yield* reports.mentions(workspace) } satisfies Corpus
})

interface ReportBody {
  readonly summary: ReportSummary
  readonly sections: ReadonlyArray<ReportSection>
}

const dayMs = 86_400_000

/** Returns the questions of the last 30 days, and the documents that their answers cite. */
const engagement = ({ documents }: Corpus, at: string) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const askedItems = yield* askedQuestions(timestampOf(millisOf(at) - reportWindowDays * dayMs), at)
    const uses = countsOf(askedItems.flatMap(({ cited }) => cited))
    const live = new Map(documents.map((document) => [document.id, document]))
    const cited = [...uses].flatMap(([id, count]) => {
      const document = live.get(id)
      return document === undefined ? [] : [{ document, count }]
    })
    const isUnverified = ({ verification }: ListedDocument) =>
      verification === "unverified" || verification === "deprecated"
    const isOverdue = ({ nextVerifyAt }: ListedDocument) => nextVerifyAt !== null && nextVerifyAt < at
    const answered = askedItems.filter((one) => one.answered)
    const numbers = {
      windowDays: reportWindowDays,
      questions: askedItems.length,
      answered: answered.length,
      unanswered: askedItems.length - answered.length,
      citedDocuments: cited.length,
      neverCitedDocuments: documents.length - cited.length,
      unverifiedCited: cited.filter(({ document }) => isUnverified(document)).length,
      overdueCited: cited.filter(({ document }) => isOverdue(document)).length
    }
    const entityUses = countsOf(askedItems.flatMap(({ entities }) => [...new Set(entities)]))
    const names = yield* (yield* EntityStore).names(workspace, [...entityUses.keys()])
    const risky = cited.filter(({ document }) => isUnverified(document) || isOverdue(document))
    return {
      summary: { ...numbers, highlights: engagementHighlights(numbers) },
      sections: [
        section("byDay", "Questions by day", ["day", "questions", "answered"], byDay(askedItems)),
        section(
          "verdicts",
          "Verdicts",
          ["verdict", "questions"],
          ordered(countsOf(askedItems.map(({ verdict }) => verdict)))
        ),
        section(
          "unanswered",
          "Asked and not answered",
          ["question", "times", "last asked", "reason"],
          unanswered(askedItems)
        ),
        section(
          "sources",
          "Documents that carry most answers",
          ["path", "title", "answers", "share of answers"],
          byCount(cited).map(({ count, document: { path, title } }) => [
            path,
            title,
            count,
            share(count, answered.length)
          ])
        ),
        section(
          "riskySources",
          "Cited although unverified or overdue",
          ["path", "verification", "review due", "answers"],
          byCount(risky).map(({ count, document }) => [
            document.path,
            document.verification,
            document.nextVerifyAt,
            count
          ])
        ),
        section(
          "entities",
          "Entities asked about",
          ["entity", "questions"],
          ordered(
            new Map(
              [...entityUses].flatMap(([id, count]) => {
                const name = names.get(id)
                return name === undefined ? [] : [[name, count] as const]
              })
            )
          )
        )
      ]
    } satisfies ReportBody
  })

/** Returns which parts of the corpus and the graph are covered, thinly covered and not covered. */
const coverage = ({ documents, mentions }: Corpus) =>
  Effect.gen(function* () {
    const [store, { workspace }, at] = [yield* OverviewStore, yield* Caller, yield* now]
    const counts = yield* store.counts(workspace, at)
    const named = yield* store.namedEntities(workspace)
    const edges = yield* store.edgesOf(
      workspace,
      named.map(({ id }) => id)
    )
    const degrees = countsOf(edges.flatMap(({ dst, src }) => [src, dst]))
    const documentCounts = countsOf(mentions.map(({ entityId }) => entityId))
    const ownerless = yield* store.entitiesToTend(
      workspace,
      "ownerless",
      { at, ownerId: undefined },
      {
        limit: rowsMax,
        offset: 0
      }
    )
    const { ownerless: unownedEntities } = yield* store.tendCounts(workspace, { at, ownerId: undefined })
    const thin = named.filter(
      ({ id }) => (documentCounts.get(id) ?? 0) <= thinDocuments || (degrees.get(id) ?? 0) === 0
    )
    const mentioning = new Set(mentions.map(({ documentId }) => documentId))
    const silent = documents.filter(({ id }) => !mentioning.has(id))
    const contradictions = yield* listContradictions("open", { limit: rowsMax, offset: 0 })
    const sum = (values: Readonly<Record<string, number>>) => Object.values(values).reduce((a, b) => a + b, 0)
    const numbers = {
      documents: documents.length,
      // Includes entities out of use, like the manifest and the unowned count.
      entities: sum(counts.byLifecycle),
      relations: sum(counts.relationsByType),
      unownedEntities,
      entitiesInUse: named.length,
      thinEntities: thin.length,
      documentsWithoutEntities: silent.length,
      overdueReviews: counts.overdueReviews,
      unverifiedDocuments: documents.filter(({ verification }) => verification === "unverified").length
    }
    return {
      summary: { ...numbers, highlights: coverageHighlights(numbers) },
      sections: [
        section(
          "folders",
          "Documents by folder",
          ["folder", "documents", "verified or certified"],
          byFolder(documents)
        ),
        section(
          "thin",
          "Thinly covered entities",
          ["entity", "type", "documents", "relations"],
          thin
            .slice(0, rowsMax)
            .map(({ id, name, type }) => [name, type, documentCounts.get(id) ?? 0, degrees.get(id) ?? 0])
        ),
        section(
          "unowned",
          "Entities that nobody owns",
          ["entity", "type", "authority"],
          ownerless.slice(0, rowsMax).map(({ authority, name, type }) => [name, type, authority])
        ),
        section(
          "contradictions",
          "Statements that contradict each other",
          ["subject", "attribute", "document", "value", "other document", "other value"],
          contradictions.items.map(({ attribute, sides: [one, other], subject }) => [
            subject,
            attribute,
            one === undefined ? null : placeOfSide(one),
            one?.value ?? null,
            other === undefined ? null : placeOfSide(other),
            other?.value ?? null
          ])
        ),
        section(
          "documentsWithoutEntities",
          "Documents that mention no entity",
          ["path", "title"],
          silent.slice(0, rowsMax).map(({ path, title }) => [path, title])
        )
      ]
    } satisfies ReportBody
  })

const section = (
  id: string,
  title: string,
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string | number | null>>
): ReportSection => ({
  id,
  title,
  columns: [...columns],
  rows: rows.slice(0, rowsMax).map((row) => [...row])
})

const countsOf = <Key>(keys: ReadonlyArray<Key>): ReadonlyMap<Key, number> => {
  const counts = new Map<Key, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

/** The largest counts first, equal ones by name. */
const ordered = (counts: ReadonlyMap<string, number>): ReadonlyArray<ReadonlyArray<string | number>> =>
  [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))

const byCount = <One extends { readonly count: number; readonly document: ListedDocument }>(
  all: ReadonlyArray<One>
): ReadonlyArray<One> =>
  [...all].sort((a, b) => b.count - a.count || (a.document.path < b.document.path ? -1 : 1))

const byFolder = (documents: ReadonlyArray<ListedDocument>) => {
  const isVouchedFor = ({ verification }: ListedDocument) =>
    verification === "verified" || verification === "certified"
  const vouched = countsOf(documents.filter(isVouchedFor).map(({ path }) => folderOf(path)))
  return ordered(countsOf(documents.map(({ path }) => folderOf(path)))).map(([folder = "", count = 0]) => [
    folder,
    count,
    vouched.get(String(folder)) ?? 0
  ])
}

const byDay = (asked: ReadonlyArray<AskedQuestion>) => {
  const days = [...new Set(asked.map(({ at }) => at.slice(0, 10)))].sort()
  return days.map((day) => {
    const ofDay = asked.filter(({ at }) => at.startsWith(day))
    return [day, ofDay.length, ofDay.filter(({ answered }) => answered).length]
  })
}

/** Questions without an answer, equal ones together, the most asked first. */
const unanswered = (asked: ReadonlyArray<AskedQuestion>) => {
  const groups = new Map<string, { question: string; times: number; last: string; reason: string }>()
  for (const one of asked) {
    if (one.answered) continue
    const group = groups.get(one.key)
    if (group === undefined)
      groups.set(one.key, {
        question: one.question ?? "(not kept)",
        times: 1,
        last: one.at,
        reason: one.reason || one.verdict
      })
    else {
      group.times += 1
      if (one.at > group.last) group.last = one.at
    }
  }
  return [...groups.values()]
    .sort((a, b) => b.times - a.times || (a.last > b.last ? -1 : 1))
    .map(({ last, question, reason, times }) => [question, times, last, reason])
}

const share = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((1000 * part) / whole) / 1000
const percent = (part: number, whole: number): string => `${Math.round(100 * share(part, whole))} %`
const plural = (count: number, noun: string, many = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : many}`

const engagementHighlights = (n: {
  readonly questions: number
  readonly answered: number
  readonly unanswered: number
  readonly citedDocuments: number
  readonly neverCitedDocuments: number
  readonly unverifiedCited: number
  readonly overdueCited: number
}): Array<string> => [
  n.questions === 0
    ? "Nothing was asked in the last 30 days."
    : `${plural(n.questions, "question")} in the last 30 days: ${percent(n.answered, n.questions)} answered, ${n.unanswered} not.`,
  `${plural(n.citedDocuments, "document")} carried answers; ${n.neverCitedDocuments} were never cited.`,
  ...(n.unverifiedCited > 0 ? [`${plural(n.unverifiedCited, "cited document")} nobody has verified.`] : []),
  ...(n.overdueCited > 0 ? [`${plural(n.overdueCited, "cited document")} overdue for review.`] : [])
]

const coverageHighlights = (n: {
  readonly documents: number
  readonly entities: number
  readonly relations: number
  readonly unownedEntities: number
  readonly entitiesInUse: number
  readonly thinEntities: number
  readonly documentsWithoutEntities: number
}): Array<string> => [
  `${plural(n.documents, "document")}, ${plural(n.entities, "entity", "entities")}, ${plural(n.relations, "relation")}.`,
  `${percent(n.thinEntities, n.entitiesInUse)} of the entities in use stand in at most one document or have no relation.`,
  `${percent(n.unownedEntities, n.entities)} of the entities have no owner.`,
  `${plural(n.documentsWithoutEntities, "document")} mention no entity.`
]
