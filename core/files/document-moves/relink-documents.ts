import * as Batches from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import {
  Caller,
  type DocumentId,
  NotFound,
  now,
  traced,
  yieldToEventLoop
} from "../../platform/kernel/index.js"
import {
  type Change,
  changedOutside,
  changeTo,
  type Document,
  DocumentStore,
  decide,
  decodeContent,
  liveDocument,
  publishChange,
  read,
  syncBeforeWrite
} from "../documents/index.js"
import {
  linkNames,
  type Moved,
  mayLinkTo,
  type Relinking,
  type Relocation,
  relinkingOf
} from "../links/index.js"
import { relinkedText } from "./long-links.js"
import type { Rewrite } from "./relink-files.js"

/** Number of texts scanned before yielding to the event loop. */
const textsPerPage = 64

/**
 * Returns the rewritten texts of a move: that of the moved document, and those of all other documents that must
 * change. `own` is null when the moved document's text stays.
 */
export const linkedMove = traced("documents.linkedMove")(function* ({
  after,
  before,
  own
}: {
  readonly before: Document
  readonly after: Document
  readonly own: string | null
}) {
  const [store, caller] = [yield* DocumentStore, yield* Caller]
  const everything = { limit: Number.MAX_SAFE_INTEGER, offset: 0 }
  const listed = yield* store.list(caller.workspace, everything, {})
  const places = new Map(listed.items.map(({ id }, place) => [id, place]))
  const placeOf = ({ id }: Document) => places.get(id) ?? 0
  const items = [...(yield* store.findMany(caller.workspace, [...places.keys()]))].sort(
    (a, b) => placeOf(a) - placeOf(b)
  )
  const paths: Moved = { from: before.path, to: after.path }
  const self = own === null ? null : yield* rewritten(own, paths, relinkingOf(relocationOf(items, after)))
  const title = self?.reading.content.title ?? after.title
  const relinking = relinkingOf(relocationOf(items, { ...after, title }))
  const suspects = yield* findLinking(
    items.filter(({ id }) => id !== before.id),
    [before, { ...after, title }].map((one) => ({ ...one, aliases: one.frontMatter.aliases })),
    relinking
  )
  const others: Array<Rewrite> = []
  for (const { id } of suspects)
    others.push(...(yield* rewriteOf(id, relinking, { moved: before.id, ...paths })))
  return { self, others, relinking }
})

const relocationOf = (documents: ReadonlyArray<Document>, after: Document): Relocation => {
  const target = ({ frontMatter, id, path, title }: Document) => ({
    id,
    path,
    title,
    aliases: frontMatter.aliases
  })
  return { documents: documents.map(target), moved: target(after) }
}

/** Returns the new text, parsed; null when it equals the old one. */
const rewritten = (text: string, moved: Moved, relinking: Relinking) =>
  Effect.gen(function* () {
    const fresh = yield* relinkedText(text, moved, relinking)
    if (fresh === text) return null
    const bytes = new TextEncoder().encode(fresh)
    return { bytes, reading: yield* read(moved.to, bytes) }
  }).pipe(
    // Longer links can exceed the size limit: then the text stays unchanged.
    Effect.catchTag("InvalidInput", () => Effect.succeed(null))
  )

/** Returns the documents whose stored text would change. Most are excluded by a scan for brackets, without parsing. */
const findLinking = (
  documents: ReadonlyArray<Document>,
  moved: Parameters<typeof linkNames>[0],
  relinking: Relinking
) =>
  Effect.gen(function* () {
    const [store, caller] = [yield* DocumentStore, yield* Caller]
    const names = linkNames(moved)
    const [found, yieldWhenDue]: [Array<Document>, Effect.Effect<void>] = [[], yieldToEventLoop()]
    for (const page of Batches.chunksOf(documents, textsPerPage)) {
      const kept = yield* store.contents(
        caller.workspace,
        page.map(({ id }) => id)
      )
      const texts = new Map(kept.map(({ bytes, id }) => [id, bytes]))
      for (const document of page) {
        yield* yieldWhenDue
        const { path } = document
        const text = document.file === undefined ? textOf(texts.get(document.id)) : null
        if (text === null || !mayLinkTo(names, text)) continue
        if ((yield* relinkedText(text, { from: path, to: path }, relinking)) !== text) found.push(document)
      }
      yield* Effect.sleep(0)
    }
    return found
  })

const textOf = (bytes: Uint8Array | undefined): string | null =>
  bytes === undefined ? null : Either.getOrNull(decodeContent(bytes))

/** The move, for the audit trail of the documents that it changed. */
interface Cause extends Moved {
  readonly moved: DocumentId
}

/**
 * Returns the change of one document whose links must be rewritten; none when nothing is left to rewrite or the
 * document is gone. Indexes outside changes of the file first; a file that cannot be read or indexed stops the move
 * before anything is changed.
 */
const rewriteOf = (id: DocumentId, relinking: Relinking, details: Cause) =>
  Effect.gen(function* () {
    const none: ReadonlyArray<Rewrite> = []
    const file = yield* syncBeforeWrite(id)
    if (file === "missing") return none
    if (file === "changed") return yield* changedOutside
    if (typeof file === "object") return yield* file
    const [store, caller, at] = [yield* DocumentStore, yield* Caller, yield* now]
    const before = yield* liveDocument(id)
    const text = textOf(Option.getOrUndefined(yield* store.content(caller.workspace, id)))
    const paths = { from: before.path, to: before.path }
    const fresh = text === null ? null : yield* rewritten(text, paths, relinking)
    if (fresh === null) return none
    const { bytes, reading } = fresh
    const after = yield* decide(before, { _tag: "Relink", content: reading.content }, at).pipe(
      Effect.mapError(() => new NotFound({ what: "document" }))
    )
    const change: Change = {
      ...changeTo(before, after, reading, "document.relink"),
      origin: "move",
      details: { ...details }
    }
    return [{ change, bytes, expects: before.contentHash }]
  }).pipe(Effect.catchTag("NotFound", () => Effect.succeed<ReadonlyArray<Rewrite>>([])))

/** Attempts for one document whose file is being written concurrently. */
const attemptsMax = 4

/**
 * Handles a document whose file was written from outside while its links were rewritten: indexes that text and
 * rewrites its links. The move itself is already committed, so a file that cannot be indexed stays unchanged.
 */
export const rewriteAgain = (id: DocumentId, relinking: Relinking, cause: Cause) =>
  Effect.gen(function* () {
    const [one] = yield* rewriteOf(id, relinking, cause)
    if (one !== undefined) yield* publishChange(one.change, one.bytes, one.expects)
  }).pipe(
    Effect.retry({ times: attemptsMax - 1, while: ({ _tag }) => _tag === "Conflict" }),
    Effect.catchAll(() => Effect.void)
  )
