import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { record } from "../../platform/audit/index.js"
import {
  atomically,
  Caller,
  Conflict,
  type DocumentId,
  Ids,
  invalid,
  NotFound,
  NotOpen,
  now,
  type PageRequest,
  type ProposalId,
  seeingAll,
  traced
} from "../../platform/kernel/index.js"
import { moveDocument } from "../document-moves/index.js"
import {
  contentBytes,
  createDocument,
  type Document,
  DocumentStore,
  deleteDocument,
  liveDocument,
  type ProposalStatus,
  type ProposedChange,
  type ProposedDocument,
  readOnly,
  replaceDocument,
  staleVersion
} from "../documents/index.js"
import { parseDocumentPath } from "../markdown/index.js"
import { decideProposal } from "./machine.js"
import { type NewProposal, newProposal } from "./model.js"
import type { ProposalTrigger } from "./states.js"

/** Returns proposed documents, newest first. */
export const listProposals = traced("proposals.list")(function* (
  status: ProposalStatus | undefined,
  page: PageRequest
) {
  const [store, { workspace }] = [(yield* DocumentStore).proposals, yield* Caller]
  const filter = status === undefined ? {} : { statuses: [status] }
  const { items, total } = yield* store.list(workspace, filter, page)
  return { items: [...items], total, ...page }
})

const find = Effect.fnUntraced(function* (id: ProposalId) {
  const [store, { workspace }] = [(yield* DocumentStore).proposals, yield* Caller]
  return Option.getOrNull(yield* store.find(workspace, id)) ?? (yield* new NotFound({ what: "proposal" }))
})

/** Returns a proposed document with the text of the version that it replaces, null for a new page. */
export const getProposal = traced("proposals.get")(function* (id: ProposalId) {
  const [documents, { workspace }] = [yield* DocumentStore, yield* Caller]
  const proposal = yield* find(id)
  const { baseVersion, docId } = proposal
  if (docId === null || baseVersion === null) return { ...proposal, base: null }
  const version = Option.getOrNull(yield* documents.version(workspace, docId, baseVersion))
  const bytes = version?.bytes ?? null
  return { ...proposal, base: bytes === null ? null : new TextDecoder().decode(bytes) }
})

/**
 * Stores a proposed document. Open ones of the same person or program for the same document are withdrawn in the same
 * unit of work; so is every page that was compiled for the path, where this one is compiled too.
 *
 * @param outdated A proposal, or the page that it became, which is stale from then on. NotOpen when it was decided
 * meanwhile.
 */
export const propose = traced("proposals.propose")(function* (
  given: NewProposal,
  outdated?: { readonly proposal: ProposedDocument; readonly why: string }
) {
  const [store, ids, at, { actor, workspace }] = [
    (yield* DocumentStore).proposals,
    yield* Ids,
    yield* now,
    yield* Caller
  ]
  const proposal = newProposal(given, { id: ids.make("proposal"), by: actor, at })
  return yield* atomically(
    Effect.gen(function* () {
      if (outdated !== undefined) yield* close(outdated.proposal, "outdate", outdated.why)
      const isCompiled = given.sources.length > 0
      const of = isCompiled || given.docId === null ? { path: given.path } : { docId: given.docId }
      const earlier = yield* store.list(workspace, { statuses: ["open"], ...of }, { limit: 200, offset: 0 })
      const replaced = earlier.items.filter(
        (one) => one.proposedBy === actor || (isCompiled && one.sources.length > 0)
      )
      for (const one of replaced)
        yield* close(one, "withdraw", `Replaced by ${proposal.id}.`).pipe(
          // It was decided at the same moment.
          Effect.catchTag("NotOpen", () => Effect.void)
        )
      yield* store.add(workspace, [proposal])
      const { baseVersion, change, path, sources } = proposal
      yield* record([
        {
          action: "proposal.create",
          subjectId: proposal.id,
          details: {
            path,
            baseVersion,
            sources: sources.map(({ docId }) => docId),
            ...(change === "write" ? {} : { change })
          }
        }
      ])
      return proposal
    })
  )
})

/** What a person asks for in place of changing a document that another member verified. */
export interface DocumentProposal {
  readonly docId: DocumentId
  readonly change: ProposedChange
  /** The new text of a write. */
  readonly content?: string | undefined
  /** The new path of a move. */
  readonly path?: string | undefined
  readonly expectVersion?: number | undefined
  readonly note?: string | undefined
}

