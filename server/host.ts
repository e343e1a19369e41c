import { statSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import { processOwner } from "../adapters/host/process-owner.js"
import { onReservedConnection } from "../adapters/sql/reserved-connection.js"
import { absoluteVault } from "../adapters/vault/vault-address.js"
import type { Engine } from "../core/engine/index.js"
import { type Ended, NotesOrigins, startWorker } from "../core/jobs/index.js"
import { scopeOf, type WorkspaceId } from "../core/kernel/index.js"
import { type MaintenanceIntervals, recurringJobs } from "../core/maintenance/index.js"
import type { Ports } from "../core/ports.js"
import { handlers, type Wired, wiring } from "../core/wiring.js"
import { WorkspaceStore } from "../core/workspace/index.js"
import { type DataPlace, storeOf } from "./store.js"
import type { Tracing } from "./telemetry/tracing.js"

export interface HostOptions extends DataPlace {
  readonly logger: Logger.Logger<unknown, void>
  /** Whether background jobs are worked on here. */
  readonly worker: boolean
  /** Jobs of each kind at once, where one worker serves all workspaces; 1 by default. */
  readonly workerSlots?: number
  /** How often the worker does what comes by itself. */
  readonly upkeep?: MaintenanceIntervals
  /** False leaves the files to others: neither watches them nor takes them in, save as jobs do. True by default. */
  readonly watches?: boolean
  /** Told of each attempt at a job that is over, where one worker serves all workspaces. */
  readonly onJobEnd?: (ended: Ended) => Effect.Effect<void>
  /** Whether the built-in models stand in for absent ones; true by default. */
  readonly builtInModels?: boolean
  /** Whether models that workspaces choose may stand in private networks; true by default. */
  readonly privateModelAddresses?: boolean
  /** Folders below which SQLite files of live-data connectors may lie; none by default. */
  readonly liveDataFolders?: ReadonlyArray<string>
  /** Whether live-data connectors may reach databases in private networks; false by default. */
  readonly privateDataAddresses?: boolean
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

/** Data that do not answer within so long are not ready, whatever comes of it. */
const readyMs = 1_000

/** How soon a workspace is looked after that another process has made. */
const lookMs = 2_000

/**
 * Opens every workspace of a data folder: one runtime serves requests, and on it each workspace has an engine of its own
 * that watches its files. Jobs of a SQLite folder are worked on by these engines, which have a thread for what is long;
 * elsewhere, and where nothing is watched, by one worker for all workspaces.
 */
export const openHost = async (options: HostOptions): Promise<Host> => {
  const { tracing, watches = true } = options
  const isShared = options.worker && (options.database !== undefined || !watches)
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
          worker: options.worker && !isShared,
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

  const worker = isShared ? runtime.runFork(workForAll(options)) : undefined
  let isAttached = watches ? await attach() : true
  let looking: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    if (!watches) return
    looking = looking.then(async () => {
      isAttached = await attach().catch(() => false)
    })
  }, lookMs)

  return {
    runtime,
    isReady: async () => {
      try {
        const looked = onReservedConnection(Effect.flatMap(WorkspaceStore, (store) => store.first))
        await runtime.runPromise(Effect.timeout(looked, readyMs))
        return isAttached
      } catch {
        return false
      }
    },
    close: async () => {
      clearInterval(timer)
      await looking
      if (worker !== undefined) await Effect.runPromise(Fiber.interrupt(worker))
      await Promise.all([...engines.values()].map((engine) => engine.close()))
      await runtime.dispose()
    }
  }
}

/** Works on the jobs of all workspaces until it is interrupted; hands back what runs then. */
const workForAll = ({ onJobEnd, upkeep, workerSlots = 1 }: HostOptions) =>
  Effect.scoped(
    Effect.zipRight(
      startWorker(handlers, {
        owner: processOwner("worker"),
        slotsMin: workerSlots,
        recurring: recurringJobs(upkeep),
        ...(onJobEnd === undefined ? {} : { onEnd: onJobEnd })
      }),
      Effect.never
    )
  )

/** Every workspace with the folder of its files. */
const vaults = ({ data, vault }: Pick<HostOptions, "data" | "vault">) =>
  Effect.flatMap(WorkspaceStore, (store) =>
    Effect.flatMap(store.readable, (all) =>
      Effect.forEach(all, ({ id }) =>
        Effect.map(store.vault(scopeOf(id)), (own) => ({
          id,
          folder: Option.match(own, { onNone: () => vault, onSome: (folder) => absoluteVault(folder, data) })
        }))
      )
    )
  )
