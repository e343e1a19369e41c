import { stemmer } from "stemmer"
import { stopWords } from "../../core/language/tokenization/stop-words.js"
import { type FoundRow, type Peer, type PeerRow, titleWeight, wordsOf } from "./peer.js"

const [k1, b] = [1.2, 0.75]

/** Stems of the words that are no stop words. */
const stemsOf = (text: string): ReadonlyArray<string> =>
  wordsOf(text).flatMap((word) => (stopWords.has(word) ? [] : [stemmer(word)]))

/** The least a BM25 needs: lists in memory, built once, never changed. */
export const plainBm25 = (rows: ReadonlyArray<PeerRow>) => {
  const postings = new Map<string, Array<number>>()
  const lengths = rows.map(({ text, title }, row) => {
    const stems = stemsOf([text, ...Array.from({ length: titleWeight }, () => title)].join("\n"))
    const counts = new Map<string, number>()
    for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1)
    for (const [stem, count] of counts) {
      const list = postings.get(stem)
      if (list === undefined) postings.set(stem, [row, count])
      else list.push(row, count)
    }
    return stems.length
  })
  const averageLength = lengths.reduce((sum, length) => sum + length, 0) / rows.length
  const scores = new Float64Array(rows.length)
  return (query: string, limit: number): ReadonlyArray<FoundRow> => {
    const found: Array<number> = []
    for (const stem of stemsOf(query)) {
      const list = postings.get(stem) ?? []
      const holding = list.length / 2
      const idf = Math.log(1 + (rows.length - holding + 0.5) / (holding + 0.5))
      for (let i = 0; i < list.length; i += 2) {
        const [row, count] = [list[i] ?? 0, list[i + 1] ?? 0]
        const score = scores[row] ?? 0
        if (score === 0) found.push(row)
        const norm = k1 * (1 - b + (b * (lengths[row] ?? 0)) / averageLength)
        scores[row] = score + (idf * count) / (count + norm)
      }
    }
    const scored = found.map((row) => ({ row, score: scores[row] ?? 0 }))
    for (const row of found) scores[row] = 0
    return scored.sort((x, y) => y.score - x.score).slice(0, limit)
  }
}

export const plainBm25Peer: Peer = {
  name: "40-line BM25",
  load: async () => async (rows, queries, limit) => {
    const search = plainBm25(rows)
    return queries.map((query) => search(query, limit))
  }
}
