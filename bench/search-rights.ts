import { join } from "node:path"
import * as Effect from "effect/Effect"
import { withView } from "../core/platform/access/index.js"
import { Caller, type CallerShape, runOperation } from "../core/platform/kernel/index.js"
import { retrievalOperations } from "../core/search/retrieval/index.js"
import { updateWorkspace } from "../core/upkeep/maintenance/index.js"
import { type CorpusDocument, dataFolder, readQueries } from "./data.js"
import { compare, costOf, interleaved } from "./measure.js"
import { shuffled } from "./random.js"
import type { RunBench, Size } from "./result.js"
import { quantile } from "./statistics.js"
import { vaultAtSize } from "./vault-at-size.js"
import { addAsVault, learnVectors, withFolder } from "./workspace.js"

const documentsWanted: Readonly<Record<Size, number>> = { small: 200, default: 10_000, full: 10_000 }
const pairsWanted: Readonly<Record<Size, number>> = { small: 2, default: 20, full: 40 }
const warmUp: Readonly<Record<Size, number>> = { small: 1, default: 15, full: 15 }
const groupCount = 50
const queriesPerWindow = 40
/** Characters of a document, about two passages. */
const documentLength = 1300

/** Documents of which every other is open; each of the rest is for one of fifty groups. */
const materialOf = (count: number, seed: number): ReadonlyArray<CorpusDocument> | null => {
  const texts = vaultAtSize(count * 2.4, seed)
  if (texts === null) return null
  const parts = texts.flatMap(({ text, title }) =>
    Array.from({ length: Math.ceil(text.length / documentLength) }, (_, part) => ({
      title: `${title} ${part}`,
      text: text.slice(part * documentLength, (part + 1) * documentLength)
    }))
  )
  return shuffled(parts, seed)
    .slice(0, count)
    .map(({ text, title }, at) => ({
      id: at % 2 === 0 ? `open/${at}.md` : `group${((at - 1) / 2) % groupCount}/${at}.md`,
      title,
      text: `# ${title.replaceAll("\n", " ")}\n\n${text}\n`
    }))
}

/** Measures the same queries in turn for a caller whom lists of readers name, and for one who reads everything. */
export const searchRights: RunBench = async ({ report, say, seed, size, skip }) => {
  const documents = materialOf(documentsWanted[size], seed)
  if (documents === null) return skip(`no eips in ${dataFolder}`)
  const queries = shuffled(readQueries("eips"), seed).map(({ text }) => text)
  await withFolder(async (folder) => {
    const { workspace } = await addAsVault(documents, join(folder, "vault"), join(folder, "data"))
    await learnVectors(workspace)
    say(`${documents.length} documents, ${queries.length} queries`)
    const search = (groups: number | null) => (q: string) =>
      workspace.run(
        Effect.gen(function* () {
          const caller: CallerShape = yield* Caller
          const found = runOperation(retrievalOperations.search, { q, limit: 10 })
          if (groups === null) return yield* found
          const principals = Array.from({ length: groups }, (_, group) => `group:g${group}`)
          return yield* Effect.provideService(found, Caller, yield* withView({ ...caller, principals }))
        })
      )
    const measured = async (what: string, groups: number) => {
      const part = (window: number) =>
        Array.from(
          { length: queriesPerWindow },
          (_, i) => queries[(window * queriesPerWindow + i) % queries.length] ?? ""
        )
      const windowOf = (groups: number | null) => async (window: number) => {
        const costs = []
        for (const query of part(window)) costs.push(await costOf(() => search(groups)(query)))
        return costs
      }
      await interleaved(warmUp[size], windowOf(groups), windowOf(null))
      const pairs = await interleaved(pairsWanted[size], windowOf(groups), windowOf(null))
      for (const cost of ["cpuMs", "wallMs"] as const)
        for (const share of [0.5, 0.95])
          report({
            metric: `${what}, p${share * 100} ${cost === "cpuMs" ? "CPU" : "wall"}`,
            ...compare(pairs, (window) =>
              quantile(
                window.map((one) => one[cost]),
                share
              )
            ),
            unit: "ms",
            peer: "a caller who reads everything",
            ...(share === 0.5 && cost === "cpuMs" ? { target: "<= 1.2" } : {})
          })
    }
    await measured("no list", 1)
    const folders = Array.from({ length: groupCount }, (_, group) => ({
      path: `group${group}`,
      read: [`group:g${group}`]
    }))
    await workspace.run(runOperation(updateWorkspace, { access: { folders } }))
    await measured("of fifty groups one", 1)
    await measured("of fifty groups 25", groupCount / 2)
    await measured("of fifty groups 50", groupCount)
    const closed = [...folders, { path: "open", read: ["group:staff"] }]
    await workspace.run(runOperation(updateWorkspace, { access: { folders: closed } }))
    await measured("nothing open, of fifty groups one", 1)
    await measured("nothing open, of fifty groups ten", 10)
    await workspace.close()
  })
}
