import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { wiring } from "../core/engine/engine/index.js"
import { documentOperations } from "../core/files/documents/index.js"
import { entityOperations } from "../core/knowledge/entities/index.js"
import { createWorkspace, mintAsHost } from "../core/platform/identity/index.js"
import { Caller, runOperation, scopeOf, scopes, type WorkspaceId } from "../core/platform/kernel/index.js"
import { makeApp } from "../server/http/app.js"
import { portsAt } from "./database.js"
import { compare, costOf, interleaved } from "./measure.js"
import type { RunBench, Size } from "./result.js"
import { withFolder } from "./workspace.js"

const itemsEach: Readonly<Record<Size, number>> = { small: 5, default: 300, full: 2_000 }
const pairsWanted: Readonly<Record<Size, number>> = { small: 2, default: 40, full: 100 }
const requestsPerWindow: Readonly<Record<Size, number>> = { small: 5, default: 100, full: 100 }

/** How long the same 404 takes for an id that another workspace has and for one that nothing has. */
export const notFound: RunBench = async ({ report, size }) =>
  withFolder(async (folder) => {
    const data = join(folder, "data")
    mkdirSync(data)
    const runtime = ManagedRuntime.make(Layer.provideMerge(wiring, await portsAt({ vault: folder, data })))
    const app = makeApp({ runtime })
    const as = (workspace: WorkspaceId) => ({
      workspace: scopeOf(workspace),
      actor: "local",
      activity: "ui" as const
    })
    const workspaceNamed = async (name: string) => {
      const { id } = await runtime.runPromise(createWorkspace(name, (own) => join(folder, own)))
      mkdirSync(join(folder, id), { recursive: true })
      return id
    }
    const [home, other] = [await workspaceNamed("home"), await workspaceNamed("other")]
    const wish = {
      name: "bench",
      scopes,
      expiresAt: null,
      owner: { kind: "workspace", workspace: home }
    } as const
    const key = await runtime.runPromise(Effect.provideService(mintAsHost(wish), Caller, as(home)))
    const fill = (workspace: WorkspaceId) =>
      runtime.runPromise(
        Effect.provideService(
          Effect.forEach(Array.from({ length: itemsEach[size] }), (_, place) =>
            Effect.gen(function* () {
              const title = `Note ${place}`
              const { docId } = yield* runOperation(documentOperations.createDocument, {
                title,
                content: `# ${title}\n`
              })
              const { id } = yield* runOperation(entityOperations.createEntity, {
                name: `Thing ${place}`,
                type: "concept"
              })
              return { document: docId, entity: id }
            })
          ),
          Caller,
          as(workspace)
        )
      )
    await fill(home)
    const foreign = await fill(other)
    const get = async (path: string) => {
      const headers = { authorization: `Bearer ${key.secret}` }
      const response = await app.fetch(new Request(`http://kanon.test/api/v1/${path}`, { headers }))
      return { status: response.status, text: await response.text() }
    }
    for (const [what, kind] of [
      ["documents", "document"],
      ["entities", "entity"]
    ] as const) {
      const theirs = foreign.map((one) => one[kind])
      // Ids of the same form, close to existing ones, that belong to nothing.
      const nobodys = theirs.map((id) => `${id.slice(0, -3)}${id.endsWith("000") ? "111" : "000"}`)
      let body: string | undefined
      const ask = async (ids: ReadonlyArray<string>, window: number) => {
        for (let i = 0; i < requestsPerWindow[size]; i++) {
          const id = ids[(window * requestsPerWindow[size] + i) % ids.length] ?? ""
          const { status, text } = await get(`${what}/${id}`)
          // Both are told the same, word for word.
          body ??= text
          if (status !== 404 || text !== body) throw new Error(`${id}: ${status} ${text}`)
        }
      }
      const pairs = await interleaved(
        pairsWanted[size],
        (window) => costOf(() => ask(theirs, window)),
        (window) => costOf(() => ask(nobodys, window))
      )
      const peer = "the same request for an id that nothing has"
      const line = (cost: "cpuMs" | "wallMs") => ({ ...compare(pairs, (one) => one[cost]), unit: "ms", peer })
      const metric = `${requestsPerWindow[size]} requests for another workspace's ${what}`
      const cpu = line("cpuMs")
      report({ metric: `${metric}, CPU`, ...cpu, target: "<= 1.05" })
      report({ metric: `${metric}, CPU, not less either`, ...cpu, target: ">= 0.95" })
      report({ metric: `${metric}, wall`, ...line("wallMs") })
    }
    await runtime.dispose()
  })
