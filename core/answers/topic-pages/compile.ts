import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type Document, DocumentStore } from "../../files/documents/index.js"
import { parseDocumentPath, slugPath } from "../../files/markdown/index.js"
import { isCompiled, propose } from "../../files/proposals/index.js"
import type { ReadText } from "../../language/text-analysis/index.js"
import { AnswerTexts } from "../../language/text-analysis/index.js"
import {
  Caller,
  type DocumentId,
  type EntityId,
  Ids,
  invalid,
  nameNorm,
  traced,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { modelsFor } from "../../platform/models/index.js"
import { counted, countUses, WorkspaceStore } from "../../platform/workspace/index.js"
import { listContradictions } from "../contradictions/index.js"
import type { Evidence } from "../evidence/index.js"
import { gatherAbout, type Subject, subjectOf } from "./gather.js"
import { factsAbout, isAbout } from "./page-facts.js"
import { writePage } from "./page-prose.js"
import { type PageContradiction, type PageSource, pageText } from "./page-text.js"

/** The folder of compiled pages. */
const pagesFolder = "topics"
/** Open contradictions that are looked at, and those that a page shows. */
const [contradictionsRead, contradictionsMax] = [200, 10]

/** What to compile a page about: a topic in words, or an entity. */
export interface CompileRequest {
  readonly topic?: string | undefined
  readonly entityId?: EntityId | undefined
  /** Where the page is to be; `topics/` and the topic by default. */
  readonly path?: string | undefined
  readonly note?: string | null | undefined
}

/**
 * Compiles a page about a topic from the statements of the documents and proposes it. With a chat model it is prose of
 * which every sentence is supported by what it cites; without, or when the model fails, it quotes facts. Nothing is
 * written into the vault before a person approves.
 *
 * @param outdated The proposal or page that the new one takes the place of; see `propose`.
 */
export const compileTopic = traced("topicPages.compile")(function* (
  request: CompileRequest,
  outdated?: Parameters<typeof propose>[1]
) {
  const { workspace } = yield* Caller
  const subject = yield* subjectOf(request)
  const path = request.path === undefined ? undefined : yield* parseDocumentPath(request.path)
  const place = yield* placeOf(workspace, subject.title, path)
  const page = yield* counted(workspace, writtenPage(workspace, subject, place.path))
  if (page === null)
    return yield* invalid(["topic"], "nothing_known", "No document says anything about this topic.")
  const proposal = {
    change: "write" as const,
    topic: subject.title,
    path: place.path,
    title: subject.title,
    content: page.content,
    baseVersion: place.base?.version ?? null,
    docId: place.base?.id ?? null,
    sources: page.sources.map(({ docId, version }) => ({ docId, version })),
    dropped: page.dropped,
    note: request.note ?? null
  }
  return yield* propose(proposal, outdated)
})

/** Returns the path of the page about a topic, and the page that is there already. */
const placeOf = Effect.fnUntraced(function* (
  workspace: WorkspaceScope,
  topic: string,
  given: string | undefined
) {
  const documents = yield* DocumentStore
  const at = (path: string) => Effect.map(documents.findByPath(workspace, path), Option.getOrNull)
  if (given !== undefined) return { path: given, base: yield* at(given) }
  const earlier = yield* earlierPage(workspace, topic)
  if (earlier !== null) return { path: earlier.path, base: earlier }
  const taken = new Set<string>()
  for (;;) {
    const path = `${pagesFolder}/${slugPath(topic, (one) => taken.has(one))}`
    const there = yield* at(path)
    if (there === null) return { path, base: null }
    if (isPageAbout(there, topic)) return { path, base: there }
    taken.add(path.slice(pagesFolder.length + 1))
  }
})

const isPageAbout = ({ frontMatter }: Document, topic: string): boolean =>
  isCompiled(frontMatter) && nameNorm(String(frontMatter.other["topic"] ?? "")) === nameNorm(topic)

/** The page that was approved for the topic, wherever it was moved since. */
const earlierPage = Effect.fnUntraced(function* (workspace: WorkspaceScope, topic: string) {
  const [proposals, documents] = [(yield* DocumentStore).proposals, yield* DocumentStore]
  const { items } = yield* proposals.list(
    workspace,
    { statuses: ["approved", "stale"] },
    { limit: 200, offset: 0 }
  )
  const ids = items.flatMap((one) => (nameNorm(one.topic) === nameNorm(topic) ? (one.docId ?? []) : []))
  const pages = yield* documents.findMany(workspace, [...new Set(ids)])
  return pages.find((page) => page.deletedAt === null && isPageAbout(page, topic)) ?? null
})

const writtenPage = Effect.fnUntraced(function* (workspace: WorkspaceScope, subject: Subject, path: string) {
  const texts = yield* AnswerTexts
  const { evidence, names, rows } = yield* gatherAbout(subject)
  if (evidence.sources.length === 0) return null
  const facts = factsAbout(names, evidence, texts)
  const prose = yield* proseAbout(workspace, subject, evidence)
  const isProse = prose !== null && prose.sentences.length > 0
  const contradictions = yield* contradictionsAbout(names)
  const documents = new Map<DocumentId, PageSource>()
  const known = yield* (yield* DocumentStore).findMany(
    workspace,
    contradictions.flatMap(({ sides }) => sides.map(({ docId }) => docId))
  )
  for (const { deletedAt, id, path: at, title, version } of [...rows.values(), ...known])
    if (deletedAt === null) documents.set(id, { docId: id, path: at, title, version })
  const { content, sources } = pageText(
    {
      topic: subject.title,
      path,
      statements: isProse ? { ...facts, facts: prose.sentences } : facts,
      isProse,
      contradictions: contradictions.filter(({ sides }) => sides.every(({ docId }) => documents.has(docId)))
    },
    evidence,
    (id) => documents.get(id)
  )
  return sources.length === 0 ? null : { content, sources, dropped: prose?.dropped ?? 0 }
})

/** Prose of the workspace's chat model; null without one, or when it fails. */
const proseAbout = Effect.fnUntraced(function* (
  workspace: WorkspaceScope,
  subject: Subject,
  evidence: Evidence
) {
  const [ids, { settings }] = [yield* Ids, yield* (yield* WorkspaceStore).get(workspace)]
  const { chat, judge } = yield* modelsFor(workspace, settings.models)
  if (Option.isNone(chat)) return null
  const boundary = ids.sha256(ids.make("proposal")).slice(0, 24)
  const written = yield* Effect.either(
    writePage({ chat: chat.value, judge }, subject.title, evidence, boundary)
  )
  if (Either.isLeft(written)) {
    yield* Effect.logWarning(`The chat model wrote no page: ${written.left.message}`)
    yield* countUses(workspace, written.left.usage === undefined ? [] : [written.left.usage])
    return null
  }
  yield* countUses(workspace, [written.right.usage])
  return written.right
})

/** Open contradictions of which one side speaks of the subject. */
const contradictionsAbout = Effect.fnUntraced(function* (names: ReadonlyArray<ReadText>) {
  const texts = yield* AnswerTexts
  const { items } = yield* listContradictions("open", { limit: contradictionsRead, offset: 0 })
  return items
    .flatMap(({ sides }): ReadonlyArray<PageContradiction> => {
      const isOfSubject = sides.some(({ quote }) => isAbout(names, texts.read(quote)))
      // A page cites documents in their versions, and a row has none.
      const pages = sides.flatMap((side) =>
        "docId" in side ? [{ docId: side.docId, quote: side.quote }] : []
      )
      return isOfSubject && pages.length === sides.length ? [{ sides: pages }] : []
    })
    .slice(0, contradictionsMax)
})
