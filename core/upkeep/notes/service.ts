import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type GroundingReport, queryOperations } from "../../answers/answering/index.js"
import {
  DocumentStore,
  deleteDocument,
  documentOperations,
  type ListedDocument
} from "../../files/documents/index.js"
import { curationOperations, proposeChange } from "../../knowledge/curation/index.js"
import { entityLimits, resolveEntities } from "../../knowledge/entities/index.js"
import {
  Caller,
  type DocumentId,
  Ids,
  invalid,
  millisOf,
  NotFound,
  now,
  traced
} from "../../platform/kernel/index.js"
import { retrievalOperations } from "../../search/retrieval/index.js"
import { type NewNote, type Note, notesFolder, type Remembered } from "./model.js"
import {
  isExpired,
  isNote,
  noteContent,
  noteIdentity,
  noteOf,
  notePath,
  noteTitle,
  type Said
} from "./note-text.js"

/** Most characters of the reason of a change request. */
const reasonMax = 4000

/**
 * Writes a note down as a document of its own, unverified, unless the workspace says the same already: then nothing is
 * written. What the workspace contradicts becomes a change request, which a person decides.
 */
export const remember = traced("notes.remember")(function* (note: NewNote, client: string | null) {
  const [{ actor: by, workspace }, at, ids] = [yield* Caller, yield* now, yield* Ids]
  if (note.expires !== undefined && millisOf(note.expires) <= millisOf(at))
    return yield* invalid(["expires"], "invalid_expires", "The note would have expired already.")
  const path = notePath(note, ids.sha256(noteIdentity(note)))
  const [documents, said] = [yield* DocumentStore, { by, client, at }]
  const same = yield* documents.findByPath(workspace, path)
  if (Option.isSome(same)) return known([{ ...standingOf(same.value), quote: note.text }])
  const report = yield* queryOperations.checkGrounding.run({
    text: statementOf(note),
    policyMode: "off",
    judge: false
  })
  const disputed = report.claims.filter(({ status }) => status === "contradicted")
  if (disputed.length > 0) {
    const standing = standingIn(report, disputed)
    const requestId = yield* proposed(note, said, standing)
    return { outcome: "proposed", id: null, path: null, requestId, standing } satisfies Remembered
  }
  if (report.claims.length > 0 && report.claims.every(({ status }) => status === "supported"))
    return known(standingIn(report, report.claims))
  return yield* documentOperations.createDocument.run({ path, content: noteContent(note, said) }).pipe(
    Effect.map(
      ({ docId }): Remembered => ({ outcome: "remembered", id: docId, path, requestId: null, standing: [] })
    ),
    // Somebody else wrote the same note meanwhile.
    Effect.catchTag("Conflict", (fault) =>
      Effect.flatMap(documents.findByPath(workspace, path), (found) =>
        Option.isNone(found)
          ? Effect.fail(fault)
          : Effect.succeed(known([{ ...standingOf(found.value), quote: note.text }]))
      )
    )
  )
})

const known = (standing: Remembered["standing"]): Remembered => ({
  outcome: "known",
  id: null,
  path: null,
  requestId: null,
  standing
})

const standingOf = ({ id, path, title }: Pick<ListedDocument, "id" | "path" | "title">) => ({
  id,
  title,
  path
})

/** A statement that leaves its subject out gets it from what the note is about. */
const statementOf = ({ about, text }: NewNote): string =>
  about === undefined || text.toLowerCase().includes(about.toLowerCase()) ? text : `${about}: ${text}`

/** The documents that carry these claims, or speak against them, each once. */
const standingIn = (
  { sources }: Pick<GroundingReport, "sources">,
  claims: GroundingReport["claims"]
): Remembered["standing"] => {
  const cited = new Set(claims.flatMap(({ citations }) => citations))
  const found = new Map<DocumentId, Remembered["standing"][number]>()
  for (const { docId, docPath, docTitle, id, snippet } of sources)
    if (cited.has(id) && !found.has(docId))
      found.set(docId, { id: docId, title: docTitle, path: docPath, quote: snippet })
  return [...found.values()]
}

