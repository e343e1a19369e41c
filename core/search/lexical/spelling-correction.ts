import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type Spelling, spellingOf } from "../../language/tokenization/index.js"
import type { WorkspaceScope } from "../../platform/kernel/index.js"
import { blocksUnder, eachTermUnder, type OpenIndex, type SegmentReader } from "../segments/index.js"

/** An open index and what reads it. */
export interface IndexSource {
  readonly workspace: WorkspaceScope
  readonly reader: Context.Tag.Service<SegmentReader>
  readonly index: OpenIndex
}

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

/**
 * Returns a search for the terms that a misspelled word may stand for: those with the smallest edit distance and, of
 * these, those in most chunks. Null when the word cannot be corrected.
 */
export const spellingCorrections = (word: string) => {
  const spelling = spellingOf(word)
  return spelling === null ? null : (source: IndexSource) => correctionsOf(source, spelling)
}

const correctionsOf = Effect.fnUntraced(function* (
  { index, reader, workspace }: IndexSource,
  spelling: Spelling
) {
  const slipsOf = new Map<string, number | null>()
  const { blocks, heads } = candidateBlocks(index, spelling)
  for (const [info, indexes] of blocks)
    for (const block of yield* reader.blocks(workspace, info, indexes))
      for (const head of heads)
        eachTermUnder(block, head, (term) => {
          if (!slipsOf.has(term)) slipsOf.set(term, spelling.slips(term))
        })
  const near = [...slipsOf]
    .flatMap(([term, slips]) => (slips === null ? [] : [{ term, slips }]))
    .sort((a, b) => a.slips - b.slips || (a.term < b.term ? -1 : 1))
    .slice(0, nearMax)
  const lists = yield* reader.lists(
    workspace,
    index,
    near.map(({ term }) => term)
  )
  const indexedTerms = near.flatMap(({ slips, term }, i) => {
    const frequency = lists[i]?.frequency ?? 0
    return frequency === 0 ? [] : [{ term, slips, frequency }]
  })
  const [least] = indexedTerms
  return indexedTerms
    .filter(({ slips }) => slips === least?.slips)
    .sort((a, b) => b.frequency - a.frequency || (a.term < b.term ? -1 : 1))
    .slice(0, correctionsMax)
    .map(({ term }) => term)
})

/** Returns the blocks whose terms may begin like the word, and these beginnings. */
const candidateBlocks = ({ segments }: OpenIndex, { heads }: Spelling) => {
  for (let letters = 1; ; letters++) {
    const prefixes = heads(letters)
    const blocks = segments.map(({ directory, info }) => [info, blocksUnder(directory, prefixes)] as const)
    const count = blocks.reduce((sum, [, { length }]) => sum + Math.max(0, length - 1), 0)
    if (count <= blocksMax || letters === headLettersMax) return { blocks, heads: prefixes }
  }
}
