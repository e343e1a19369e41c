import { dataFolder, readQueries } from "./data.js"
import { type Asked, measureLoad, withServed } from "./http-load.js"
import { randomFrom } from "./random.js"
import type { RunBench } from "./result.js"

export const http: RunBench = async (context) => {
  const queries = readQueries("eips").map(({ text }) => text)
  const random = randomFrom(context.seed)
  const queryAt = (place: number) => queries[place % queries.length] ?? ""
  const list = (place: number): Asked => {
    const offset = (place * 50) % 200
    const input = { limit: 50, offset }
    return {
      method: "GET",
      path: `/api/v1/documents?limit=50&offset=${offset}`,
      call: { operation: "listDocuments", input }
    }
  }
  const query = (place: number): Asked => {
    const input = { question: queryAt(place) }
    return { method: "POST", path: "/api/v1/query", body: input, call: { operation: "query", input } }
  }
  const search = (place: number): Asked => {
    const q = queryAt(place)
    const path = `/api/v1/search?q=${encodeURIComponent(q)}`
    return { method: "GET", path, call: { operation: "search", input: { q } } }
  }
  const create = (place: number): Asked => {
    const input = { path: `new/${place}.md`, content: `# Note ${place}\n\nWritten under load.\n` }
    return {
      method: "POST",
      path: "/api/v1/documents",
      body: input,
      call: { operation: "createDocument", input }
    }
  }
  /** Five of ten requests search, two list, two ask and one writes. */
  const mixed = (place: number): Asked => {
    const dice = random()
    if (dice < 0.5) return search(place)
    if (dice < 0.7) return list(place)
    return dice < 0.9 ? query(place) : create(place)
  }
  const found = await withServed(context, async (served) => {
    for (const connections of [1, 8]) await measureLoad(context, served, "GET /documents", connections, list)
    await measureLoad(context, served, "POST /query", 8, query)
    await measureLoad(context, served, "mixed load", 8, (place) => mixed(place))
  })
  if (!found) context.skip(`no eips in ${dataFolder}`)
}
