import * as Effect from "effect/Effect"
import { type AnalysedQuery, analyseForIndex, foldRun } from "../../language/tokenization/index.js"
import {
  blocksUnder,
  eachTermUnder,
  type OpenIndex,
  type SegmentGone,
  type TermLists
} from "../segments/index.js"
import { type IndexSource, spellingCorrections } from "./spelling-correction.js"

/** An index term that stands for a word of the query without a live chunk. */
interface Substitute {
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
 * Maximum number of unknown words of a query that get substitutes: a query with more is in another language or off
 * topic.
 */
const unknownMax = 3

/** Number of searches whose terms are cached with each open index. */
const rememberedMax = 1000

/** Terms by search and word, for each state of the index. */
const remembered = new WeakMap<OpenIndex, Map<string, ReadonlyArray<string>>>()

/**
 * Returns the index terms that stand for the words of the query which no live chunk holds: those that begin with the
 * word, else its spelling corrections, else its two parts.
 *
 * @param found Query terms that already matched.
 */
export const substitutesFor = Effect.fnUntraced(function* (
  source: IndexSource,
  query: AnalysedQuery,
  found: ReadonlySet<string>
) {
  const { index, reader, workspace } = source
  const substitutes: Array<Substitute> = []
  let unknown = query.words.flatMap(({ surface, term }) => {
    const word = found.has(term) ? "" : foldRun(surface)
    return isLetters(word) ? [{ term, word }] : []
  })
  const known = remembered.get(index) ?? new Map<string, ReadonlyArray<string>>()
  remembered.set(index, known)
  for (const [kind, searchFor] of [prefixMatches, spellingCorrections, wordParts].entries()) {
    const searches = unknown.flatMap(({ term, word }) => {
      const search = searchFor(word)
      return search === null ? [] : [{ key: `${kind} ${word}`, of: term, search }]
    })
    if (searches.length > unknownMax) continue
    for (const { key, of, search } of searches) {
      const terms = known.get(key) ?? (yield* search(source))
      if (known.size >= rememberedMax) known.clear()
      known.set(key, terms)
      const read = yield* reader.lists(workspace, index, terms)
      const count = query.terms.find(({ term }) => term === of)?.count ?? 1
      const frequency = read.reduce((sum, lists) => sum + lists.frequency, 0)
      read.forEach((lists, i) => {
        substitutes.push({ term: terms[i] ?? "", of, lists, count, frequency })
      })
    }
    unknown = unknown.filter(({ term }) => substitutes.every(({ of }) => of !== term))
  }
  return substitutes
})

/** Returns a search for the terms that may stand for a folded word; null when the word is not of the right form. */
type SubstituteSearch = (
  word: string
) => ((source: IndexSource) => Effect.Effect<ReadonlyArray<string>, SegmentGone>) | null

const isLetters = (word: string): boolean => /^\p{L}+$/u.test(word)

const prefixLettersMin = 3
/** Maximum number of blocks read for one word: milliseconds. */
const blocksMax = 32
/** Maximum number of terms whose frequency is read, the shortest first, and of those that are used. */
const readMax = 200
const usedMax = 8

/** Finds the terms that begin with the word (`auth` finds `authentication`), those in most chunks first. */
const prefixMatches: SubstituteSearch = (word) =>
  word.length < prefixLettersMin
    ? null
    : ({ index, reader, workspace }) =>
        Effect.gen(function* () {
          const terms = new Set<string>()
          for (const { directory, info } of index.segments) {
            const blocks = blocksUnder(directory, [word]).slice(0, blocksMax)
            for (const block of yield* reader.blocks(workspace, info, blocks))
              eachTermUnder(block, word, (term) => {
                if (isLetters(term)) terms.add(term)
              })
          }
          const read = [...terms].sort((a, b) => a.length - b.length || (a < b ? -1 : 1)).slice(0, readMax)
          const lists = yield* reader.lists(workspace, index, read)
          return read
            .flatMap((term, i) => {
              const frequency = lists[i]?.frequency ?? 0
              return frequency === 0 ? [] : [{ term, frequency }]
            })
            .sort((a, b) => b.frequency - a.frequency || (a.term < b.term ? -1 : 1))
            .slice(0, usedMax)
            .map(({ term }) => term)
        })

const partLettersMin = 3
/** Longer words are not taken apart. */
const partedLettersMax = 24

/**
 * Finds the two words that the word is made of (`gearbox` of `gear` and `box`): the split whose rarer part is in most
 * chunks.
 */
const wordParts: SubstituteSearch = (word) =>
  word.length < 2 * partLettersMin || word.length > partedLettersMax
    ? null
    : ({ index, reader, workspace }) => {
        const splits: Array<readonly [string, string]> = []
        for (let at = partLettersMin; at + partLettersMin <= word.length; at++) {
          const [head, tail] = [wordTermOf(word.slice(0, at)), wordTermOf(word.slice(at))]
          if (head !== null && tail !== null) splits.push([head, tail])
        }
        const terms = [...new Set(splits.flat())]
        return Effect.map(reader.lists(workspace, index, terms), (lists) => {
          const frequencies = new Map(terms.map((term, i) => [term, lists[i]?.frequency ?? 0]))
          const rarer = (split: readonly [string, string]): number =>
            Math.min(...split.map((term) => frequencies.get(term) ?? 0))
          const [best] = splits.filter((split) => rarer(split) > 0).sort((a, b) => rarer(b) - rarer(a))
          return best ?? []
        })
      }

/** Returns the term of a content word; null for anything else. */
const wordTermOf = (word: string): string | null => {
  const [token, ...others] = analyseForIndex(word)
  return token?.kind === "word" && others.length === 0 ? token.term : null
}
