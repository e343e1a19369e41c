import * as Effect from "effect/Effect"
import { GraphStore } from "../graph/index.js"
import { atomically, Caller, type DocumentId, numberMax } from "../kernel/index.js"
import type { GraphExaminer } from "./check-kinds.js"
import { indexingLag } from "./indexing-lag.js"
import { GraphInspection } from "./inspection.js"
import { type DocumentLinks, documentLinksOf } from "./link-mentions.js"
import { type ExtractionRecord, ExtractionRecordStore } from "./store.js"

/** Documents drawn again in one go. */
const documentsPerPage = 32

/** Looks for mentions and relations in every document again. Mending marks those that differ as to be drawn. */
export const checkDrawings = (examiner: GraphExaminer) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* ExtractionRecordStore, yield* Caller]
    for (let after = ""; ; ) {
      const page = yield* store.readingsAfter(workspace, after, documentsPerPage)
      const suspects = yield* differing(page)
      if (suspects.length > 0) {
        yield* settle(
          examiner,
          suspects.map(({ reading }) => reading.documentId)
        )
      }
      const last = page.at(-1)
      if (last === undefined || last.documentId === after) return
      after = last.documentId
      yield* Effect.sleep(0)
    }
  })

/** Judges suspects as a unit of work, in which nothing is drawn; what follows a change in a moment is no fault. */
const settle = (examiner: GraphExaminer, ids: ReadonlyArray<DocumentId>) =>
  atomically(
    Effect.gen(function* () {
      const [store, { workspace }] = [yield* ExtractionRecordStore, yield* Caller]
      if (!examiner.repair && (yield* indexingLag) !== "none") return
      const wrong = yield* differing(yield* store.readings(workspace, ids))
      for (const { mentions, reading, relations } of wrong) {
        if (mentions > 0)
          yield* examiner.tell("mentions_differ", {
            subject: reading.path,
            message: "the mentions of the document are not those that it has",
            count: mentions
          })
        if (relations > 0)
          yield* examiner.tell("relations_differ", {
            subject: reading.path,
            message: "the document carries other relations than it states",
            count: relations
          })
      }
      if (examiner.repair)
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
    const [graph, inspection, { workspace }] = [yield* GraphStore, yield* GraphInspection, yield* Caller]
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
          carried.map(({ dstId, label, ordinal, quote, srcId, type }) =>
            JSON.stringify([srcId, type, dstId, label, quote, ...(isPlace(ordinal) ? [] : [ordinal])])
          ),
          drawn
        ) + (entityId === reading.entityId ? 0 : 1)
    } satisfies Difference
  })

const isPlace = (ordinal: number): boolean =>
  Number.isInteger(ordinal) && ordinal >= 0 && ordinal <= numberMax

const mentionText = ({
  confidence,
  end,
  entityId,
  key,
  label,
  start
}: DocumentLinks["mentions"][number]): string =>
  JSON.stringify([label, start, end, entityId, key, confidence])

/** How many of either list the other does not have. */
const unlike = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  const counts = new Map<string, number>()
  for (const text of a) counts.set(text, (counts.get(text) ?? 0) + 1)
  for (const text of b) counts.set(text, (counts.get(text) ?? 0) - 1)
  return [...counts.values()].reduce((sum, count) => sum + Math.abs(count), 0)
}
