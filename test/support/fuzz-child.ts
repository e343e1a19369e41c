import * as fc from "fast-check"
import { z } from "zod"
import { apiDocument, operationsOf } from "../../tools/api-document.js"
import { type RawRequest, requestsTo } from "./api-fuzz.js"
import { startServer } from "./server.js"
import { seedWorkspace } from "./workspace-seed.js"

// A server in a process of its own that is asked anything and measured: `tsx fuzz-child.ts REQUESTS SEED`, where the
// garbage collector can be called. Prints what came of it as JSON.
const [requestsWanted, seed] = z
  .tuple([z.coerce.number().int().min(1), z.coerce.number().int()])
  .parse(process.argv.slice(2, 4))
const collectGarbage = z.function().parse(Reflect.get(globalThis, "gc"))

const document = apiDocument()
const operations = operationsOf(document)
const server = await startServer()
const { ids, key } = await seedWorkspace(server, "home")
const pool = new Map(Object.entries(ids).map(([prefix, id]) => [prefix, [id]]))
const failures: Array<string> = []
let sent = 0

const send = async ({ body, headers, method, target }: RawRequest): Promise<void> => {
  const hasBody = body !== null && method !== "GET" && method !== "HEAD"
  const request = new Request(`http://kanon.test${target}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...headers },
    ...(hasBody ? { body } : {})
  })
  const response = await server.fetch(request)
  const text = await response.text()
  if (response.status >= 500) failures.push(`${response.status} ${method} ${target.slice(0, 200)}`)
  if (method !== "DELETE")
    for (const [id, prefix = ""] of text.matchAll(/\b(doc|ent|rel|chk|job)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g))
      pool.set(prefix, [...(pool.get(prefix) ?? []).slice(-60), id])
  sent += 1
}

/** Puts away what was made, so that a heap that has grown holds what nobody can ask for. */
const clear = async (): Promise<void> => {
  for (const path of ["/api/v1/documents", "/api/v1/entities"]) {
    const { body } = await server.call("GET", `${path}?limit=200`, { key })
    const found = JSON.stringify(body).matchAll(/"id":"((?:doc|ent)_\w{26})"/g)
    for (const [, id] of found) await server.call("DELETE", `${path}/${id}`, { key })
  }
  server.entries.length = 0
}

/** Bytes in use by what is still reachable. */
const heapBytes = async (): Promise<number> => {
  await clear()
  let least = Number.POSITIVE_INFINITY
  // Several turns, because timers and finalisers release memory in a later one.
  for (let look = 0; look < 4; look++) {
    collectGarbage()
    await new Promise((resolve) => setTimeout(resolve, 50))
    least = Math.min(least, process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers)
  }
  return least
}

/** So many requests to each operation in turn, until there were enough in all. */
const ask = async (until: number): Promise<void> => {
  for (let round = 0; sent < until; round++)
    for (const [place, operation] of operations.entries()) {
      const requests = requestsTo(document, operation, (prefix) => pool.get(prefix) ?? [])
      for (const request of fc.sample(requests, { numRuns: 4, seed: seed + sent + place + round }))
        if (sent < until) await send(request)
      server.entries.length = 0
    }
}

const third = Math.ceil(requestsWanted / 3)
await ask(third)
const atThirdBytes = await heapBytes()
await ask(requestsWanted)
const atEndBytes = await heapBytes()
await server.close()
process.stdout.write(JSON.stringify({ requests: sent, failures, atThirdBytes, atEndBytes }))
