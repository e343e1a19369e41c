import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { z } from "zod"
import { doctor } from "./doctor.js"
import { documentsChanged, letWritersEnd, type Repair, reconcileFiles, Vault } from "./documents/index.js"
import type { Engine, IngestOptions, IngestReport } from "./engine.js"
import { eventHub, followQueue, heard } from "./events.js"
import { exportPieces } from "./export.js"
import { giveWay } from "./give-way.js"
import { findWorkspace } from "./identity/index.js"
import { ingest } from "./ingest.js"
import { enqueue, JobStore } from "./jobs/index.js"
import {
  atomically,
  Caller,
  type CallerShape,
  crashPoint,
  type Fault,
  type FaultTag,
  Ids,
  isFault,
  KanonError,
  NotFound,
  now,
  type Operation,
  runOperation,
  scopeOf
} from "./kernel/index.js"
import { operations } from "./operations.js"
import type { Ports } from "./ports.js"
import { repairLexicalIndex, vectorsAreBehind } from "./retrieval/index.js"
import { status } from "./status.js"
import { jobKinds, type Wired, wiring } from "./wiring.js"
import { type MakeWorkshop, workOnJobs } from "./workshop.js"
import { Settings, type Workspace, WorkspaceStore } from "./workspace/index.js"

/** What an engine is opened with, beside its ports. */
export interface OpenOptions {
  /** The name of the workspace when it is made. */
  readonly name: string
  /** The workspace to open; the first one of the store by default, made where there is none. */
  readonly workspace?: string
  /** Whether this process works on background jobs. */
  readonly worker: boolean
  /** Names this process to the others that share its data. */
  readonly owner: string
  /** Where long work is done; on the main loop by default. */
  readonly workshop?: MakeWorkshop
  /** False leaves what a crash left as it is; true by default. */
  readonly mend?: boolean
}

type Services = Ports | Wired

/**
 * Opens an engine over a layer of ports: makes the workspace on first use, mends what a crash left, starts the
 * worker. An `Extractor` among the ports replaces the built-in one. Rejected with a KanonError when the vault
 * cannot be read, with the error of the layer otherwise.
 */
export const openEngine = async <E>(ports: Layer.Layer<Ports, E>, options: OpenOptions): Promise<Engine> => {
  const runtime = ManagedRuntime.make(Layer.provideMerge(wiring, ports))
  try {
    const opened = await settle(runtime.runPromiseExit(open(options)))
    return face(runtime, opened)
  } catch (error) {
    await runtime.dispose()
    throw error
  }
}

/** The workspace of the store, made when there is none; files and indexes agree afterwards. */
const open = (options: OpenOptions) =>
  Effect.gen(function* () {
    const [store, ids, at] = [yield* WorkspaceStore, yield* Ids, yield* now]
    const orElse = <E, R>(make: Effect.Effect<Workspace, E, R>) =>
      Effect.flatMap(store.first, Option.match({ onSome: Effect.succeed, onNone: () => make }))
    const made = { id: ids.make("workspace"), name: options.name, settings: Settings.parse({}) }
    // As one unit: of two processes that come first at once, the later one finds the workspace.
    const workspace =
      options.workspace === undefined
        ? yield* orElse(atomically(orElse(Effect.as(store.insert(made, at), made))))
        : yield* named(options.workspace)
    yield* crashPoint("open.afterWorkspace")
    const caller: CallerShape = { workspace: scopeOf(workspace.id), actor: "local", activity: "ui" }
    const repairs = options.mend === false ? [] : yield* Effect.provideService(mendAtStart, Caller, caller)
    const scope = yield* Scope.make()
    const workshop =
      options.workshop === undefined
        ? null
        : yield* options.workshop.pipe(Scope.extend(scope), Effect.provideService(Caller, caller))
    return { options, workspace, caller, repairs, workshop, closeWorkshop: Scope.close(scope, Exit.void) }
  })

const named = (id: string) =>
  Effect.flatMap(
    findWorkspace(id),
    Option.match({ onNone: () => new NotFound({ what: "workspace" }), onSome: Effect.succeed })
  )

