import * as Effect from "effect/Effect"
import { type Document, DocumentStore, type Passage } from "../../files/documents/index.js"
import { isCompiled } from "../../files/proposals/index.js"
import { AnswerTexts, type TextCache } from "../../language/text-analysis/index.js"
import { analyseForIndex, analyseQuery } from "../../language/tokenization/index.js"
import {
  atomically,
  Caller,
  type DocumentId,
  Ids,
  now,
  traced,
  type WorkspaceScope,
  yieldToEventLoop
} from "../../platform/kernel/index.js"
import { lexicalSearch, phraseLabels } from "../../search/lexical/index.js"
import { declaredStanding } from "../conflicts/index.js"
import { idfOf } from "../evidence/index.js"
import { type CorpusStatement, contradictionOf, statementsIn } from "./document-statements.js"
import { type ContradictionSide, documentOfSide, type StoredContradiction } from "./model.js"
import { isRow, newContradiction, sideOf, unknownOf } from "./pairs.js"
import { compareRows } from "./rows.js"
import { ContradictionStore } from "./store.js"

/** Documents compared in one unit of work. */
const documentsPerUnit = 20
/** Passages of other documents with which a statement is compared: those that share its words best. */
const passagesPerStatement = 12
/** Statements of one document that are compared at most. */
const statementsMax = 2_000

/**
 * Compares the documents that changed since the last time with all others, and returns how many were compared. A
 * statement is looked up in the text index by its words, so an edit costs what its own statements cost.
 */
export const findContradictions = traced("contradictions.find")(function* (
  options: { readonly onProgress?: (done: number) => Effect.Effect<void> } = {}
) {
  const [documents, store, { workspace }] = [yield* DocumentStore, yield* ContradictionStore, yield* Caller]
  let count = 0
  for (;;) {
    const position = yield* store.position(workspace)
    const changed = yield* documents.changesSince(workspace, position, documentsPerUnit)
    const last = changed.at(-1)
    if (last === undefined) {
      yield* compareRows(workspace, (passages) => inUse(workspace, passages))
      return count
    }
    yield* compareDocuments(workspace, changed, last.seq)
    count += changed.length
    yield* options.onProgress?.(count) ?? Effect.void
  }
})

const compareDocuments = (workspace: WorkspaceScope, changed: ReadonlyArray<Document>, position: number) =>
  Effect.gen(function* () {
    const [store, texts] = [yield* ContradictionStore, yield* AnswerTexts]
    const compared = new Map<DocumentId, Compared>()
    const statements = statementsOnce(texts)
    for (const document of changed) compared.set(document.id, yield* compare(workspace, document, statements))
    const found = [...compared.values()].flatMap((one) => one.found)
    yield* atomically(
      Effect.gen(function* () {
        const known = yield* store.ofDocuments(workspace, [...compared.keys()])
        const isSaid = (side: ContradictionSide, isBesideRow: boolean): boolean => {
          const own = "docId" in side ? compared.get(side.docId) : undefined
          // Whether a live document says what a row contradicts is found out with the row.
          if (own === undefined || (isBesideRow && own.state === "live")) return true
          return own.quotes.has(side.quote)
        }
        const ended = known.flatMap((one): ReadonlyArray<StoredContradiction> => {
          if (one.status !== "open" && one.status !== "both_true") return []
          const lost = one.sides.find((side) => !isSaid(side, one.sides.some(isRow)))
          if (lost === undefined) return []
          const how = ("docId" in lost ? compared.get(lost.docId)?.state : undefined) ?? "live"
          return [{ ...one, status: how === "deleted" ? "gone" : "settled", reason: endings[how] }]
        })
        const added = yield* unknownOf(workspace, found)
        yield* store.save(workspace, [...ended, ...added])
        yield* store.setPosition(workspace, position)
      })
    )
  })

const endings = {
  deleted: "The document of one side was deleted.",
  deprecated: "The document of one side was deprecated.",
  live: "One side was edited."
} as const

/** What a document states, and which of it contradicts others. */
interface Compared {
  readonly state: keyof typeof endings
  /** Quotes of all statements that may be a side; none of a document that is out of use. */
  readonly quotes: ReadonlySet<string>
  readonly found: ReadonlyArray<StoredContradiction>
}

/** Whether a document is out of use, or repeats what others say. */
const isRetired = ({ frontMatter, verification }: Document): boolean =>
  verification === "deprecated" || declaredStanding(frontMatter.other).isRetired || isCompiled(frontMatter)