/** Entities that a name may mean. */
const candidatesMax = 5

/** Proposes a note that the workspace contradicts: to the entity that it is about, or as an entity of its own. */
const proposed = Effect.fnUntraced(function* (note: NewNote, said: Said, standing: Remembered["standing"]) {
  const earlier = yield* curationOperations.listChangeRequests.run({ status: "open", limit: 200, offset: 0 })
  const same = earlier.requests.find(({ payload }) => String(payload["description"]).includes(note.text))
  if (same !== undefined) return same.id
  const named = note.about === undefined ? [] : yield* resolveEntities(note.about, { limit: candidatesMax })
  const against = standing.map(({ path, quote }) => `${path}: ${quote}`).join("\n")
  const by = said.client === null ? said.by : `${said.by} through ${said.client}`
  const reason = `Said by ${by}, and contradicted by\n${against}`.slice(0, reasonMax).toWellFormed()
  const [target, ...others] = named
    .filter(({ matchKind }) => matchKind !== "fuzzy")
    .map(({ entity }) => entity)
  const proposal =
    target === undefined || others.length > 0
      ? {
          kind: "create" as const,
          payload: { name: noteTitle(note), type: "note", description: note.text, lifecycle: "draft" }
        }
      : {
          kind: "update" as const,
          entityId: target.id,
          payload: {
            description: [target.description ?? "", note.text]
              .join("\n\n")
              .trim()
              .slice(-entityLimits.description)
              .toWellFormed()
          }
        }
  return (yield* proposeChange({ ...proposal, note: reason })).id
})

/** Notes that a recall gives, and passages that are looked at for them. */
const [notesMax, passagesMax] = [10, 30]

/** Returns the notes that fit a question, best first; none that has expired. */
export const recall = traced("notes.recall")(function* (query: string) {
  const [{ workspace }, at, store] = [yield* Caller, yield* now, yield* DocumentStore]
  const { results } = yield* retrievalOperations.search.run({
    q: query,
    pathPrefix: `${notesFolder}/`,
    limit: passagesMax,
    rerank: false
  })
  const ids = [...new Set(results.map(({ docId }) => docId))]
  const documents = new Map((yield* store.findMany(workspace, ids)).map((one) => [one.id, one]))
  const notes: Array<Note> = []
  for (const id of ids) {
    const document = documents.get(id)
    if (document === undefined || !isNote(document) || isExpired(document, at)) continue
    const { content } = yield* documentOperations.getDocument.run({ id })
    notes.push(noteOf(document, content))
    if (notes.length === notesMax) break
  }
  return { notes }
})

/** Moves a note to the trash. NotFound for a document that is no note, as for one that is not there. */
export const forget = traced("notes.forget")(function* (id: DocumentId) {
  const { workspace } = yield* Caller
  const found = yield* (yield* DocumentStore).find(workspace, id)
  if (Option.isNone(found) || found.value.deletedAt !== null || !isNote(found.value))
    return yield* new NotFound({ what: "note" })
  return yield* deleteDocument(id)
})

/** Notes that are read at once. */
const pageSize = 200

/** Moves notes to the trash whose time has passed, and returns how many. One that is being written waits for the next run. */
export const forgetExpiredNotes = Effect.gen(function* () {
  const [{ workspace }, at, store] = [yield* Caller, yield* now, yield* DocumentStore]
  const expired: Array<DocumentId> = []
  for (let offset = 0; ; offset += pageSize) {
    const { items } = yield* store.list(
      workspace,
      { limit: pageSize, offset },
      { pathPrefix: `${notesFolder}/` }
    )
    const ids = items.map(({ id }) => id)
    for (const one of yield* store.findMany(workspace, ids))
      if (isNote(one) && isExpired(one, at)) expired.push(one.id)
    if (items.length < pageSize) break
  }
  const gone = yield* Effect.forEach(expired, (id) =>
    deleteDocument(id).pipe(
      Effect.as(1),
      Effect.catchAll(() => Effect.succeed(0))
    )
  )
  return gone.reduce((sum, one) => sum + one, 0)
})
