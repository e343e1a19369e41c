// A bar for search quality in CI: judged questions against the workspace, an nDCG below the bar fails the build.
import { ndcg, rank } from "kanon/evaluation"
import { createEngine } from "kanon/sqlite"
import { makeVault } from "./vault.mjs"

/** Which document answers, as a person judged it: 3 is right, 1 is near. */
const judged = [
  { question: "wind limit of the quay", grades: new Map([["quay.md", 3]]) },
  { question: "where does the pilot board", grades: new Map([["pilot.md", 3]]) },
  {
    question: "Big Blue",
    grades: new Map([
      ["crane.md", 3],
      ["quay.md", 1]
    ])
  }
]
const bar = 0.9

const engine = await createEngine({ vault: makeVault() })
await engine.ingest()
let sum = 0
for (const { grades, question } of judged) {
  const { results } = await engine.search(question, { limit: 10 })
  // Passages are ranked, documents are judged: a document counts where its best passage stands.
  const best = new Map(results.toReversed().map(({ docPath, score }) => [docPath, score]))
  const run = rank([...best].map(([id, score]) => ({ id, score })))
  sum += ndcg(run, grades, { depth: 10 })
}
await engine.close()
const mean = sum / judged.length
console.log(mean >= bar ? "the bar is held" : `nDCG@10 is ${mean.toFixed(3)}, the bar ${bar}`)
process.exitCode = mean >= bar ? 0 : 1
// Prints:
// the bar is held
