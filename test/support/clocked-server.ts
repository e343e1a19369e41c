import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import Database from "better-sqlite3"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { type Engine, sqlitePorts } from "../../adapters/sqlite/index.js"
import { openEngine, wiring } from "../../core/engine/engine/index.js"
import { mintAsHost } from "../../core/platform/identity/index.js"
import { Caller, scopeOf, scopes, WorkspaceId } from "../../core/platform/kernel/index.js"
import { makeApp } from "../../server/http/app.js"
import { listen } from "../../server/listen.js"

/** A workspace on disk, served on a socket and worked on as the standard server does it, by a clock of the test's. */
export interface ClockedServer {
  /** The engine beside the server: what a program that embeds Kanon holds. */
  readonly engine: Engine
  /** Calls over HTTP with a key of every scope; the answer's JSON. */
  readonly call: (method: string, path: string, body?: unknown) => Promise<Answered>
  /** Rows of a statement of the test's own, read past everything that Kanon does. */
  readonly rows: <Row>(statement: string, ...values: ReadonlyArray<string | number>) => ReadonlyArray<Row>
  readonly write: (path: string, text: string) => void
  readonly moveClock: (millis: number) => void
  readonly close: () => Promise<void>
}

export interface Answered {
  readonly status: number
  readonly body: unknown
}

const limits = { headersTimeoutMs: 10_000, bodyTimeoutMs: 30_000, sendTimeoutMs: 30_000, shutdownMs: 2_000 }

export const clockedServer = async (name: string): Promise<ClockedServer> => {
  const folder = mkdtempSync(join(tmpdir(), "kanon-clocked-"))
  const [vault, data] = [join(folder, "vault"), join(folder, "data")]
  mkdirSync(vault)
  mkdirSync(data)
  const { clock, move } = movable()
  const ports = Layer.provideMerge(sqlitePorts({ vault, data }), Layer.setClock(clock))
  const engine = await openEngine(ports, { name, worker: true, owner: `test:${name}` })
  const workspace = WorkspaceId.parse(engine.workspace.id)
  const runtime = ManagedRuntime.make(Layer.provideMerge(wiring, ports))
  const owner = { kind: "workspace", workspace } as const
  const local = { workspace: scopeOf(workspace), actor: "local", activity: "ui" } as const
  const { secret } = await runtime.runPromise(
    Effect.provideService(mintAsHost({ name: "test", scopes, expiresAt: null, owner }), Caller, local)
  )
  const { fetch: serve } = makeApp({ runtime, checkResponses: true })
  const listening = await listen(serve, { host: "127.0.0.1", port: 0, ...limits })
  const database = new Database(join(data, "kanon.sqlite"), { readonly: true })
  return {
    engine,
    call: async (method, path, body) => {
      const response = await fetch(`${listening.url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return { status: response.status, body: await response.json() }
    },
    rows: <Row>(statement: string, ...values: ReadonlyArray<string | number>) =>
      database.prepare<Array<string | number>, Row>(statement).all(...values),
    write: (path, text) => {
      mkdirSync(dirname(join(vault, path)), { recursive: true })
      writeFileSync(join(vault, path), text)
    },
    moveClock: move,
    close: async () => {
      database.close()
      await listening.close()
      await runtime.dispose()
      await engine.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** The host's clock, so much further on as it was moved; what sleeps does so in real time. */
export const movable = () => {
  const real = Clock.make()
  let ahead = 0
  const millis = () => real.unsafeCurrentTimeMillis() + ahead
  const clock: Clock.Clock = {
    [Clock.ClockTypeId]: real[Clock.ClockTypeId],
    currentTimeMillis: Effect.sync(millis),
    unsafeCurrentTimeMillis: millis,
    currentTimeNanos: real.currentTimeNanos,
    unsafeCurrentTimeNanos: () => real.unsafeCurrentTimeNanos(),
    sleep: (duration) => real.sleep(duration)
  }
  const move = (by: number): void => {
    ahead += by
  }
  return { clock, move }
}