/** Mends what a crash or another version left; `doctor` finds all that this does, and more. */
const mendAtStart = Effect.gen(function* () {
  const { workspace } = yield* Caller
  yield* letWritersEnd()
  const repairs: Array<Repair> = [...(yield* reconcileFiles()).repairs]
  if (yield* repairLexicalIndex(workspace)) repairs.push(textIndexRebuilt)
  yield* oweVectors
  return repairs
})

const textIndexRebuilt: Repair = {
  code: "text_index_rebuilt",
  message: "made the text index anew from the passages"
}

/** Asks for vectors that no change will ask for: the model is another one, or a job for them has died. */
const oweVectors = Effect.gen(function* () {
  const { workspace } = yield* Caller
  if (!(yield* vectorsAreBehind(workspace))) return
  const { running, waiting } = yield* (yield* JobStore).depth(workspace, [jobKinds.embedding])
  if (running + waiting === 0) yield* enqueue([{ kind: jobKinds.embedding, dedupeKey: documentsChanged }])
})

type Opened = Effect.Effect.Success<ReturnType<typeof open>>

const face = <E>(
  runtime: ManagedRuntime.ManagedRuntime<Services, E>,
  { caller, closeWorkshop, options, repairs, workshop, workspace }: Opened
): Engine => {
  const turn = giveWay()
  const run = async <A>(effect: Effect.Effect<A, Fault, Services | Caller>): Promise<A> => {
    if (closed !== undefined) throw new Error("The engine is closed.")
    return settle(
      runtime.runPromiseExit(Effect.zipRight(turn, Effect.provideService(effect, Caller, caller)))
    )
  }
  const call = <Input extends z.ZodType, Output extends z.ZodType, Tag extends FaultTag>(
    operation: Operation<string, Input, Output, Tag, Services | Caller>,
    input: unknown
  ): Promise<z.input<Output>> => run(runOperation(operation, input))

  const worker = options.worker
    ? runtime.runFork(Effect.provideService(workOnJobs(options.owner, workshop), Caller, caller))
    : undefined
  const watching = new Set<Fiber.RuntimeFiber<unknown, unknown>>()
  let queueWatch: Fiber.RuntimeFiber<unknown, unknown> | undefined
  const hub = eventHub({
    onThrow: (error, name) => {
      runtime.runFork(Effect.logWarning(`A listener of '${name}' threw an error.`, error))
    },
    onHeard: (name, isHeard) => {
      if (name !== "queue" || closed !== undefined) return
      if (queueWatch !== undefined) Effect.runFork(Fiber.interruptFork(queueWatch))
      const follow = followQueue((state) => hub.tell("queue", state))
      queueWatch = isHeard ? runtime.runFork(Effect.provideService(follow, Caller, caller)) : undefined
    }
  })
  let closed: Promise<void> | undefined
  const close = async () => {
    if (queueWatch !== undefined) await Effect.runPromise(Fiber.interrupt(queueWatch))
    await Effect.runPromise(Fiber.interruptAll(watching))
    if (worker !== undefined) await Effect.runPromise(Fiber.interrupt(worker))
    await Effect.runPromise(closeWorkshop)
    await runtime.dispose()
  }
  const toldIngest = (given: IngestOptions) =>
    heard(
      hub,
      { operation: "ingest", name: "ingested", describe: (report) => report },
      ingest(
        {
          ...given,
          onProgress: (progress) => {
            hub.tell("ingestProgress", progress)
            given.onProgress?.(progress)
          }
        },
        workshop
      )
    )
  // Programs without types may hand over null.
  const ingestNow = (given?: IngestOptions | null): Promise<IngestReport> =>
    run(toldIngest({ ...given, wait: given?.wait ?? options.worker }))

  return {
    workspace: { id: workspace.id, name: workspace.name },
    repairs,
    documents: {
      list: (input = {}) => call(operations.listDocuments, input),
      get: (id) => call(operations.getDocument, { id }),
      getByPath: (path) => call(operations.getDocumentByPath, { path }),
      create: (input) => call(operations.createDocument, input),
      replace: (id, content) => call(operations.replaceDocument, { id, content }),
      move: (id, path) => call(operations.moveDocument, { id, path }),
      remove: (id) => call(operations.deleteDocument, { id }),
      restore: (id, path) => call(operations.restoreDocument, { id, path })
    },
    search: (query, input = {}) =>
      run(
        heard(
          hub,
          {
            operation: "search",
            name: "search",
            describe: ({ results, total }, durationMs) => ({ durationMs, results: results.length, total })
          },
          runOperation(operations.search, { ...input, q: query })
        )
      ),
    ask: (question, input = {}) =>
      run(
        heard(
          hub,
          {
            operation: "ask",
            name: "ask",
            describe: ({ claims, policy, sources, usage }, durationMs) => ({
              durationMs,
              verdict: policy.verdict,
              claims: claims.length,
              sources: sources.length,
              usage
            })
          },
          runOperation(operations.query, { ...input, question })
        )
      ),
    entities: {
      list: (input = {}) => call(operations.listEntities, input),
      get: (id) => call(operations.getEntity, { id }),
      create: (input) => call(operations.createEntity, input),
      update: (id, change) => call(operations.updateEntity, { ...change, id }),
      remove: (id) => call(operations.deleteEntity, { id }),
      resolve: (name, input = {}) => call(operations.resolveEntities, { ...input, q: name }),
      neighborhood: (id, input = {}) => call(operations.getNeighborhood, { ...input, id }),
      mentions: (id, input = {}) => call(operations.listMentions, { ...input, entityId: id }),
      merge: (id, intoId, note) => call(operations.mergeEntity, { id, intoId, note })
    },
    relations: {
      list: (input = {}) => call(operations.listRelations, input),
      create: (input) => call(operations.createRelation, input),
      remove: (id) => call(operations.deleteRelation, { id })
    },
    jobs: {
      list: (input = {}) => call(operations.listJobs, input),
      retry: (ids) =>
        call(operations.startJob, {
          kind: "retry",
          ...(ids === undefined ? { all: true } : { subjectIds: ids })
        })
    },
    ingest: ingestNow,
    export: () => {
      if (closed !== undefined) throw new Error("The engine is closed.")
      return exportPieces(runtime, caller.workspace)
    },
    watch: async (onIngest) => {
      const fiber = runtime.runFork(
        Effect.provideService(follow(toldIngest({ wait: options.worker }), onIngest), Caller, caller)
      )
      watching.add(fiber)
      return { close: () => Effect.runPromise(Effect.asVoid(Fiber.interrupt(fiber))) }
    },
    status: () => run(status()),
    doctor: (given) => run(doctor(given ?? {}, { owner: options.owner, works: options.worker })),
    on: hub.on,
    close: () => {
      closed ??= close()
      return closed
    }
  }
}

