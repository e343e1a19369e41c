import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { record } from "../../platform/audit/index.js"
import {
  atomically,
  Caller,
  Conflict,
  Ids,
  NotFound,
  NotOpen,
  now,
  type PageRequest,
  type ProposalId,
  traced
} from "../../platform/kernel/index.js"
import {
  createDocument,
  DocumentStore,
  type ProposalStatus,
  type ProposedDocument,
  replaceDocument
} from "../documents/index.js"
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
 * Stores a proposed document. Open proposals for the same path are withdrawn in the same unit of work: one waits at a
 * time.
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
      const filter = { statuses: ["open"], path: given.path } as const
      const earlier = yield* store.list(workspace, filter, { limit: 200, offset: 0 })
      for (const one of earlier.items)
        yield* close(one, "withdraw", `Replaced by ${proposal.id}.`).pipe(
          // It was decided at the same moment.
          Effect.catchTag("NotOpen", () => Effect.void)
        )
      yield* store.add(workspace, [proposal])
      const { baseVersion, path, sources } = proposal
      yield* record([
        {
          action: "proposal.create",
          subjectId: proposal.id,
          details: { path, baseVersion, sources: sources.map(({ docId }) => docId) }
        }
      ])
      return proposal
    })
  )
})

/**
 * Writes the proposed page. Page, version, audit events and the end of the proposal are one unit of work. Conflict,
 * with the proposal left open, when the path is taken or the page has changed.
 */
export const approveProposal = traced("proposals.approve")(function* (id: ProposalId, note?: string) {
  const proposal = yield* find(id)
  const { baseVersion, content, docId, path } = proposal
  if (proposal.status !== "open") return yield* new NotOpen({ status: proposal.status, what: "proposal" })
  const context = yield* Effect.context<Effect.Effect.Context<ReturnType<typeof approvedWithPage>>>()
  const alongside = approvedWithPage(proposal, note ?? null).pipe(
    Effect.mapError(() => new Conflict({ message: "The proposal was decided meanwhile." })),
    Effect.provide(context)
  )
  const saved =
    docId === null || baseVersion === null
      ? yield* createDocument({ path, content }, alongside)
      : yield* replaceDocument(docId, content, baseVersion, alongside).pipe(
          Effect.catchTag("NotFound", () =>
            Effect.fail(new Conflict({ message: "The page that it changes was deleted." }))
          )
        )
  return { proposal: yield* find(id), docId: saved.docId, version: saved.version }
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
