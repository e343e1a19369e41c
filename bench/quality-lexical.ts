import { fts5Peer } from "./peers/fts5.js"
import { packagePeers } from "./peers/packages.js"
import type { Peer, Rank } from "./peers/peer.js"
import { plainBm25Peer } from "./peers/plain-bm25.js"
import { postgresPeer } from "./peers/postgres.js"
import { depth, onEveryCorpus, reportQuality, type System } from "./quality.js"
import { lexicalSystem } from "./quality-systems.js"
import type { BenchContext, RunBench } from "./result.js"

const peers: ReadonlyArray<Peer> = [plainBm25Peer, fts5Peer, ...packagePeers, postgresPeer]

/** A peer over the very passages that ours has. */
export const systemOf = (name: string, rank: Rank): System => ({
  name,
  rank: async ({ docIdOf, passages }, queries) => {
    const rows = passages.map(({ docTitle, headingPath, text }) => ({
      title: docTitle,
      text: [...headingPath, text].join("\n")
    }))
    const labels = passages.map(({ label }) => label)
    const found = await rank(rows, queries, depth)
    return found.map((list) => list.map(({ row, score }) => ({ id: docIdOf(labels[row] ?? 0), score })))
  }
})

/** The peers that are at hand. */
export const loaded = async (
  { skip }: BenchContext,
  peers: ReadonlyArray<Peer>
): Promise<ReadonlyArray<System>> => {
  const systems: Array<System> = []
  for (const { load, name } of peers) {
    try {
      systems.push(systemOf(name, await load()))
    } catch (error) {
      skip(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return systems
}

export const qualityLexical: RunBench = async (context) => {
  const systems = await loaded(context, peers)
  for (const form of ["whole", "passages"] as const) {
    const judged = await onEveryCorpus(context, form, [lexicalSystem, ...systems])
    reportQuality(context, form, judged, {
      ours: lexicalSystem.name,
      peers: systems.map(({ name }) => name),
      target: (metric, _peer, where) => {
        if (where === "mean") return metric === "MRR" ? undefined : ">= 1"
        return metric === "nDCG@10" ? ">= 0.97" : undefined
      }
    })
  }
}
