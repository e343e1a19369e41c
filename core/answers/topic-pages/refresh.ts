import * as Effect from "effect/Effect"
import { DocumentStore, type ProposedDocument } from "../../files/documents/index.js"
import { changedSources, outdateProposal } from "../../files/proposals/index.js"
import { Caller, traced } from "../../platform/kernel/index.js"
import { compileTopic } from "./compile.js"

/** Proposals and pages that are looked at; older ones wait until these are decided. */
const pagesMax = 1_000

/** Returns the open proposals and approved pages of which a source changed, with the changed sources. */
const outdatedPages = Effect.gen(function* () {
  const [proposals, documents, { workspace }] = [
    (yield* DocumentStore).proposals,
    yield* DocumentStore,
    yield* Caller
  ]
  const filter = { statuses: ["open", "approved"] } as const
  const { items } = yield* proposals.list(workspace, filter, { limit: pagesMax, offset: 0 })
  const ids = new Set(items.flatMap(({ docId, sources }) => [...sources.map((one) => one.docId), docId]))
  const rows = yield* documents.findMany(
    workspace,
    [...ids].flatMap((id) => id ?? [])
  )
  return items.flatMap((proposal) => {
    const changed = changedSources(proposal.sources, rows)
    return changed.length === 0 ? [] : [{ proposal, changed, rows }]
  })
})

/** Whether a source of a proposed or approved page changed. */
export const hasOutdatedPages = Effect.map(outdatedPages, (found) => found.length > 0)

/**
 * Marks proposals and pages whose sources changed as stale, and proposes each of them as it would be written now. A
 * page that was deleted is not proposed again. Returns how many became stale.
 */
export const refreshTopicPages = traced("topicPages.refresh")(function* () {
  const found = yield* outdatedPages
  let count = 0
  for (const { changed, proposal, rows } of found) {
    const names = new Map(rows.map(({ id, path }) => [id, path]))
    const why = `Changed: ${changed.map((id) => names.get(id) ?? id).join(", ")}.`.slice(0, 4000)
    const page = rows.find(({ id }) => id === proposal.docId)
    const isGone = page !== undefined && page.deletedAt !== null
    const again = isGone ? outdateProposal(proposal, why) : compiledAgain(proposal, page?.path, why)
    // A person decided at the same moment.
    count += yield* again.pipe(
      Effect.as(1),
      Effect.catchTag("NotOpen", () => Effect.succeed(0))
    )
  }
  return count
})

const compiledAgain = (proposal: ProposedDocument, path: string | undefined, why: string) =>
  compileTopic({ topic: proposal.topic, path: path ?? proposal.path, note: why }, { proposal, why }).pipe(
    // Nothing is known of the topic any more: there is no new page.
    Effect.catchTags({
      InvalidInput: () => outdateProposal(proposal, why),
      NotFound: () => outdateProposal(proposal, why)
    })
  )
