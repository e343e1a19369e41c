import * as Effect from "effect/Effect"
import { DocumentStore, type Passage } from "../../files/documents/index.js"
import { isCompiled } from "../../files/proposals/index.js"
import { allAliases, headOf, resolveEntities } from "../../knowledge/entities/index.js"
import { GraphStore } from "../../knowledge/graph/index.js"
import { readQuestion } from "../../language/questions/index.js"
import { AnswerTexts } from "../../language/text-analysis/index.js"
import { analyse } from "../../language/tokenization/index.js"
import { Caller, type EntityId, yieldToEventLoop } from "../../platform/kernel/index.js"
import { retrieve } from "../../search/retrieval/index.js"
import { declaredStanding } from "../conflicts/index.js"
import { idfOf, makeEvidence } from "../evidence/index.js"
import { isAbout } from "./page-facts.js"

/** Passages that are looked at for a page, and that it is written from. */
const [searchedMax, mentionsMax, passagesMax] = [50, 100, 40]

/** What a page is about: its title, and the names under which documents speak of it. */
export interface Subject {
  readonly title: string
  readonly names: ReadonlyArray<string>
  readonly entityId: EntityId | null
}

/** Returns the subject that an entity is, or that a topic means: an entity of that name, else the words themselves. */
export const subjectOf = Effect.fnUntraced(function* (given: {
  readonly topic?: string | undefined
  readonly entityId?: EntityId | undefined
}) {
  const topic = given.topic?.replace(/\s+/gu, " ").trim() ?? ""
  if (given.entityId !== undefined) {
    const entity = yield* headOf(given.entityId)
    const title = topic === "" ? entity.name : topic
    return { title, names: [entity.name, ...allAliases(entity)], entityId: entity.id } satisfies Subject
  }
  const [best] = yield* resolveEntities(topic, { limit: 1 })
  const subject: Subject =
    best === undefined || best.matchKind === "fuzzy"
      ? { title: topic, names: [topic], entityId: null }
      : {
          title: topic,
          names: [topic, best.entity.name, ...allAliases(best.entity)],
          entityId: best.entity.id
        }
  return subject
})

/**
 * Gathers the passages about a subject, best first: those that search finds by its names, and those that mention it.
 * Documents out of use and pages that were compiled themselves are left out.
 */
export const gatherAbout = Effect.fnUntraced(function* (subject: Subject) {
  const [documents, graph, texts, { workspace }] = [
    yield* DocumentStore,
    yield* GraphStore,
    yield* AnswerTexts,
    yield* Caller
  ]
  const yieldWhenDue = yieldToEventLoop()
  const found = yield* retrieve(workspace, { query: subject.title, limit: searchedMax, rerank: false })
  const mentioned =
    subject.entityId === null ? [] : yield* graph.mentionLabels(workspace, [subject.entityId], mentionsMax)
  const passages = new Map<number, Passage>(found.passages.map(({ passage }) => [passage.label, passage]))
  const labels = mentioned.map(({ label }) => label).filter((label) => !passages.has(label))
  const others = new Map(
    (yield* documents.passages(workspace, labels)).map((passage) => [passage.label, passage])
  )
  for (const label of labels) {
    const passage = others.get(label)
    if (passage !== undefined) passages.set(label, passage)
  }
  const ids = [...new Set([...passages.values()].map(({ documentId }) => documentId))]
  const rows = new Map((yield* documents.findMany(workspace, ids)).map((row) => [row.id, row]))
  const names = subject.names.map((name) => texts.read(name))
  const about: Array<Passage> = []
  for (const passage of passages.values()) {
    yield* yieldWhenDue
    const row = rows.get(passage.documentId)
    if (row === undefined || row.deletedAt !== null || row.verification === "deprecated") continue
    if (isCompiled(row.frontMatter) || declaredStanding(row.frontMatter.other).isRetired) continue
    const text = [passage.docTitle, ...passage.headingPath, passage.text].join(" ")
    if (about.length < passagesMax && isAbout(names, texts.read(text))) about.push(passage)
  }
  const evidence = makeEvidence({
    question: readQuestion(subject.title, analyse),
    passages: about,
    idf: idfOf(found.termWeights),
    analyse,
    texts
  })
  return { evidence, names, rows }
})
