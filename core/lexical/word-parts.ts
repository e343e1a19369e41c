import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../kernel/index.js"
import type { OpenIndex, SegmentGone, SegmentReader, TermLists } from "../segments/index.js"
import { type AnalysedQuery, analyseForIndex, foldRun } from "../tokenization/index.js"
import { type Substitute, substitutesOf } from "./spelling-correction.js"

type Reader = Context.Tag.Service<SegmentReader>

const unknownMax = 3
const partLettersMin = 3
/** Longer words are not taken apart. */
const lettersMax = 24

/**
 * Returns the two words that a word of the query is made of (`gearbox` of `gear` and `box`), for words which no live
 * chunk holds: the split whose rarer part is in most chunks.
 *
 * @param found Query terms that already matched.
 */
export const wordParts = (
  workspace: WorkspaceScope,
  reader: Reader,
  index: OpenIndex,
  query: AnalysedQuery,
  found: ReadonlySet<string>
): Effect.Effect<ReadonlyArray<Substitute>, SegmentGone> => {
  const unknown = query.words.flatMap(({ surface, term }) => {
    const word = foldRun(surface)
    const fits = word.length >= 2 * partLettersMin && word.length <= lettersMax && /^\p{L}+$/u.test(word)
    return found.has(term) || !fits ? [] : [{ term, word }]
  })
  if (unknown.length === 0 || unknown.length > unknownMax) return Effect.succeed([])
  return Effect.map(
    Effect.forEach(unknown, ({ term, word }) =>
      Effect.map(bestSplit(workspace, reader, index, word), (parts) => substitutesOf(query, term, parts))
    ),
    (lists) => lists.flat()
  )
}

const bestSplit = (workspace: WorkspaceScope, reader: Reader, index: OpenIndex, word: string) =>
  Effect.gen(function* () {
    const splits: Array<readonly [string, string]> = []
    for (let at = partLettersMin; at + partLettersMin <= word.length; at++) {
      const [head, tail] = [termOf(word.slice(0, at)), termOf(word.slice(at))]
      if (head !== null && tail !== null) splits.push([head, tail])
    }
    const terms = [...new Set(splits.flat())]
    const read = yield* reader.lists(workspace, index, terms)
    const listOf = new Map(terms.map((term, i) => [term, read[i]]))
    const rarer = (split: readonly [string, string]): number =>
      Math.min(...split.map((term) => listOf.get(term)?.frequency ?? 0))
    const [best] = splits.filter((split) => rarer(split) > 0).sort((a, b) => rarer(b) - rarer(a))
    return (best ?? []).flatMap((term): ReadonlyArray<{ term: string; lists: TermLists }> => {
      const lists = listOf.get(term)
      return lists === undefined ? [] : [{ term, lists }]
    })
  })

/** Returns the term of a content word; null for anything else. */
const termOf = (word: string): string | null => {
  const [token, ...others] = analyseForIndex(word)
  return token?.kind === "word" && others.length === 0 ? token.term : null
}
