import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { z } from "zod"
import { kanon, start } from "./cli.js"
import { serverShapes } from "./cli-shapes.js"
import { listenOnLoopback } from "./loopback.js"
import { root } from "./tree.js"

/** What a stranger answers to a crawler. */
export interface StrangersAnswer {
  readonly status?: number
  readonly type: string
  readonly body: string | Uint8Array
}

/** A built server with a workspace whose caller sends the worst, and another one that searches meanwhile. */
export interface FreezeWorld {
  readonly url: string
  readonly connectorsUrl: string
  /** Answers crawlers this way from now on. */
  readonly answers: (answer: (path: string, method: string) => StrangersAnswer) => void
  /** Calls an operation as the holder of a key of the busy workspace. */
  readonly call: (method: string, path: string, body?: unknown) => Promise<Answer>
  /** Calls the console as a signed-in holder of that key. */
  readonly console: (method: string, path: string, body?: unknown) => Promise<Answer>
  /** Calls a tool over MCP. */
  readonly tool: (name: string, given: unknown) => Promise<Answer>
  /** Runs something while the other workspace searches, until the busy one has no work left. */
  readonly during: (work: () => Promise<void>) => Promise<Noticed>
  readonly close: () => Promise<void>
}

export interface Answer {
  readonly status: number
  readonly text: string
  readonly body: unknown
}

/** What the other workspace and the event loop noticed. */
export interface Noticed {
  /** The 99th percentile of the searches in ms. */
  readonly p99Ms: number
  /** The longest time in ms of CPU for which the main thread did not turn. */
  readonly stallMs: number
}

const Jobs = z.object({ items: z.array(z.looseObject({ status: z.string() })) })

export const startFreezeWorld = async (): Promise<FreezeWorld> => {
  const folder = mkdtempSync(join(tmpdir(), "kanon-freeze-"))
  const data = join(folder, "data")
  const stalls = join(folder, "stalls")
  writeFileSync(stalls, "")
  const made = kanon(["init", "--vault", join(folder, "busy"), "--data", data, "--json"], { cwd: folder })
  const { key } = z.object({ key: z.string() }).parse(JSON.parse(made.stdout))
  const other = z
    .object({ id: z.string() })
    .parse(
      JSON.parse(
        kanon(["workspaces", "create", "--name", "other", "--data", data, "--json"], { cwd: folder }).stdout
      )
    )
  const otherKey = z
    .object({ key: z.string() })
    .parse(
      JSON.parse(
        kanon(
          [
            "keys",
            "create",
            "--workspace",
            other.id,
            "--scopes",
            "kb:read,kb:write",
            "--data",
            data,
            "--json"
          ],
          { cwd: folder }
        ).stdout
      )
    ).key

  let answer: (path: string, method: string) => StrangersAnswer = () => ({ type: "text/plain", body: "" })
  const stranger = await listenOnLoopback((incoming, outgoing) => {
    const { body, status = 200, type } = answer(incoming.url ?? "", incoming.method ?? "")
    outgoing.writeHead(status, { "content-type": type }).end(body)
  })

  const probe = pathToFileURL(join(root, "test/support/stall-probe.mjs")).href
  const server = start(["serve", "--data", data, "--port", "0", "--json"], {
    cwd: folder,
    env: {
      KANON_CONSOLE: "1",
      KANON_CONSOLE_KEY_SIGN_IN: "1",
      KANON_LOG_LEVEL: "warning",
      KANON_PRIVATE_CONNECTOR_ADDRESSES: "1",
      KANON_TEST_STALLS: stalls,
      NODE_OPTIONS: `--import ${probe}`
    }
  })
  const { url } = serverShapes.serve.parse(JSON.parse(await server.firstLine))

  const asked = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, init)
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.includes("json") === true
    return { status: response.status, text, body: isJson ? JSON.parse(text) : null }
  }
  const caller =
    (headers: Readonly<Record<string, string>>, prefix: string): FreezeWorld["call"] =>
    (method, path, body) =>
      asked(`${prefix}${path}`, {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
      })
  const call = caller({ authorization: `Bearer ${key}` }, "/api/v1")
  const searched = caller({ authorization: `Bearer ${otherKey}` }, "/api/v1")
  for (const place of Array.from({ length: 20 }, (_, at) => at))
    await searched("POST", "/documents", {
      path: `crane-${place}.md`,
      content: `# Crane ${place}\n\nCrane ${place} lifts ${place + 10} tonnes at the north quay.\n`
    })
  // What a process loads with its first question is no matter of its input.
  await call("POST", "/query", { question: "How many tonnes does crane 1 lift?" })
  const signedIn = await fetch(`${url}/console/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ key })
  })
  const cookie = signedIn.headers.get("set-cookie")?.split(";", 1)[0] ?? ""
  const { csrf } = z.looseObject({ csrf: z.string() }).parse(await signedIn.json())

  const isBusy = async (): Promise<boolean> => {
    const { items } = Jobs.parse((await call("GET", "/jobs?limit=200")).body)
    return items.some(({ status }) => status === "queued" || status === "running")
  }
  const during: FreezeWorld["during"] = async (work) => {
    writeFileSync(stalls, "")
    const times: Array<number> = []
    let isOver = false
    const searching = (async () => {
      for (let turn = 0; !isOver; turn++) {
        const before = performance.now()
        const { status } = await searched("GET", `/search?q=crane%20${turn % 20}%20tonnes`)
        if (status !== 200) throw new Error(`A search of the other workspace was answered ${status}.`)
        times.push(performance.now() - before)
        await pause(20)
      }
    })()
    try {
      await work()
      const until = performance.now() + 120_000
      while (performance.now() < until && (await isBusy())) await pause(200)
    } finally {
      isOver = true
    }
    await searching
    const stalled = existsSync(stalls) ? readFileSync(stalls, "utf8").split("\n").map(Number) : []
    times.sort((a, b) => a - b)
    return { p99Ms: times[Math.floor(times.length * 0.99)] ?? 0, stallMs: Math.max(0, ...stalled) }
  }
  return {
    url,
    connectorsUrl: stranger.url,
    answers: (next) => {
      answer = next
    },
    call,
    console: caller({ cookie, origin: url, "x-kanon-csrf": csrf }, "/console"),
    tool: async (name, given) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
      const message = (method: string, params: unknown) =>
        JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      const clientInfo = { name: "test", version: "0" }
      const begun = await fetch(`${url}/api/mcp`, {
        method: "POST",
        headers,
        body: message("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo })
      })
      await begun.text()
      return asked("/api/mcp", {
        method: "POST",
        headers: { ...headers, "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" },
        body: message("tools/call", { name, arguments: given })
      })
    },
    during,
    close: async () => {
      server.signal("SIGKILL")
      await server.ended
      await stranger.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
