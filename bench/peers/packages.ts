import { stopWords } from "../../core/language/tokenization/stop-words.js"
import { type Peer, titleWeight, wordsOf } from "./peer.js"

/** With the preparation that its own manual gives. */
const wink: Peer = {
  name: "wink-bm25",
  load: async () => {
    const [{ default: makeEngine }, { default: nlp }] = await Promise.all([
      import("wink-bm25-text-search"),
      import("wink-nlp-utils")
    ])
    return async (rows, queries, limit) => {
      const engine = makeEngine()
      engine.defineConfig({ fldWeights: { title: titleWeight, text: 1 } })
      const { string, tokens } = nlp
      engine.definePrepTasks([
        string.lowerCase,
        string.tokenize0,
        tokens.removeWords,
        tokens.stem,
        tokens.propagateNegations
      ])
      rows.forEach(({ text, title }, row) => {
        engine.addDoc({ title, text }, row)
      })
      engine.consolidate()
      return queries.map((query) =>
        engine.search(query, limit).map(([id, score]) => ({ row: Number(id), score }))
      )
    }
  }
}

/**
 * English pipeline as it comes: stop words, stemmer; terms are optional, so joined with OR.
 *
 * @param slips Slips that a word may hold: none, or one in words that are not short.
 */
const lunr = (slips: boolean): Peer => ({
  name: slips ? "lunr, one slip" : "lunr",
  load: async () => {
    const { default: build } = await import("lunr")
    return async (rows, queries, limit) => {
      const index = build(function () {
        this.ref("row")
        this.field("title", { boost: titleWeight })
        this.field("text")
        rows.forEach(({ text, title }, row) => {
          this.add({ row, title, text })
        })
      })
      // Words alone: punctuation is syntax to it. Measured: better than terms through its query builder.
      return queries.map((query) =>
        index
          .search(
            wordsOf(query)
              .map((word) => (slips && word.length > 4 ? `${word} ${word}~1` : word))
              .join(" ")
          )
          .slice(0, limit)
          .map(({ ref, score }) => ({ row: Number(ref), score }))
      )
    }
  }
})

/**
 * As it comes: no stemmer, no stop words, OR.
 *
 * @param fuzzy Slips that a word may hold, as a share of its letters; its manual has 0.2.
 */
const minisearch = (fuzzy: number): Peer => ({
  name: fuzzy > 0 ? `minisearch, fuzzy ${fuzzy}` : "minisearch",
  load: async () => {
    const { default: MiniSearch } = await import("minisearch")
    return async (rows, queries, limit) => {
      const index = new MiniSearch({
        fields: ["title", "text"],
        searchOptions: { boost: { title: titleWeight }, ...(fuzzy > 0 ? { fuzzy } : {}) }
      })
      index.addAll(rows.map((row, id) => ({ id, ...row })))
      return queries.map((query) =>
        index
          .search(query)
          .slice(0, limit)
          .map(({ id, score }) => ({ row: Number(id), score }))
      )
    }
  }
})

/**
 * With its English stemmer and our stop words; a document need not hold all words.
 *
 * @param tolerance Slips that a word may hold.
 */
const orama = (tolerance: number): Peer => ({
  name: tolerance > 0 ? `orama, tolerance ${tolerance}` : "orama",
  load: async () => {
    const { create, insertMultiple, search } = await import("@orama/orama")
    return async (rows, queries, limit) => {
      const index = create({
        schema: { title: "string", text: "string" } as const,
        components: { tokenizer: { language: "english", stemming: true, stopWords: [...stopWords] } }
      })
      await insertMultiple(
        index,
        rows.map(({ text, title }, row) => ({ id: String(row), title, text }))
      )
      const found = []
      for (const term of queries) {
        const boost = { title: titleWeight }
        const asked = { term, limit, threshold: 1, boost, ...(tolerance > 0 ? { tolerance } : {}) }
        const { hits } = await search(index, asked)
        found.push(hits.map(({ id, score }) => ({ row: Number(id), score })))
      }
      return found
    }
  }
})

export const packagePeers: ReadonlyArray<Peer> = [wink, lunr(false), minisearch(0), orama(0)]

/** Those that can allow for misspelt words, told to. */
export const tolerantPeers: ReadonlyArray<Peer> = [lunr(true), minisearch(0.2), orama(1)]
