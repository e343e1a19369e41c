import * as Effect from "effect/Effect"
import { atomically, Caller, type DocumentId } from "../../platform/kernel/index.js"
import { type ExtractionRecord, GraphStore } from "../graph/index.js"
import { indexingLag } from "./indexing-lag.js"
import type { GraphInspector } from "./inspection.js"
import { type DocumentLinks, documentLinksOf } from "./link-mentions.js"

const documentsPerPage = 32

/** Derives mentions and relations of every document again. A rebuild marks those that differ for the next extraction. */
export const inspectDrawings = (inspector: GraphInspector) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [(yield* GraphStore).records, yield* Caller]
    for (let after = ""; ; ) {
      const page = yield* store.readingsAfter(workspace, after, documentsPerPage)
      const suspects = yield* differing(page)
      if (suspects.length > 0) {
        yield* confirm(
          inspector,
          suspects.map(({ reading }) => reading.documentId)
        )
      }
      const last = page.at(-1)
      if (last === undefined || last.documentId === after) return
      after = last.documentId
      yield* Effect.sleep(0)
    }
  })

/** Confirms suspects in a transaction; what a pending extraction is about to update is no finding. */
const confirm = (inspector: GraphInspector, ids: ReadonlyArray<DocumentId>) =>
  atomically(
    Effect.gen(function* () {
      const [store, { workspace }] = [(yield* GraphStore).records, yield* Caller]
      if (!inspector.rebuild && (yield* indexingLag) !== "none") return
      const wrong = yield* differing(yield* store.readings(workspace, ids))
      for (const { mentions, reading, relations } of wrong) {
        if (mentions > 0)
          yield* inspector.report("mentions_differ", {
            subject: reading.path,
            message: "The stored mentions are not those in the document.",
            count: mentions
          })
        if (relations > 0)
          yield* inspector.report("relations_differ", {
            subject: reading.path,
            message: "The stored relations are not those that the document states.",
            count: relations
          })
      }
      if (inspector.rebuild)
        yield* store.markStale(
          workspace,
          wrong.map(({ reading }) => reading.documentId)
        )
    })
  )

interface Difference {
  readonly reading: ExtractionRecord
  readonly mentions: number
  readonly relations: number
}

const differing = (readings: ReadonlyArray<ExtractionRecord>) =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const drawings = yield* documentLinksOf(workspace, readings)
    const compared = yield* Effect.forEach(drawings, compare)
    return compared.filter(({ mentions, relations }) => mentions + relations > 0)
  })

const compare = ({ entityId, mentions, reading, relations }: DocumentLinks) =>
  Effect.gen(function* () {
    const [graph, inspection, { workspace }] = [
      yield* GraphStore,
      (yield* GraphStore).inspection,
      yield* Caller
    ]
    const { documentId } = reading
    const page = { limit: Number.MAX_SAFE_INTEGER, offset: 0 }
    const stored = yield* graph.mentions(workspace, { documentId }, page)
    const carried = yield* inspection.evidence(workspace, documentId)
    const drawn = relations.flatMap(({ dstId, evidence, srcId, type }) =>
      evidence.map(({ label, quote }) => JSON.stringify([srcId, type, dstId, label, quote]))
    )
    return {
      reading,
      mentions: unlike(
        stored.items.map((one) => mentionText(one)),
        mentions.map((one) => mentionText(one))
      ),
      relations:
        unlike(
          carried.map(({ dstId, label, quote, srcId, type }) =>
            JSON.stringify([srcId, type, dstId, label, quote])
          ),
          drawn
        ) + (entityId === reading.entityId ? 0 : 1)
    } satisfies Difference
  })

const mentionText = ({
  confidence,
  end,
  entityId,
  key,
  label,
  start
}: DocumentLinks["mentions"][number]): string =>
  JSON.stringify([label, start, end, entityId, key, confidence])

/** The number of items that only one of the lists has. */
const unlike = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  const counts = new Map<string, number>()
  for (const text of a) counts.set(text, (counts.get(text) ?? 0) + 1)
  for (const text of b) counts.set(text, (counts.get(text) ?? 0) - 1)
  return [...counts.values()].reduce((sum, count) => sum + Math.abs(count), 0)
}