/**
 * Ingests with every batch of changes. An ingest that fails is told in the log, and the next change tries again; so
 * is a listener that throws, which stops nothing.
 */
const follow = <R>(work: Effect.Effect<IngestReport, Fault, R>, onIngest?: (report: IngestReport) => void) =>
  Effect.flatMap(Vault, (vault) =>
    Stream.runForEach(vault.watch, () =>
      work.pipe(
        Effect.flatMap((report) =>
          warned(
            Effect.sync(() => onIngest?.(report)),
            listenerThrew
          )
        ),
        (ingested) => warned(ingested, notIngested)
      )
    )
  )

const notIngested = "The vault changed, but could not be ingested."
const listenerThrew = "The vault was ingested, but the listener of its changes threw an error."

/** Puts what goes wrong into the log and goes on; an interruption still ends it. */
const warned = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  message: string
): Effect.Effect<A | undefined, E, R> =>
  Effect.catchAllCause(effect, (cause) =>
    Cause.isInterrupted(cause)
      ? Effect.failCause(cause)
      : Effect.as(Effect.logWarning(message, cause), undefined)
  )

/** The value, or a KanonError for a fault (of the data as a whole too), or the defect itself: a bug, or a broken disk. */
export const settle = async <A, E>(pending: Promise<Exit.Exit<A, E>>): Promise<A> => {
  const exit = await pending
  if (Exit.isSuccess(exit)) return exit.value
  const error = Cause.squash(exit.cause)
  throw isFault(error) ? new KanonError(error) : error
}
