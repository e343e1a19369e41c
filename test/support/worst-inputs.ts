import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import Sqlite from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { expect } from "vitest"
import { z } from "zod"
import { openAiCompatibleChat } from "../../adapters/models/index.js"
import { handlers } from "../../core/engine/engine/index.js"
import { startWorker } from "../../core/platform/jobs/index.js"
import type { WorkspaceId } from "../../core/platform/kernel/index.js"
import { listenOnLoopback } from "./loopback.js"
import { startServer, type TestServer } from "./server.js"

/** The worst of one kind that a caller or a stranger can choose: how it is sent, and what comes of it. */
export interface WorstInput {
  readonly name: string
  /** Sends it and checks what came of it. */
  readonly send: (world: WorstWorld) => Promise<void>
}

/** A server with a workspace that sends the worst, another one that wants its manifest, and a stranger that says anything. */
export interface WorstWorld {
  readonly server: TestServer
  readonly workspace: WorkspaceId
  readonly key: string
  /** The id of a SQLite connector. */
  readonly connectorId: string
  /** Makes the stranger, a chat model and MCP server at once, answer this way. */
  readonly says: (answer: (request: StrangersRequest) => string) => void
  readonly strangersUrl: string
  /** Syncs a WebDAV folder of the stranger until the run ends, or has gone through its listing; gives the run as JSON. */
  readonly syncFolder: (paths?: ReadonlyArray<string>) => Promise<string>
  /** Syncs an upload of one archive until the run ends, or has refused items; gives the run as JSON. */
  readonly syncArchive: (archive: Uint8Array) => Promise<string>
  /** Runs an agent with tools of the stranger to its end. */
  readonly runAgent: (tools?: ReadonlyArray<string>) => Promise<AgentEnd>
  readonly manifest: () => Promise<number>
  readonly close: () => Promise<void>
}

export interface StrangersRequest {
  readonly path: string
  readonly text: string
  /** Method and id of a message of MCP. */
  readonly method: string | undefined
  readonly id: unknown
  readonly before: number
}

export interface AgentEnd {
  readonly status: string
  /** Characters of the run as JSON. */
  readonly size: number
  readonly text: string
}

