import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../kernel/index.js"
import { phraseLabels } from "../lexical/index.js"
import { analyseForIndex } from "../tokenization/index.js"

/** Longer ones are no phrase that stands in a text. */
const phraseWordsMax = 64

/**
 * The one passage that holds the words of a query as they stand there, one after the other; null where none or
 * several do. Words that say nothing count by the room that they take.
 */
export const uniquePhraseMatch = Effect.fnUntraced(function* (
  workspace: WorkspaceScope,
  query: string,
  { allow, stamp }: { readonly allow?: ReadonlySet<number>; readonly stamp: string | null }
) {
  const tokens = analyseForIndex(query)
  const topical = tokens.filter(({ kind }) => kind === "word")
  const words = topical.length > 0 ? topical : tokens.filter(({ kind }) => kind === "stop")
  if (words.length === 0 || words.length > phraseWordsMax) return null
  const first = words[0]?.position ?? 0
  const labels = yield* phraseLabels(
    workspace,
    words.map(({ position, term }) => ({ term, position: position - first })),
    stamp
  )
  const holders = allow === undefined ? labels : labels.filter((label) => allow.has(label))
  return holders.length === 1 ? (holders[0] ?? null) : null
})

/** Whoever alone holds what is sought is lifted as much as anything can be: nothing behind it gets before it. */
export const pin = <Governed extends Ranked>(
  governed: ReadonlyArray<Governed>,
  label: number,
  most: number
): ReadonlyArray<Governed> =>
  governed
    .map((one) => (one.passage.label === label ? { ...one, score: one.fused.score * most } : one))
    .sort((a, b) => b.score - a.score)

interface Ranked {
  readonly passage: { readonly label: number }
  readonly fused: { readonly score: number }
  readonly score: number
}
