import type { Scored } from "../core/answers/measures/index.js"
import { retrieve } from "../core/search/retrieval/index.js"
import { depth, type System } from "./quality.js"

/** The engine's own search with its defaults. */
export const recipe: System = {
  name: "Kanon",
  rank: async ({ docIdOf, workspace }, queries) => {
    const found: Array<ReadonlyArray<Scored>> = []
    for (const query of queries) {
      // The fused list, far enough for a hundred documents of several passages.
      const request = { query, limit: 4 * depth, rerank: false }
      const { passages } = await workspace.run(retrieve(workspace.scope, request))
      found.push(passages.map(({ passage, score }) => ({ id: docIdOf(passage.label), score })))
    }
    return found
  }
}
