import { createHash, timingSafeEqual } from "node:crypto"
import { mkdirSync } from "node:fs"
import { createServer } from "node:http"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { H3 } from "h3"
import { toNodeHandler } from "h3/node"
import { z } from "zod"
import { wiring } from "../core/engine/engine/index.js"
import { syncVault } from "../core/files/vault-sync/index.js"
import { operations } from "../core/operations.js"
import { createWorkspace, mintAsHost } from "../core/platform/identity/index.js"
import { Caller, runOperation, scopeOf, scopes } from "../core/platform/kernel/index.js"
import { mergeSegments } from "../core/search/lexical/index.js"
import { ServerSettings } from "../server/config.js"
import { makeApp } from "../server/http/app.js"
import { listen } from "../server/listen.js"
import { portsAt } from "./database.js"

/**
 * The serving side of the bench over HTTP, so that its CPU time is its own: the server over a vault that lies ready,
 * a bare server beside it, and the same searches called here.
 */
const Plan = z.object({ vault: z.string(), data: z.string() })
const Wish = z.discriminatedUnion("want", [
  z.object({ want: z.literal("cpu"), id: z.int() }),
  z.object({
    want: z.literal("run"),
    id: z.int(),
    atOnce: z.int(),
    queries: z.array(z.string())
  }),
  z.object({ want: z.literal("end"), id: z.int() })
])

const main = async ({ data, vault }: z.infer<typeof Plan>): Promise<void> => {
  mkdirSync(data, { recursive: true })
  const runtime = ManagedRuntime.make(Layer.provideMerge(wiring, await portsAt({ vault, data })))
  const { id } = await runtime.runPromise(createWorkspace("bench", () => vault))
  const caller = { workspace: scopeOf(id), actor: "local", activity: "ui" } as const
  const as = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.provideService(work, Caller, caller)
  await runtime.runPromise(as(Effect.zipRight(syncVault(), mergeSegments(caller.workspace))))
  const owner = { kind: "workspace", workspace: id } as const
  const { secret } = await runtime.runPromise(
    as(mintAsHost({ name: "bench", scopes, expiresAt: null, owner }))
  )
  const app = makeApp({ runtime })
  const serving = await listen(app.fetch, ServerSettings.parse({ port: 0 }))
  const hello = await helloServer(secret)
  process.on("message", (message) => {
    const wish = Wish.parse(message)
    const reply = (more: object) => process.send?.({ id: wish.id, ...more })
    if (wish.want === "cpu") {
      const { system, user } = process.cpuUsage()
      reply({ cpuMs: (user + system) / 1000 })
    } else if (wish.want === "run") {
      void called(wish).then((timesMs) => reply({ timesMs }))
    } else {
      hello.close()
      void serving
        .close()
        .then(() => runtime.dispose())
        .then(() => process.disconnect())
    }
  })
  /** Searches as a library would, so many at once, down to the text of the answers. */
  const called = async ({ atOnce, queries }: Extract<z.infer<typeof Wish>, { want: "run" }>) => {
    const timesMs: Array<number> = []
    const waiting = [...queries.entries()]
    const worker = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [place, q] = next
        const startedAt = performance.now()
        JSON.stringify(await runtime.runPromise(as(runOperation(operations.search, { q, limit: 10 }))))
        timesMs[place] = performance.now() - startedAt
      }
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    return timesMs
  }
  process.send?.({ url: serving.url, helloUrl: hello.url, key: secret })
}

/** The least that a server with keys does: hashes the key, compares, says hello as JSON. */
const helloServer = async (secret: string) => {
  const hash = (text: string) => createHash("sha256").update(text).digest()
  const known = hash(secret)
  const app = new H3().all("/**", ({ req }) => {
    const given = /^Bearer (.+)$/.exec(req.headers.get("authorization") ?? "")?.[1] ?? ""
    return timingSafeEqual(hash(given), known) ? { hello: "there" } : new Response(null, { status: 401 })
  })
  const server = createServer(toNodeHandler(app))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

await main(Plan.parse(JSON.parse(process.argv[2] ?? "")))
