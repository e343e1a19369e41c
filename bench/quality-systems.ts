import type { Scored } from "../core/answers/measures/index.js"
import { analyseQuery } from "../core/language/tokenization/index.js"
import { lexicalSearch } from "../core/search/lexical/search.js"
import { retrieve } from "../core/search/retrieval/index.js"
import type { ScoredLabel } from "../core/search/vectors/index.js"
import { depth, type System } from "./quality.js"
import type { BenchWorkspace } from "./workspace.js"

export type Hits = ReadonlyArray<ScoredLabel>

/** A system that is asked of the workspace, one query after another. */
export const systemBy = (
  name: string,
  hitsOf: (workspace: BenchWorkspace, query: string) => Promise<Hits>
): System => ({
  name,
  rank: async ({ docIdOf, workspace }, queries) => {
    const found: Array<ReadonlyArray<Scored>> = []
    for (const query of queries) {
      const hits = await hitsOf(workspace, query)
      found.push(hits.map(({ label, score }) => ({ id: docIdOf(label), score })))
    }
    return found
  }
})

/** The engine's own search with its defaults. */
const searched = async ({ run, scope }: BenchWorkspace, query: string, limit: number) => {
  const { passages } = await run(retrieve(scope, { query, limit, rerank: false }))
  return passages.map(({ passage, score }) => ({ label: passage.label, docPath: passage.docPath, score }))
}

/** The search of a workspace without vectors: the lexical channel alone. */
export const lexicalSystem = systemBy("Kanon", (workspace, query) => searched(workspace, query, depth))

/** The fused list, far enough for a hundred documents of several passages. */
export const recipe = systemBy("Kanon", (workspace, query) => searched(workspace, query, 4 * depth))

/** The lexical channel without what comes behind it. */
export const lexicalResult = ({ run, scope }: BenchWorkspace, query: string) =>
  run(lexicalSearch(scope, analyseQuery(query), { limit: depth }))
