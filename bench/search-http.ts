import { dataFolder, readQueries } from "./data.js"
import { measureLoad, withServed } from "./http-load.js"
import type { RunBench } from "./result.js"

const limit = 10

export const searchHttp: RunBench = async (context) => {
  const queries = readQueries("eips").map(({ text }) => text)
  const found = await withServed(context, async (served) => {
    const searchAt = (place: number) => {
      const q = queries[place % queries.length] ?? ""
      const path = `/api/v1/search?limit=${limit}&q=${encodeURIComponent(q)}`
      return { method: "GET", path, call: { operation: "search", input: { q, limit } } }
    }
    for (const connections of [1, 8])
      await measureLoad(context, served, "search", connections, searchAt, { cpu: "<= 1.3", p99: "<= 2" })
  })
  if (!found) context.skip(`no eips in ${dataFolder}`)
}
