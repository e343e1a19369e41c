import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../kernel/index.js"
import { EntryReader, type OpenIndex, type SegmentGone, type SegmentReader } from "../segments/index.js"
import { type AnalysedQuery, foldRun } from "../tokenization/index.js"
import { blocksUnder, type Substitute, substitutesOf } from "./spelling-correction.js"

type Reader = Context.Tag.Service<SegmentReader>

/** A query with more unknown words is in another language or off topic; it is not completed. */
const unknownMax = 3
const lettersMin = 3
/** Maximum number of blocks read for one word: milliseconds. */
const blocksMax = 32
/** Maximum number of terms whose frequency is read, the shortest first, and of those that are used. */
const readMax = 200
const usedMax = 8

/**
 * Returns the index terms that begin with a word of the query which no live chunk holds (`auth` finds
 * `authentication`), those in most chunks first.
 *
 * @param found Query terms that already matched.
 */
export const prefixMatches = (
  workspace: WorkspaceScope,
  reader: Reader,
  index: OpenIndex,
  query: AnalysedQuery,
  found: ReadonlySet<string>
): Effect.Effect<ReadonlyArray<Substitute>, SegmentGone> => {
  const unknown = query.words.flatMap(({ surface, term }) => {
    const prefix = foldRun(surface)
    return found.has(term) || prefix.length < lettersMin || !/^\p{L}+$/u.test(prefix)
      ? []
      : [{ prefix, term }]
  })
  if (unknown.length === 0 || unknown.length > unknownMax) return Effect.succeed([])
  return Effect.map(
    Effect.forEach(unknown, ({ prefix, term }) =>
      Effect.map(termsUnder(workspace, reader, index, prefix), (terms) => substitutesOf(query, term, terms))
    ),
    (lists) => lists.flat()
  )
}

const termsUnder = (workspace: WorkspaceScope, reader: Reader, index: OpenIndex, prefix: string) =>
  Effect.gen(function* () {
    const terms = new Set<string>()
    for (const segment of index.segments) {
      const blocks = blocksUnder(segment, [prefix]).slice(0, blocksMax)
      for (const block of yield* reader.blocks(workspace, segment.info, blocks))
        for (const entries = new EntryReader(block); entries.next(); )
          if (entries.term.startsWith(prefix) && /^\p{L}+$/u.test(entries.term)) terms.add(entries.term)
    }
    const read = [...terms].sort((a, b) => a.length - b.length || (a < b ? -1 : 1)).slice(0, readMax)
    const lists = yield* reader.lists(workspace, index, read)
    return read
      .flatMap((term, i) => {
        const list = lists[i]
        return list === undefined || list.frequency === 0 ? [] : [{ term, lists: list }]
      })
      .sort((a, b) => b.lists.frequency - a.lists.frequency || (a.term < b.term ? -1 : 1))
      .slice(0, usedMax)
  })