export const startWorstWorld = async (): Promise<WorstWorld> => {
  let answer: (request: StrangersRequest) => string = () => "{}"
  let [before, folders, itemsAsked] = [0, 0, 0]
  const stranger = await listenOnLoopback((incoming, outgoing, body) => {
    const text = String(body)
    const { id, method } = Message.catch({ id: undefined }).parse(
      text.startsWith("{") ? JSON.parse(text) : {}
    )
    const isListing = incoming.method === "PROPFIND"
    const isItem = incoming.url?.startsWith("/dav/") === true && !isListing
    if (isItem) itemsAsked += 1
    const status = isItem ? 404 : isListing ? 207 : method?.startsWith("notifications/") === true ? 202 : 200
    outgoing.writeHead(status, { "content-type": isListing ? "application/xml" : "application/json" })
    outgoing.end(answer({ path: incoming.url ?? "", text, method, id, before }))
    before += 1
  })
  const strangersUrl = stranger.url
  const server = await startServer({
    models: { chat: openAiCompatibleChat({ baseUrl: `${strangersUrl}/v1`, model: "fake" }) }
  })
  const [workspace, other] = [await server.workspace("busy"), await server.workspace("other")]
  const [key, otherKey] = [await server.key(workspace), await server.key(other)]
  const file = join(server.folder, "shop.sqlite")
  new Sqlite(file).exec("create table t (a text); insert into t values ('a')").close()
  const made = await server.call("POST", "/api/v1/data/connectors", {
    key,
    body: { name: "Shop", kind: "sqlite", settings: { path: file } }
  })
  const worker = server.runtime.runFork(
    Effect.scoped(Effect.zipRight(startWorker(handlers, { owner: "worst" }), Effect.never))
  )
  const connectorId = z.object({ id: z.string() }).parse(made.body).id
  return {
    server,
    workspace,
    key,
    connectorId,
    strangersUrl,
    says: (next) => {
      before = 0
      answer = next
    },
    syncArchive: async (archive) => {
      folders += 1
      const made = await server.call("POST", "/api/v1/connectors", {
        key,
        body: {
          name: `Upload ${folders}`,
          kind: "markdown_upload",
          config: { provider: "markdown_upload" }
        }
      })
      const path = `/api/v1/connectors/${z.object({ id: z.string() }).parse(made.body).id}`
      const started = await server.call("POST", `${path}/sync`, {
        key,
        body: {
          mode: "full",
          files: [{ path: "a.zip", content: Buffer.from(archive).toString("base64"), encoding: "base64" }]
        }
      })
      if (started.status !== 202) return JSON.stringify(started.body)
      for (;;) {
        const shown = await server.call("GET", path, { key })
        const [run] = z
          .object({ syncs: z.array(z.looseObject({ status: z.string(), failed: z.int() })) })
          .parse(shown.body).syncs
        // Each of many items is told of; how the archive is read is what counts here.
        if (run !== undefined && (!["queued", "running"].includes(run.status) || run.failed > 10)) {
          await server.call("PATCH", path, { key, body: { enabled: false } })
          return JSON.stringify(run)
        }
        await setTimeout(100)
      }
    },
    syncFolder: async (paths) => {
      folders += 1
      itemsAsked = 0
      const made = await server.call("POST", "/api/v1/connectors", {
        key,
        body: {
          name: `Folder ${folders}`,
          kind: "document_library",
          config: {
            provider: "webdav",
            url: `${strangersUrl}/dav/`,
            ...(paths === undefined ? {} : { paths })
          }
        }
      })
      const path = `/api/v1/connectors/${z.object({ id: z.string() }).parse(made.body).id}`
      expect((await server.call("POST", `${path}/sync`, { key, body: { mode: "full" } })).status).toBe(202)
      for (;;) {
        const shown = await server.call("GET", path, { key })
        const [run] = z
          .object({ syncs: z.array(z.looseObject({ status: z.string() })) })
          .parse(shown.body).syncs
        // The items of a long listing are asked for one after the other; how it is read is what counts here.
        const isOver = run !== undefined && (!["queued", "running"].includes(run.status) || itemsAsked > 10)
        if (isOver) {
          await server.call("PATCH", path, { key, body: { enabled: false } })
          return JSON.stringify(run)
        }
        await setTimeout(100)
      }
    },
    runAgent: async (tools = []) => {
      const put = await server.call("PUT", "/api/v1/agents/worst", {
        key,
        body: {
          name: "Worst",
          instructions: "Go.",
          tools: tools.map((name) => ({ name, approval: "never" }))
        }
      })
      if (put.status >= 400) return { status: JSON.stringify(put.body), size: 0, text: "" }
      const run = await server.call("POST", "/api/v1/agents/worst/runs?stream=inline", {
        key,
        body: { input: "Go." }
      })
      const runId = /"runId":"(run_\w+)"/u.exec(String(run.body))?.[1] ?? ""
      const shown = await server.call("GET", `/api/v1/runs/${runId}`, { key })
      const text = JSON.stringify(shown.body)
      return { status: /"status":"(\w+)"/u.exec(text)?.[1] ?? "", size: text.length, text }
    },
    manifest: async () => (await server.call("GET", "/api/v1/manifest", { key: otherKey })).status,
    close: async () => {
      await Effect.runPromise(Fiber.interrupt(worker))
      await server.close()
      await stranger.close()
    }
  }
}

const Message = z.object({ id: z.unknown(), method: z.string().optional() })

/** A reply of a chat model with tool calls, each with its arguments as JSON text. */
export const callsReply = (calls: ReadonlyArray<{ readonly name: string; readonly text: string }>): string =>
  JSON.stringify({
    choices: [
      {
        index: 0,
        finish_reason: "tool_calls",
        message: {
          role: "assistant",
          content: null,
          tool_calls: calls.map(({ name, text }, at) => ({
            id: `c${at}`,
            type: "function",
            function: { name, arguments: text }
          }))
        }
      }
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1 }
  })

export const textReply = (content: string): string =>
  JSON.stringify({
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
    usage: { prompt_tokens: 1, completion_tokens: 1 }
  })
