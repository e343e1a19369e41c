import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { Caller, DocumentId, mayCall } from "../../platform/kernel/index.js"
import { DocumentStore } from "./store.js"

/** Stands for what was quoted of a deleted document. */
export const deletedText = "[deleted]"

/** Fields that hold words of a document, or of a text that was made of it. */
const quotingFields: ReadonlySet<string> = new Set([
  "answer",
  "content",
  "diff",
  "headingPath",
  "html",
  "message",
  "quote",
  "snippet",
  "text",
  "value"
])

/**
 * Returns a JSON value without what it quotes of these documents: below each object that names one of them (`docId`,
 * `documentId` or `id`), or cites one (`citations`, `sourceIds`, `sourceId`; source ids belong to the `sources` of the
 * nearest object that has them), quoting fields become `[deleted]`. Ids, paths and titles stay.
 */
export const withoutQuotes = (
  value: unknown,
  documents: ReadonlySet<string>,
  sources: ReadonlySet<string> = new Set()
): unknown => {
  if (documents.size === 0) return value
  const hide = (one: unknown, known: ReadonlySet<string>, isQuote: boolean): unknown => {
    if (Array.isArray(one)) return one.map((item) => hide(item, known, isQuote))
    if (!Predicate.isRecord(one)) return one
    const own = sourcesOf(one, documents)
    const here = own === null ? known : new Set([...known, ...own])
    const isOwn = isQuote || names(one, documents) || cites(one, documents, here)
    const isMixed = own !== null && own.size > 0 && "answer" in one
    return Object.fromEntries(
      Object.entries(one).map(([field, inner]) => [
        field,
        typeof inner === "string"
          ? quotingFields.has(field) && (isOwn || (isMixed && field === "answer"))
            ? deletedText
            : inner
          : hide(inner, here, isOwn)
      ])
    )
  }
  return hide(value, sources, false)
}

/** Returns a JSON value in which every quoting field is `[deleted]`: what a model made of texts that it may have read. */
export const withoutOwnWords = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutOwnWords)
  if (!Predicate.isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [
      field,
      typeof inner === "string" && quotingFields.has(field) ? deletedText : withoutOwnWords(inner)
    ])
  )
}

type Fields = Readonly<Record<string, unknown>>

/** Returns the ids of an object's sources that are of these documents; null for an object without sources. */
const sourcesOf = ({ sources }: Fields, documents: ReadonlySet<string>): ReadonlySet<string> | null =>
  Array.isArray(sources)
    ? new Set(
        sources.flatMap((source) =>
          Predicate.isRecord(source) && documents.has(String(source["docId"]))
            ? [String(source["id"] ?? source["sourceId"])]
            : []
        )
      )
    : null

const names = ({ docId, documentId, id }: Fields, documents: ReadonlySet<string>): boolean =>
  [docId, documentId, id].some((one) => typeof one === "string" && documents.has(one))

const cites = (
  { citations, sourceId, sourceIds }: Fields,
  documents: ReadonlySet<string>,
  sources: ReadonlySet<string>
): boolean =>
  [citations, sourceIds, [sourceId]]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .some((one) => (Predicate.isRecord(one) ? names(one, documents) : sources.has(String(one))))

const documentIds = /\bdoc_[0-9a-z]{26}\b/g

/** Returns the ids of documents that a JSON value names and that are deleted or purged. */
export const deletedIn = Effect.fn("documents.deletedIn")(function* (value: unknown) {
  const [documents, { workspace }] = [yield* DocumentStore, yield* Caller]
  const deleted = new Set<string>()
  for (const id of new Set((JSON.stringify(value) ?? "").match(documentIds))) {
    const known = DocumentId.safeParse(id)
    if (!known.success) continue
    const found = yield* documents.find(workspace, known.data)
    if (!Option.exists(found, ({ deletedAt }) => deletedAt === null)) deleted.add(id)
  }
  return deleted
})

/** Whether the caller may read what is quoted of deleted documents. */
export const mayReadDeleted = Effect.map(Caller, ({ scopes }) =>
  mayCall({ scopes: ["workspace:admin"] }, scopes)
)
