import { stopWords } from "../../core/analysis/stop-words.js"
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

/** English pipeline as it comes: stop words, stemmer; terms are optional, so joined with OR. */
const lunr: Peer = {
  name: "lunr",
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
          .search(wordsOf(query).join(" "))
          .slice(0, limit)
          .map(({ ref, score }) => ({ row: Number(ref), score }))
      )
    }
  }
}

/** As it comes: no stemmer, no stop words, OR. */
const minisearch: Peer = {
  name: "minisearch",
  load: async () => {
    const { default: MiniSearch } = await import("minisearch")
    return async (rows, queries, limit) => {
      const index = new MiniSearch({
        fields: ["title", "text"],
        searchOptions: { boost: { title: titleWeight } }
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
}

/** With its English stemmer and our stop words; a document need not hold all words. */
const orama: Peer = {
  name: "orama",
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
        const { hits } = await search(index, { term, limit, threshold: 1, boost: { title: titleWeight } })
        found.push(hits.map(({ id, score }) => ({ row: Number(id), score })))
      }
      return found
    }
  }
}

export const packagePeers: ReadonlyArray<Peer> = [wink, lunr, minisearch, orama]
