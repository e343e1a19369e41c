import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../kernel/index.js"
import {
  blockOf,
  EntryReader,
  type OpenIndex,
  type OpenSegment,
  type SegmentGone,
  type SegmentReader,
  type TermLists
} from "../segments/index.js"
import { type AnalysedQuery, type Spelling, spellingOf } from "../tokenization/index.js"

/** A query with more unknown words is in another language or off topic; it is not corrected. */
const unknownMax = 3
/** Maximum number of corrections of one word. */
const correctionsMax = 3
/** Maximum number of similar terms whose frequency is read. */
const nearMax = 200
/**
 * Maximum number of blocks read for one word, besides one per segment: milliseconds. Beyond it, a longer prefix must
 * agree.
 */
const blocksMax = 32
const headLettersMax = 4

/** Number of words whose corrections are cached with each open index. */
const rememberedMax = 1000

type Reader = Context.Tag.Service<SegmentReader>

/** Corrections by word, for each state of the index. */
const remembered = new WeakMap<OpenIndex, Map<string, ReadonlyArray<string>>>()

/** An index term that stands for a word of the query without a live chunk. */
export interface Substitute {
  readonly term: string
  /** The term of the query. */
  readonly of: string
  readonly lists: TermLists
  /** Number of occurrences in the query. */
  readonly count: number
  /** Upper bound of live chunks with any of the word's substitutes, which share its weight. */
  readonly frequency: number
}

/**
 * Returns the index terms that misspelled words of the query may stand for, when no live chunk holds them: those with
 * the smallest edit distance and, of these, those in most chunks.
 *
 * @param found Query terms that already matched.
 */
export const spellingCorrections = (
  workspace: WorkspaceScope,
  reader: Reader,
  index: OpenIndex,
  query: AnalysedQuery,
  found: ReadonlySet<string>
): Effect.Effect<ReadonlyArray<Substitute>, SegmentGone> => {
  const unknown = query.words.filter(({ term }) => !found.has(term))
  const spelt = unknown.flatMap(({ surface, term }) => {
    const spelling = spellingOf(surface)
    return spelling === null ? [] : [{ spelling, surface, term }]
  })
  if (spelt.length === 0 || spelt.length > unknownMax) return Effect.succeed([])
  return Effect.map(
    Effect.forEach(spelt, ({ spelling, surface, term }) =>
      Effect.map(nearest(workspace, reader, index, surface, spelling), (corrections) =>
        substitutesOf(query, term, corrections)
      )
    ),
    (lists) => lists.flat()
  )
}

/** Returns the index terms that stand for a term of the query. */
export const substitutesOf = (
  query: AnalysedQuery,
  of: string,
  found: ReadonlyArray<Pick<Substitute, "lists" | "term">>
): ReadonlyArray<Substitute> => {
  const count = query.terms.find(({ term }) => term === of)?.count ?? 1
  const frequency = found.reduce((sum, { lists }) => sum + lists.frequency, 0)
  return found.map(({ lists, term }) => ({ term, of, lists, count, frequency }))
}

const nearest = (
  workspace: WorkspaceScope,
  reader: Reader,
  index: OpenIndex,
  word: string,
  spelling: Spelling
) =>
  Effect.gen(function* () {
    const known = remembered.get(index) ?? new Map<string, ReadonlyArray<string>>()
    remembered.set(index, known)
    const corrections = known.get(word) ?? (yield* findCorrections(workspace, reader, index, spelling))
    if (known.size >= rememberedMax) known.clear()
    known.set(word, corrections)
    const lists = yield* reader.lists(workspace, index, corrections)
    return corrections.flatMap((term, i) => {
      const found = lists[i]
      return found === undefined ? [] : [{ term, lists: found }]
    })
  })

const findCorrections = (workspace: WorkspaceScope, reader: Reader, index: OpenIndex, spelling: Spelling) =>
  Effect.gen(function* () {
    const slipsOf = new Map<string, number>()
    const { blocks, heads } = candidateBlocks(index, spelling)
    for (const [segment, indexes] of blocks) {
      const read = yield* reader.blocks(workspace, segment.info, indexes)
      for (const block of read)
        for (const entries = new EntryReader(block); entries.next(); ) {
          const { term } = entries
          if (!heads.some((head) => term.startsWith(head))) continue
          const slips = spelling.slips(term)
          if (slips !== null) slipsOf.set(term, slips)
        }
    }
    const near = [...slipsOf]
      .sort(([a, slipsA], [b, slipsB]) => slipsA - slipsB || (a < b ? -1 : 1))
      .slice(0, nearMax)
    const lists = yield* reader.lists(
      workspace,
      index,
      near.map(([term]) => term)
    )
    const held = near.flatMap(([term, slips], i) => {
      const frequency = lists[i]?.frequency ?? 0
      return frequency === 0 ? [] : [{ term, slips, frequency }]
    })
    const [least] = held
    return held
      .filter(({ slips }) => slips === least?.slips)
      .sort((a, b) => b.frequency - a.frequency || (a.term < b.term ? -1 : 1))
      .slice(0, correctionsMax)
      .map(({ term }) => term)
  })

/** Returns the blocks whose terms may begin like the word. */
const candidateBlocks = ({ segments }: OpenIndex, { heads }: Spelling) => {
  for (let letters = 1; ; letters++) {
    const prefixes = heads(letters)
    const blocks = segments.map((segment) => [segment, blocksUnder(segment, prefixes)] as const)
    const count = blocks.reduce((sum, [, { length }]) => sum + Math.max(0, length - 1), 0)
    if (count <= blocksMax || letters === headLettersMax) return { blocks, heads: prefixes }
  }
}

/** Returns the blocks whose terms may begin with one of these. */
export const blocksUnder = (
  { directory }: OpenSegment,
  heads: ReadonlyArray<string>
): ReadonlyArray<number> => {
  const blocks = new Set<number>()
  for (const head of heads) {
    const last = blockOf(directory, `${head}\uffff`)
    for (let block = Math.max(0, blockOf(directory, head)); block <= last; block++) blocks.add(block)
  }
  return [...blocks]
}
