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
import type { Engine } from "../core/engine/engine/index.js"
import { handlers, type Wired, wiring } from "../core/engine/engine/index.js"
import type { ScopesByRole } from "../core/platform/identity/index.js"
import { type Ended, NotesOrigins, startWorker } from "../core/platform/jobs/index.js"
import {
  ReadReplicas,
  type ReplicaState,
  Storage,
  scopeOf,
  type WorkspaceId
} from "../core/platform/kernel/index.js"
import { WorkspaceStore } from "../core/platform/workspace/index.js"
import type { Ports } from "../core/ports.js"
import { type MaintenanceIntervals, recurringJobs } from "../core/upkeep/maintenance/index.js"
import { type DataPlace, storeOf } from "./store.js"
import type { Tracing } from "./telemetry/tracing.js"

export interface HostOptions extends DataPlace {
  readonly logger: Logger.Logger<unknown, void>
  /** Whether this process runs background jobs. */
  readonly worker: boolean
  /** Concurrent jobs per kind, if one worker serves all workspaces; default 1. */
  readonly workerSlots?: number
  /** Intervals of recurring jobs. */
  readonly upkeep?: MaintenanceIntervals
  /** Whether this process watches files and ingests their changes; otherwise only jobs do. Default: true. */
  readonly watches?: boolean
  /** Called for each finished attempt of a job, if one worker serves all workspaces. */
  readonly onJobEnd?: (ended: Ended) => Effect.Effect<void>
  /** Whether built-in models replace missing ones; default: true. */
  readonly builtInModels?: boolean
  /** Whether models that workspaces choose may be at private network addresses; default: true. */
  readonly privateModelAddresses?: boolean
  /** Folder of the thesaurus files that workspaces may name; default: `/usr/share/mythes`. */
  readonly thesaurusFolder?: string
  /** Folders that may contain SQLite files of live-data connectors; default: none. */
  readonly liveDataFolders?: ReadonlyArray<string>
  /** Whether live-data connectors may reach databases in private networks; default: false. */
  readonly privateDataAddresses?: boolean
  /** Command lines that MCP servers of workspaces may be started with; default: none. */
  readonly mcpCommands?: ReadonlyArray<string | ReadonlyArray<string>>
  /** Environment variables that workspaces may set for these programs; default: none. */
  readonly mcpEnvironment?: ReadonlyArray<string>
  /** Whether content connectors may reach sources in private networks; default: false. */
  readonly privateConnectorAddresses?: boolean
  /** Folders that may contain sources with a `file:` address; default: none. */
  readonly sourceFolders?: ReadonlyArray<string>
  /** Maximum scopes of members by role. */
  readonly roleScopes?: ScopesByRole
  /** The only workspace to serve; default: all. */
  readonly workspace?: WorkspaceId
  /** Receives the spans of requests and jobs. */
  readonly tracing?: Pick<Tracing, "sink" | "tracer">
}

/** The workspaces of a data folder, served by this process. */
export interface Host {
  /** Runs requests of any workspace. */
  readonly runtime: ManagedRuntime.ManagedRuntime<Ports | Wired, never>
  /** Returns whether the data responds and every workspace is open. */
  readonly isReady: () => Promise<boolean>
  /** What the host lacks so that writes fail; null when nothing is missing. */
  readonly shortage: () => Promise<string | null>
  /** The replicas that this process reads at. */
  readonly replicas: () => Promise<ReadonlyArray<ReplicaState>>
  /** Stops watching and returns jobs to the queue; requests are still served. */
  readonly stopWork: () => Promise<void>
  /** Stops work, closes the data. */
  readonly close: () => Promise<void>
}

/** Data that does not respond within this time is not ready. */
const readyMs = 1_000

/** How long a look at the disk is valid: it writes, and everybody may ask for it. */
const shortageMs = 2_000

/** Calls at most once in a while; calls in between share the result. */
const keptFor = <A>(ms: number, look: () => Promise<A>): (() => Promise<A>) => {
  let [looked, result]: [number, Promise<A> | null] = [0, null]
  return () => {
    const now = performance.now()
    if (result === null || now - looked >= ms) [looked, result] = [now, look()]
    return result
  }
}

/** Interval for opening workspaces that another process has created. */
const lookMs = 2_000

/**
 * Opens every workspace of a data folder: one runtime serves requests, and on it each workspace has an engine that
 * watches its files. On SQLite these engines run the jobs, with a thread for long work; otherwise, or without
 * watching, one worker serves all workspaces.
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

  const stopAll = async () => {
    clearInterval(timer)
    await looking
    if (worker !== undefined) await Effect.runPromise(Fiber.interrupt(worker))
    await Promise.all([...engines.values()].map((engine) => engine.close()))
  }
  let stopped: Promise<void> | undefined
  const stopWork = () => {
    stopped ??= stopAll()
    return stopped
  }

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
    shortage: keptFor(shortageMs, () =>
      runtime.runPromise(Effect.flatMap(Storage, ({ shortage }) => shortage)).catch(() => null)
    ),
    replicas: () => runtime.runPromise(Effect.map(ReadReplicas, ({ states }) => states())),
    stopWork,
    close: async () => {
      await stopWork()
      await runtime.dispose()
    }
  }
}

/** Runs the jobs of all workspaces until interrupted; then returns running jobs to the queue. */
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

/** Returns every workspace with its vault folder. */
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
