import { fork } from "node:child_process"
import { once } from "node:events"
import { Agent, request as httpRequest } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { type CorpusDocument, readCorpus } from "./data.js"
import { compare, interleaved } from "./measure.js"
import type { BenchContext, Size } from "./result.js"
import { quantile } from "./statistics.js"
import { variations } from "./vary.js"
import { withFolder, writeVault } from "./workspace.js"

/** A request, and the same as a call of the operation behind it. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly call: { readonly operation: string; readonly input: Readonly<Record<string, unknown>> }
}

/** A server in a process of its own that serves and is measured. */
export interface Served {
  readonly url: string
  readonly helloUrl: string
  readonly key: string
  /** CPU time of the server so far. */
  readonly cpuMs: () => Promise<number>
  /** Calls the operations, so many at once, within the server's process; how long each took. */
  readonly run: (asked: ReadonlyArray<Asked>, atOnce: number) => Promise<ReadonlyArray<number>>
}

const documentsWanted: Readonly<Record<Size, number>> = { small: 20, default: 600, full: 6_000 }
const pairsWanted: Readonly<Record<Size, number>> = { small: 2, default: 15, full: 40 }
const requestsPerWindow: Readonly<Record<Size, number>> = { small: 8, default: 160, full: 400 }
const Ready = z.object({ url: z.string(), helloUrl: z.string(), key: z.string() })
const Reply = z.object({
  id: z.int(),
  cpuMs: z.number().default(0),
  timesMs: z.array(z.number()).default([])
})

/** Has a vault of the `eips` collection served; null where the collection is not there. */
export const withServed = async (
  context: BenchContext,
  use: (served: Served, documents: ReadonlyArray<CorpusDocument>) => Promise<void>
): Promise<boolean> => {
  const base = readCorpus("eips")
  if (base === null) return false
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
    await use(
      {
        url,
        helloUrl,
        key,
        cpuMs: async () => (await ask({ want: "cpu" })).cpuMs,
        run: async (asked, atOnce) =>
          (await ask({ want: "run", atOnce, calls: asked.map(({ call }) => call) })).timesMs
      },
      documents
    )
    child.send({ want: "end", id: next })
    await ended
  })
  return true
}

interface Window {
  readonly cpuMs: number
  readonly timesMs: ReadonlyArray<number>
}

/**
 * Measures a load over so many connections that stay open, beside its floor: the same operations called in the
 * server's process, plus as many requests to a bare server that checks a hashed key.
 */
export const measureLoad = async (
  { report, size }: BenchContext,
  served: Served,
  what: string,
  connections: number,
  askedAt: (place: number) => Asked,
  targets: { readonly cpu?: string; readonly p99?: string } = {}
): Promise<void> => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const count = requestsPerWindow[size]
  let place = 0
  const take = () => Array.from({ length: count }, () => askedAt(place++))
  const load = (url: string, asked: ReadonlyArray<Asked>) =>
    overConnections(agent, url, served.key, asked, connections)
  const costing = async (work: () => Promise<ReadonlyArray<number>>): Promise<Window> => {
    const before = await served.cpuMs()
    const timesMs = await work()
    return { cpuMs: (await served.cpuMs()) - before, timesMs }
  }
  const pairs = await interleaved(
    pairsWanted[size],
    () => costing(() => load(served.url, take())),
    () =>
      costing(async () => {
        const asked = take()
        const alone = await served.run(asked, connections)
        const hello = await load(
          served.helloUrl,
          asked.map(({ call }) => ({ method: "GET", path: "/hello", call }))
        )
        return alone.map((time, i) => time + (hello[i] ?? 0))
      })
  )
  agent.destroy()
  const over = `${what}, ${connections} ${connections === 1 ? "connection" : "connections"}`
  const peer = "the same in-process, plus an h3 hello with a hashed-key check"
  const line = (figure: (window: Window) => number) => ({ ...compare(pairs, figure), peer, unit: "ms" })
  const perRequest = line(({ cpuMs }) => cpuMs / count)
  report({
    metric: `${over}, CPU of the server a request`,
    ...perRequest,
    ...(targets.cpu === undefined ? {} : { target: targets.cpu })
  })
  for (const [name, share] of [
    ["p50", 0.5],
    ["p99", 0.99]
  ] as const) {
    const target = name === "p99" ? targets.p99 : undefined
    report({
      metric: `${over}, ${name} wall`,
      ...line(({ timesMs }) => quantile(timesMs, share)),
      ...(target === undefined ? {} : { target })
    })
  }
}

/** Sends the requests over so many connections, each one after the other; how long each took. */
const overConnections = async (
  agent: Agent,
  url: string,
  key: string,
  asked: ReadonlyArray<Asked>,
  connections: number
): Promise<ReadonlyArray<number>> => {
  const waiting = [...asked.entries()]
  const timesMs: Array<number> = []
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [place, one] = next
      const startedAt = performance.now()
      await send(agent, url, key, one)
      timesMs[place] = performance.now() - startedAt
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
  return timesMs
}

const send = (agent: Agent, url: string, key: string, { body, method, path }: Asked): Promise<void> =>
  new Promise((resolve, reject) => {
    const bytes = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      authorization: `Bearer ${key}`,
      ...(bytes === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(bytes) })
    }
    const outgoing = httpRequest(`${url}${path}`, { agent, method, headers }, (incoming) => {
      const { statusCode = 0 } = incoming
      incoming.resume()
      incoming.once("end", () =>
        statusCode < 300 ? resolve() : reject(new Error(`${method} ${path}: ${statusCode}`))
      )
    })
    outgoing.once("error", reject)
    outgoing.end(bytes)
  })
