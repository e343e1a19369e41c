import * as Effect from "effect/Effect"
import type { Passage } from "../../files/documents/index.js"
import type { Ids, WorkspaceScope } from "../../platform/kernel/index.js"
import type { Disagreement } from "../conflicts/index.js"
import type { CorpusStatement } from "./document-statements.js"
import type { ContradictionSide, StoredContradiction } from "./model.js"
import { ContradictionStore } from "./store.js"

/** Two sides as they are kept, and which of the pairs that were found are not known yet. */

export const pageSide = (passage: Passage, quote: string, value: string): ContradictionSide => ({
  docId: passage.documentId,
  docPath: passage.docPath,
  chunkId: passage.id,
  quote,
  value,
  standing: passage.docVerification,
  at: passage.docUpdatedAt
})

export const sideOf = ({ passage, statement }: CorpusStatement, value: string): ContradictionSide =>
  pageSide(passage, statement.quote, value)

export const isRow = (side: ContradictionSide): boolean => "dataCallId" in side

export const newContradiction = (
  ids: Ids["Type"],
  { attribute, kind, subject }: Pick<Disagreement, "attribute" | "kind" | "subject">,
  sides: ReadonlyArray<ContradictionSide>,
  firstSeenAt: string
): StoredContradiction => ({
  id: ids.make("contradiction"),
  kind,
  subject,
  attribute,
  sides: [...sides],
  status: "open",
  reason: null,
  settledBy: null,
  firstSeenAt,
  pairKey: ids.sha256(JSON.stringify(sides.map(keyOf).sort()))
})

/** What a row says beside the value changes without touching the pair. */
const keyOf = (side: ContradictionSide): string =>
  ("docId" in side ? [side.docId, side.quote, side.value] : [side.queryId, side.about, side.value]).join("\n")

/** Returns the pairs that are to be saved: new ones, and those that ended without a person and are there again. */
export const unknownOf = (workspace: WorkspaceScope, found: ReadonlyArray<StoredContradiction>) =>
  Effect.gen(function* () {
    const byKey = new Map(found.map((one) => [one.pairKey, one]))
    const earlier = yield* (yield* ContradictionStore).byKeys(workspace, [...byKey.keys()])
    for (const { id, firstSeenAt, pairKey, settledBy, status } of earlier) {
      const again = byKey.get(pairKey)
      if (again === undefined) continue
      // What people said of it stays, as long as both sides say what they said.
      if (settledBy === null && status !== "open") byKey.set(pairKey, { ...again, id, firstSeenAt })
      else byKey.delete(pairKey)
    }
    return [...byKey.values()]
  })