/** Proposes another text, another path or the removal of a document; nothing changes before somebody approves it. */
export const proposeDocument = traced("proposals.document")(function* (asked: DocumentProposal) {
  const { change, docId, expectVersion } = asked
  const document = yield* liveDocument(docId)
  if (expectVersion !== undefined && document.version !== expectVersion) return yield* staleVersion
  const content = change === "write" ? yield* proposedText(document, asked.content) : ""
  const path = change === "move" ? yield* proposedPath(document, asked.path) : document.path
  return yield* propose({
    change,
    topic: document.title,
    path,
    title: document.title,
    content,
    baseVersion: document.version,
    docId,
    sources: [],
    dropped: 0,
    note: asked.note ?? null
    // Only a proposal that was named as outdated can be decided meanwhile.
  }).pipe(Effect.catchTag("NotOpen", Effect.die))
})

const proposedText = (document: Document, content: string | undefined) =>
  Effect.gen(function* () {
    if (content === undefined) return yield* invalid(["content"], "required", "A write needs the new text.")
    if (document.file !== undefined) return yield* readOnly(document)
    yield* contentBytes(content)
    return content
  })

const proposedPath = (document: Document, path: string | undefined) =>
  path === undefined
    ? invalid(["path"], "required", "A move needs the new path.")
    : parseDocumentPath(path, document.file?.mediaType)

/**
 * Does what was proposed. Page, version, audit events and the end of the proposal are one unit of work. Conflict,
 * with the proposal left open, when the path is taken or the page has changed.
 */
export const approveProposal = traced("proposals.approve")(function* (id: ProposalId, note?: string) {
  const proposal = yield* find(id)
  const { baseVersion, change, content, docId, path } = proposal
  if (proposal.status !== "open") return yield* new NotOpen({ status: proposal.status, what: "proposal" })
  const context = yield* Effect.context<Effect.Effect.Context<ReturnType<typeof approvedWithPage>>>()
  const alongside = approvedWithPage(proposal, note ?? null).pipe(
    Effect.mapError(() => new Conflict({ message: "The proposal was decided meanwhile." })),
    Effect.provide(context)
  )
  if (docId === null || baseVersion === null) {
    const made = yield* createDocument({ path, content }, alongside)
    return { proposal: yield* find(id), docId: made.docId, version: made.version }
  }
  const changed = Effect.gen(function* () {
    if (change === "write") return yield* replaceDocument(docId, content, baseVersion, alongside)
    const { version } = yield* liveDocument(docId)
    if (version !== baseVersion) return yield* staleVersion
    // Links of documents that the caller may not read follow the move, too.
    if (change === "move")
      return yield* seeingAll(moveDocument(docId, path, { rewriteLinks: true, alongside }))
    yield* deleteDocument(docId, alongside)
    return { version }
  })
  const { version } = yield* changed.pipe(
    Effect.catchTag("NotFound", () =>
      Effect.fail(new Conflict({ message: "The page that it changes was deleted." }))
    )
  )
  return { proposal: yield* find(id), docId, version }
})

/** Ends a proposal with the page that was written in the same unit of work. */
const approvedWithPage = (proposal: ProposedDocument, note: string | null) =>
  Effect.gen(function* () {
    const [documents, store, { workspace }] = [
      yield* DocumentStore,
      (yield* DocumentStore).proposals,
      yield* Caller
    ]
    const page = Option.getOrNull(yield* documents.findByPath(workspace, proposal.path))
    const docId = proposal.docId ?? page?.id ?? null
    yield* close({ ...proposal, docId }, "approve", note)
    // What the page replaces is no longer the page.
    const filter = { statuses: ["approved"], path: proposal.path } as const
    const earlier = yield* store.list(workspace, filter, { limit: 200, offset: 0 })
    for (const one of earlier.items) if (one.id !== proposal.id) yield* close(one, "outdate", null)
  })

export const rejectProposal = traced("proposals.reject")(function* (id: ProposalId, note?: string) {
  return yield* atomically(Effect.flatMap(find(id), (one) => close(one, "reject", note ?? null)))
})

export const withdrawProposal = traced("proposals.withdraw")(function* (id: ProposalId) {
  return yield* atomically(Effect.flatMap(find(id), (one) => close(one, "withdraw", null)))
})

/** Marks a proposal, or the page that it became, as stale, with the reason. */
export const outdateProposal = traced("proposals.outdate")(function* (
  proposal: ProposedDocument,
  why: string
) {
  return yield* atomically(close(proposal, "outdate", why))
})

const close = (before: ProposedDocument, trigger: ProposalTrigger, note: string | null) =>
  Effect.gen(function* () {
    const [store, at, { actor, workspace }] = [(yield* DocumentStore).proposals, yield* now, yield* Caller]
    const after = yield* decideProposal(before, trigger, { by: actor, at, note })
    if (!(yield* store.decide(workspace, before, after)))
      return yield* new NotOpen({ status: "decided", what: "proposal" })
    const { docId, path } = after
    yield* record([
      { action: `proposal.${trigger}`, subjectId: after.id, details: { path, page: docId, note } }
    ])
    return after
  })
