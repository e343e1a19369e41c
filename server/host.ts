import { statSync } from "node:fs"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import type { Engine } from "../core/engine.js"
import { NotesOrigins } from "../core/jobs/index.js"
import { scopeOf, type WorkspaceId } from "../core/kernel/index.js"
import type { Ports } from "../core/ports.js"
import { type Wired, wiring } from "../core/wiring.js"
import { WorkspaceStore } from "../core/workspace/index.js"
import { type DataPlace, storeOf } from "./store.js"
import type { Tracing } from "./telemetry/tracing.js"

export interface HostOptions extends DataPlace {
  readonly logger: Logger.Logger<unknown, void>
  /** Whether background jobs are worked on here. */
  readonly worker: boolean
  /** Whether the built-in models stand in for absent ones; true by default. */
  readonly builtInModels?: boolean
  /** Whether models that workspaces choose may stand in private networks; true by default. */
  readonly privateModelAddresses?: boolean
  /** The one workspace that is looked after; every one by default. */
  readonly workspace?: WorkspaceId
  /** Takes the spans of what is served and worked on. */
  readonly tracing?: Pick<Tracing, "sink" | "tracer">
}

/** The workspaces of one data folder, served by this process. */
export interface Host {
  /** Serves requests of any workspace. */
  readonly runtime: ManagedRuntime.ManagedRuntime<Ports | Wired, never>
  /** Whether the data answers and every workspace is looked after. */
  readonly isReady: () => Promise<boolean>
  /** Ends watching, hands jobs back, closes the data. */
  readonly close: () => Promise<void>
}

/** How soon a workspace is looked after that another process has made. */
const lookMs = 2_000

/**
 * Opens every workspace of a data folder: one runtime serves requests, and on it each workspace has an engine of its own
 * that watches its files and works on its jobs.
 */
export const openHost = async (options: HostOptions): Promise<Host> => {
  const { tracing } = options
  const store = await storeOf(options)
  const served = Layer.provideMerge(wiring, store.ports(options))
  const runtime = ManagedRuntime.make(
    tracing === undefined
      ? served
      : Layer.mergeAll(served, Layer.setTracer(tracing.tracer), Layer.succeed(NotesOrigins, true))
  )
  const engines = new Map<WorkspaceId, Engine>()
  const warn = (message: string, error: unknown) =>
    runtime.runPromise(Effect.logWarning(message, error).pipe(Effect.ignore))

  const attach = async (): Promise<boolean> => {
    const places = await runtime.runPromise(vaults(options))
    let all = true
    for (const { folder, id } of places) {
      if (engines.has(id) || (options.workspace !== undefined && id !== options.workspace)) continue
      if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
        all = false
        continue
      }
      try {
        const engine = await store.createEngineOn(runtime, {
          ...options,
          workspace: id,
          ...(tracing === undefined ? {} : { spans: tracing.sink })
        })
        engines.set(id, engine)
        await engine.watch()
      } catch (error) {
        all = false
        await warn(`The workspace ${id} cannot be looked after.`, error)
      }
    }
    return all
  }

  let isAttached = await attach()
  let looking: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    looking = looking.then(async () => {
      isAttached = await attach().catch(() => false)
    })
  }, lookMs)

  return {
    runtime,
    isReady: async () => {
      try {
        await runtime.runPromise(Effect.flatMap(WorkspaceStore, (store) => store.first))
        return isAttached
      } catch {
        return false
      }
    },
    close: async () => {
      clearInterval(timer)
      await looking
      await Promise.all([...engines.values()].map((engine) => engine.close()))
      await runtime.dispose()
    }
  }
}

/** Every workspace with the folder of its files. */
const vaults = ({ data, vault }: Pick<HostOptions, "data" | "vault">) =>
  Effect.flatMap(WorkspaceStore, (store) =>
    Effect.flatMap(store.list, (all) =>
      Effect.forEach(all, ({ id }) =>
        Effect.map(store.vault(scopeOf(id)), (own) => ({
          id,
          folder: Option.match(own, { onNone: () => vault, onSome: (folder) => resolve(data, folder) })
        }))
      )
    )
  )