/** Returns what passages state; a passage that several statements are compared with is read once. */
const statementsOnce = (texts: TextCache) => {
  const known = new Map<number, ReadonlyArray<CorpusStatement>>()
  return (passage: Passage): ReadonlyArray<CorpusStatement> => {
    const cached = known.get(passage.label)
    if (cached !== undefined) return cached
    if (known.size >= passagesKeptMax) known.clear()
    const found = statementsIn(passage, texts)
    known.set(passage.label, found)
    return found
  }
}
/** Some megabytes. */
const passagesKeptMax = 1_000

const compare = (
  workspace: WorkspaceScope,
  document: Document,
  statements: ReturnType<typeof statementsOnce>
) =>
  Effect.gen(function* () {
    const [store, ids, at] = [yield* DocumentStore, yield* Ids, yield* now]
    const nothing = { quotes: new Set<string>(), found: [] }
    if (document.deletedAt !== null) return { ...nothing, state: "deleted" } satisfies Compared
    if (isRetired(document)) return { ...nothing, state: "deprecated" } satisfies Compared
    const yieldWhenDue = yieldToEventLoop()
    const own: Array<CorpusStatement> = []
    for (const { label } of yield* store.chunks(workspace, document.id)) {
      yield* yieldWhenDue
      for (const passage of yield* store.passages(workspace, [label])) own.push(...statements(passage))
    }
    const pairs = new Map<string, StoredContradiction>()
    for (const one of own.slice(0, statementsMax)) {
      yield* yieldWhenDue
      const { idf, passages } = yield* candidates(workspace, one)
      for (const passage of passages) {
        for (const other of statements(passage)) {
          const disagreement = contradictionOf(one, other, idf)
          if (disagreement === undefined) continue
          const found = newContradiction(
            ids,
            disagreement,
            [sideOf(one, disagreement.a), sideOf(other, disagreement.b)],
            at
          )
          if (pairs.has(found.pairKey) || repeats(pairs, found.sides)) continue
          pairs.set(found.pairKey, found)
        }
        yield* yieldWhenDue
      }
    }
    return {
      state: "live",
      quotes: new Set(own.map(({ statement }) => statement.quote)),
      found: [...pairs.values()]
    } satisfies Compared
  })

/** A sentence and a clause of it are one side. */
const repeats = (
  pairs: ReadonlyMap<string, StoredContradiction>,
  sides: ReadonlyArray<ContradictionSide>
): boolean =>
  [...pairs.values()].some((known) =>
    known.sides.every((side, place) => {
      const other = sides[place]
      return (
        other !== undefined && side.quote === other.quote && documentOfSide(side) === documentOfSide(other)
      )
    })
  )

/** The passages of other documents in use that may contradict a statement. */
const candidates = (workspace: WorkspaceScope, { cell, passage, statement }: CorpusStatement) =>
  Effect.gen(function* () {
    const documents = yield* DocumentStore
    const [labels, weights] =
      cell === null
        ? yield* byWords(workspace, statement.text)
        : [yield* byName(workspace, cell.subject), noWeights]
    const passages = yield* documents.passages(workspace, labels)
    const others = passages.filter(({ documentId }) => documentId !== passage.documentId)
    return { idf: idfOf(weights), passages: yield* inUse(workspace, others) }
  })

/** The passages whose documents are in use. */
const inUse = (workspace: WorkspaceScope, passages: ReadonlyArray<Passage>) =>
  Effect.gen(function* () {
    const ids = [...new Set(passages.map(({ documentId }) => documentId))]
    const rows = yield* (yield* DocumentStore).findMany(workspace, ids)
    const retired = new Set(rows.filter(isRetired).map(({ id }) => id))
    return passages.filter(({ documentId }) => !retired.has(documentId))
  })

const noWeights: ReadonlyMap<string, number> = new Map()

const byWords = (workspace: WorkspaceScope, text: string) =>
  Effect.map(
    lexicalSearch(workspace, analyseQuery(text), { limit: passagesPerStatement }),
    ({ hits, termWeights }) => [hits.map(({ label }) => label), termWeights] as const
  )

const byName = (workspace: WorkspaceScope, name: string) =>
  Effect.map(phraseLabels(workspace, analyseForIndex(name)), (labels) =>
    labels.slice(0, 2 * passagesPerStatement)
  )
