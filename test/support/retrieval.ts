import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { sqlPostingStore } from "../../adapters/sql/search/lexical/posting-store.js"
import { type Chunk, ChunkIndex } from "../../core/files/documents/index.js"
import { Ids, type WorkspaceScope } from "../../core/platform/kernel/index.js"
import { chunkIndex, segmentReader } from "../../core/search/lexical/index.js"
import type { IndexedChunk } from "../../core/search/segments/segment.js"
import { baseLayer } from "./run.js"

/** The lexical index over a database in memory. */
export const lexicalLayer = (cacheBytes?: number) =>
  chunkIndex.pipe(
    Layer.provideMerge(segmentReader(cacheBytes)),
    Layer.provideMerge(sqlPostingStore),
    Layer.provideMerge(baseLayer())
  )

export interface Text {
  readonly label: number
  readonly title: string
  readonly text: string
  readonly headingPath?: ReadonlyArray<string>
}

/** A chunk with the given text; all of a test's chunks belong to one made-up document. */
const chunkOf = ({ headingPath, label, text }: Text): Effect.Effect<Chunk, never, Ids> =>
  Effect.map(Ids, (ids) => ({
    id: ids.derive("chunk", `${label}`),
    documentId: ids.derive("document", "one"),
    label,
    ordinal: label,
    headingPath: headingPath ?? [],
    text,
    start: 0,
    end: text.length
  }))

/** Tells the lexical index of texts that came and labels that went. */
export const changeIndex = (
  workspace: WorkspaceScope,
  added: ReadonlyArray<Text>,
  removed: ReadonlyArray<number> = []
) =>
  Effect.gen(function* () {
    const index = yield* ChunkIndex
    const chunks = yield* Effect.forEach(added, (text) =>
      Effect.map(chunkOf(text), (chunk) => ({ chunk, title: text.title }))
    )
    yield* index.change(workspace, { removed, added: chunks })
  })

const term = fc.oneof(
  fc.constantFrom("a", "ab", "abc", "abd", "b", "東京", "京都", "\ud800", "\u0000", "zz"),
  fc.string({ unit: "binary", minLength: 1, maxLength: 12 })
)
const positions = fc
  .uniqueArray(fc.nat(300_000), { minLength: 1, maxLength: 6 })
  .map((places) => places.sort((a, b) => a - b))

/** Any term, lone surrogates and control characters too. */
export const anyTerm = term

/** Any chunks as a segment takes them, with labels that differ. */
export const anyIndexedChunks: fc.Arbitrary<ReadonlyArray<IndexedChunk>> = fc.uniqueArray(
  fc
    .record({
      label: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
      length: fc.nat(1000),
      tieKey: fc.nat(0xffffffff),
      places: fc.array(fc.tuple(term, positions), { maxLength: 40 }).map((pairs) => new Map(pairs))
    })
    .map(({ places, ...chunk }) => ({ ...chunk, ...occurrencesOf(places) })),
  { selector: ({ label }) => label, maxLength: 30 }
)

/** Terms and positions one after the other, as the text of a chunk has them. */
export const occurrencesOf = (places: ReadonlyMap<string, ReadonlyArray<number>>) => {
  const occurrences = [...places].flatMap(([found, at]) => at.map((position) => ({ found, position })))
  occurrences.sort((a, b) => a.position - b.position)
  return {
    terms: occurrences.map(({ found }) => found),
    positions: occurrences.map(({ position }) => position)
  }
}

/** Every term of a chunk with its positions. */
export const placesOf = ({
  positions,
  terms
}: Pick<IndexedChunk, "terms" | "positions">): ReadonlyMap<string, ReadonlyArray<number>> => {
  const places = new Map<string, Array<number>>()
  terms.forEach((found, i) => {
    places.set(found, [...(places.get(found) ?? []), positions[i] ?? -1])
  })
  return places
}
