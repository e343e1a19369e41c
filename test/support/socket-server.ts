import * as Effect from "effect/Effect"
import { expect } from "vitest"
import { listen } from "../../server/listen.js"
import { startServer } from "./server.js"
import { exchange } from "./sockets.js"
import { seedWorkspace } from "./workspace-seed.js"

/** Short, so that a test sees each come to its end. */
export const limits = { headersTimeoutMs: 500, bodyTimeoutMs: 700, sendTimeoutMs: 500, shutdownMs: 4_000 }
/** Well over every limit, on a busy machine too: what is open then stays open. */
export const patienceMs = 30_000
export const bodyBytes = 50_000

/** A model that takes its time, or never ends; `counts` tells how often it was asked and stopped. */
const slowModel = () => {
  const counts = { asked: 0, stopped: 0 }
  const never = Effect.never.pipe(Effect.onInterrupt(() => Effect.sync(() => (counts.stopped += 1))))
  const chat = {
    modelId: "test/slow",
    generate: ({ messages }: { readonly messages: ReadonlyArray<{ readonly content: string }> }) =>
      Effect.suspend(() => {
        counts.asked += 1
        const text = JSON.stringify({ answerable: false, missing: "all", sentences: [] })
        const usage = { inputTokens: 1, outputTokens: 1, costUsd: "0", estimated: true }
        const reply = { text, modelId: "test/slow", finishReason: "stop" as const, usage }
        const isPatient = messages.some(({ content }) => content.includes("patiently"))
        return isPatient ? Effect.as(Effect.sleep(limits.sendTimeoutMs * 1.5), reply) : never
      })
  }
  return { chat, counts }
}

/** A server on a socket with short limits, and the bytes of requests to it. */
export const startSocketServer = async () => {
  const { chat, counts } = slowModel()
  const server = await startServer({
    limits: { bodyBytes, bodyMs: limits.bodyTimeoutMs },
    models: { chat }
  })
  // The model of this server answers nobody but the patient.
  const seed = await seedWorkspace(server, "home", { asks: false })
  const listening = await listen(server.fetch, { host: "127.0.0.1", port: 0, ...limits })

  const head = (method: string, path: string, ...lines: ReadonlyArray<string>) =>
    [
      `${method} ${path} HTTP/1.1`,
      "Host: kanon.test",
      `Authorization: Bearer ${seed.key}`,
      ...lines,
      "",
      ""
    ].join("\r\n")
  const posted = (...lines: ReadonlyArray<string>) =>
    head("POST", "/api/v1/query", "Content-Type: application/json", ...lines)
  const asking = (question: string, ...lines: ReadonlyArray<string>) => {
    const body = JSON.stringify({ question })
    return `${posted(`Content-Length: ${Buffer.byteLength(body)}`, ...lines)}${body}`
  }
  const send = (bytes: string | Uint8Array, quietMs = patienceMs) => exchange(listening.port, bytes, quietMs)

  return {
    server,
    seed,
    model: counts,
    port: listening.port,
    head,
    posted,
    asking,
    send,
    isWell: async () =>
      expect((await send(head("GET", "/api/v1/manifest", "Connection: close"))).statuses).toEqual([200]),
    close: async () => {
      await listening.close()
      await server.close()
    }
  }
}
