import { fork } from "node:child_process"
import { once } from "node:events"
import { Agent, get } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { dataFolder, readCorpus, readQueries } from "./data.js"
import { compare, interleaved } from "./measure.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { quantile } from "./statistics.js"
import { variations } from "./vary.js"
import { withFolder, writeVault } from "./workspace.js"

/** A server in a process of its own that serves and is measured. */
interface Served {
  readonly url: string
  readonly helloUrl: string
  readonly key: string
  /** CPU time of the server so far. */
  readonly cpuMs: () => Promise<number>
  /** Searches, so many at once, within the server's process; how long each took. */
  readonly run: (queries: ReadonlyArray<string>, atOnce: number) => Promise<ReadonlyArray<number>>
}

/** Results that a search asks for. */
const limit = 10
const documentsWanted: Readonly<Record<Size, number>> = { small: 20, default: 600, full: 6_000 }
const pairsWanted: Readonly<Record<Size, number>> = { small: 2, default: 15, full: 40 }
const requestsPerWindow: Readonly<Record<Size, number>> = { small: 8, default: 160, full: 400 }
const Ready = z.object({ url: z.string(), helloUrl: z.string(), key: z.string() })
const Reply = z.object({
  id: z.int(),
  cpuMs: z.number().default(0),
  timesMs: z.array(z.number()).default([])
})

/** Measures searches over HTTP of a vault of the `eips` collection. */
export const searchHttp: RunBench = async (context) => {
  const base = readCorpus("eips")
  if (base === null) return context.skip(`no eips in ${dataFolder}`)
  const queries = readQueries("eips").map(({ text }) => text)
  const vary = variations(
    base.map(({ text }) => text),
    context.seed
  )
  const documents = Array.from({ length: documentsWanted[context.size] }, (_, place) => {
    const { text = "", title = "" } = base[place % base.length] ?? {}
    const copy = Math.floor(place / base.length)
    return { id: `${place}.md`, title, text: vary(text, copy) }
  })
  await withFolder(async (folder) => {
    const [vault, data] = [join(folder, "vault"), join(folder, "data")]
    writeVault(documents, vault)
    const child = fork(
      fileURLToPath(new URL("http-child.ts", import.meta.url)),
      [JSON.stringify({ vault, data })],
      { execArgv: ["--import", "tsx"], stdio: ["ignore", "ignore", "inherit", "ipc"] }
    )
    const ended = once(child, "exit")
    const [first]: ReadonlyArray<unknown> = await once(child, "message")
    const { helloUrl, key, url } = Ready.parse(first)
    let next = 0
    const ask = (wish: object) =>
      new Promise<z.output<typeof Reply>>((resolve) => {
        const id = next
        next += 1
        const hear = (message: unknown) => {
          const reply = Reply.parse(message)
          if (reply.id !== id) return
          child.off("message", hear)
          resolve(reply)
        }
        child.on("message", hear)
        child.send({ id, ...wish })
      })
    const served: Served = {
      url,
      helloUrl,
      key,
      cpuMs: async () => (await ask({ want: "cpu" })).cpuMs,
      run: async (queries, atOnce) => (await ask({ want: "run", atOnce, queries })).timesMs
    }
    for (const connections of [1, 8]) await measureLoad(context, served, connections, queries)
    child.send({ want: "end", id: next })
    await ended
  })
}

interface Window {
  readonly cpuMs: number
  readonly timesMs: ReadonlyArray<number>
}

/**
 * Measures a load over so many connections that stay open, beside its floor: the same searches called in the server's
 * process, plus as many requests to a bare server that checks a hashed key.
 */
const measureLoad = async (
  { report, size }: BenchContext,
  served: Served,
  connections: number,
  queries: ReadonlyArray<string>
): Promise<void> => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const count = requestsPerWindow[size]
  let place = 0
  const take = () => Array.from({ length: count }, () => queries[place++ % queries.length] ?? "")
  const load = (urls: ReadonlyArray<string>) => overConnections(agent, served.key, urls, connections)
  const costing = async (work: () => Promise<ReadonlyArray<number>>): Promise<Window> => {
    const before = await served.cpuMs()
    const timesMs = await work()
    return { cpuMs: (await served.cpuMs()) - before, timesMs }
  }
  const pairs = await interleaved(
    pairsWanted[size],
    () =>
      costing(() =>
        load(take().map((q) => `${served.url}/api/v1/search?limit=${limit}&q=${encodeURIComponent(q)}`))
      ),
    () =>
      costing(async () => {
        const alone = await served.run(take(), connections)
        const hello = await load(alone.map(() => `${served.helloUrl}/hello`))
        return alone.map((time, i) => time + (hello[i] ?? 0))
      })
  )
  agent.destroy()
  const over = `search, ${connections} ${connections === 1 ? "connection" : "connections"}`
  const peer = "the same in-process, plus an h3 hello with a hashed-key check"
  const line = (figure: (window: Window) => number) => ({ ...compare(pairs, figure), peer, unit: "ms" })
  const perRequest = line(({ cpuMs }) => cpuMs / count)
  report({ metric: `${over}, CPU of the server a request`, ...perRequest, target: "<= 1.3" })
  for (const [name, share, wanted] of [
    ["p50", 0.5, {}],
    ["p99", 0.99, { target: "<= 2" }]
  ] as const)
    report({ metric: `${over}, ${name} wall`, ...line(({ timesMs }) => quantile(timesMs, share)), ...wanted })
}

/** Sends the requests over so many connections, each one after the other; how long each took. */
const overConnections = async (
  agent: Agent,
  key: string,
  urls: ReadonlyArray<string>,
  connections: number
): Promise<ReadonlyArray<number>> => {
  const waiting = [...urls.entries()]
  const timesMs: Array<number> = []
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [place, url] = next
      const startedAt = performance.now()
      await send(agent, key, url)
      timesMs[place] = performance.now() - startedAt
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
  return timesMs
}

const send = (agent: Agent, key: string, url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` }
    get(url, { agent, headers }, (incoming) => {
      const { statusCode = 0 } = incoming
      incoming.resume()
      incoming.once("end", () => (statusCode < 300 ? resolve() : reject(new Error(`${url}: ${statusCode}`))))
    }).once("error", reject)
  })
