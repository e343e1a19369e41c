import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import {
  type CrawlerProvider,
  type sourcesOperations,
  syncHandler
} from "../../core/connected/sources/index.js"
import { type Wired, wiring } from "../../core/engine/engine/index.js"
import { DocumentStore } from "../../core/files/documents/index.js"
import { operations } from "../../core/operations.js"
import { type AccessExplanation, userPrincipal, withView } from "../../core/platform/access/index.js"
import { createUser, createWorkspace, IdentityStore } from "../../core/platform/identity/index.js"
import { JobStore, jobKinds } from "../../core/platform/jobs/index.js"
import {
  Caller,
  type ContentConnectorId,
  CrashPoints,
  type Fault,
  runOperation,
  scopeOf,
  type WorkspaceScope
} from "../../core/platform/kernel/index.js"
import type { Ports } from "../../core/ports.js"
import { portsOf } from "./database.js"

const real = Clock.make()
/** A clock on which waiting takes no time. */
const instantClock: Clock.Clock = { ...real, sleep: () => Effect.yieldNow() }

type Services = Ports | Wired

/** A workspace whose syncs are carried out by the test, which may break them off. */
export interface SyncWorld {
  readonly run: <A>(work: Effect.Effect<A, Fault, Services | Caller>) => Promise<A>
  readonly workspace: WorkspaceScope
  readonly connect: (input: Readonly<Record<string, unknown>>) => Promise<ContentConnectorId>
  /** Starts a sync, without carrying it out. */
  readonly start: (id: ContentConnectorId, input?: Readonly<Record<string, unknown>>) => Promise<void>
  /** Carries out what waits, as a worker does; false when it broke off. */
  readonly work: (id: ContentConnectorId, onCrashPoint?: (name: string) => void) => Promise<boolean>
  readonly sync: (
    id: ContentConnectorId,
    input?: Readonly<Record<string, unknown>>
  ) => ReturnType<SyncWorld["detail"]>
  readonly detail: (id: ContentConnectorId) => Promise<{
    readonly connector: Awaited<ReturnType<SyncWorld["read"]>>["connector"]
    readonly run: Awaited<ReturnType<SyncWorld["read"]>>["syncs"][number]
  }>
  readonly read: (
    id: ContentConnectorId
  ) => Promise<Effect.Effect.Success<ReturnType<typeof sourcesOperations.getContentConnector.run>>>
  /** The live documents of the workspace: texts by path. */
  readonly texts: () => Promise<ReadonlyMap<string, string>>
  /** Makes a member with this e-mail address; gives the principal. */
  readonly member: (email: string) => Promise<string>
  /** Paths of the documents that these principals read, in order. */
  readonly readable: (...principals: ReadonlyArray<string>) => Promise<ReadonlyArray<string>>
  /** Who reads the document at a path, and why. */
  readonly accessOf: (path: string) => Promise<AccessExplanation>
  readonly close: () => Promise<void>
}

/** Opens a workspace with these providers. Waiting takes no time, unless files are converted, which has a time limit. */
export const openSyncWorld = async (
  crawlers: ReadonlyArray<CrawlerProvider>,
  { converts = false }: { readonly converts?: boolean } = {}
): Promise<SyncWorld> => {
  const folder = mkdtempSync(join(tmpdir(), "kanon-sync-"))
  const ports = portsOf({ vault: folder, data: ":memory:", crawlers })
  const runtime = ManagedRuntime.make(Layer.provideMerge(wiring, ports))
  const { id: workspaceId } = await runtime.runPromise(createWorkspace("Sources", () => folder))
  const workspace = scopeOf(workspaceId)
  const caller = { workspace, actor: "local", activity: "ui" } as const
  const withClock = Effect.withClock(converts ? real : instantClock)
  const run: SyncWorld["run"] = (work) =>
    runtime.runPromise(withClock(Effect.provideService(work, Caller, caller)))
  const world: SyncWorld = {
    run,
    workspace,
    connect: async (input) =>
      (await run(runOperation(operations.createContentConnector, input))).id as ContentConnectorId,
    start: async (id, input = {}) => {
      await run(runOperation(operations.syncContentConnector, { id, ...input }))
    },
    work: async (id, onCrashPoint) => {
      const job = await run(
        Effect.gen(function* () {
          const { items } = yield* (yield* JobStore).list(
            workspace,
            { limit: 1, offset: 0 },
            { kind: jobKinds.sync, subjectId: id }
          )
          return items[0]
        })
      )
      if (job === undefined) throw new RangeError("No sync was started.")
      const tools = { progress: () => Effect.void, fenced: <A, E, R>(work: Effect.Effect<A, E, R>) => work }
      const handled = syncHandler
        .run(job, tools)
        .pipe(
          Effect.provideService(Caller, { workspace, actor: "system", activity: `${job.kind}:${job.id}` }),
          (work) =>
            onCrashPoint === undefined ? work : Effect.provideService(work, CrashPoints, onCrashPoint)
        )
      const exit = await runtime.runPromiseExit(withClock(handled))
      return Exit.isSuccess(exit)
    },
    sync: async (id, input) => {
      await world.start(id, input)
      if (!(await world.work(id))) throw new Error("The sync broke off.")
      return world.detail(id)
    },
    read: (id) => run(runOperation(operations.getContentConnector, { id })),
    detail: async (id) => {
      const { connector, syncs } = await world.read(id)
      const [newest] = syncs
      if (newest === undefined) throw new RangeError("The connector was never synced.")
      return { connector, run: newest }
    },
    texts: () =>
      run(
        Effect.gen(function* () {
          const store = yield* DocumentStore
          const stamps = yield* store.stamps(workspace)
          const texts = new Map<string, string>()
          for (const { id, path } of stamps) {
            const { content } = yield* runOperation(operations.getDocument, { id })
            texts.set(path, content)
          }
          return texts
        })
      ),
    member: (email) =>
      run(
        Effect.gen(function* () {
          const identity = yield* IdentityStore
          const { id } = yield* createUser(email)
          yield* identity.sessions.setEmail(id, email)
          yield* identity.putMember(workspaceId, id, "member", "2026-01-01T00:00:00.000Z")
          return userPrincipal(id)
        })
      ),
    readable: (...principals) =>
      run(
        Effect.gen(function* () {
          const reader = yield* withView({ ...caller, principals })
          const { items } = yield* runOperation(operations.listDocuments, { limit: 200 }).pipe(
            Effect.provideService(Caller, reader)
          )
          return items.map(({ path }) => path).sort()
        })
      ),
    accessOf: (path) =>
      run(
        Effect.gen(function* () {
          const found = Option.getOrThrow(yield* (yield* DocumentStore).findByPath(workspace, path))
          return yield* runOperation(operations.getDocumentAccess, { id: found.id })
        })
      ),
    close: async () => {
      await runtime.dispose()
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return world
}
