import * as Effect from "effect/Effect"
import { analyseForIndex } from "../../language/tokenization/index.js"
import type { WorkspaceScope } from "../../platform/kernel/index.js"
import { phraseLabels } from "../lexical/index.js"

/** Longer queries are not treated as phrases. */
const phraseWordsMax = 64

/**
 * Returns the only passage that contains the query's words consecutively; null when none or several do. Stop words
 * count by their position.
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

/** Gives the only exact phrase match the maximum boost, so that nothing ranks before it. */
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
