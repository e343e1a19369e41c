import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { z } from "zod"
import { documentsChanged, type Repair, reconcileFiles, Vault } from "./documents/index.js"
import type { Engine, IngestOptions, IngestReport } from "./engine.js"
import { ingest } from "./ingest.js"
import { enqueue, JobStore, startWorker } from "./jobs/index.js"
import {
  atomically,
  Caller,
  type CallerShape,
  type Fault,
  type FaultTag,
  faultCodes,
  Ids,
  KanonError,
  now,
  type Operation,
  runOperation,
  scopeOf
} from "./kernel/index.js"
import { operations } from "./operations.js"
import type { Ports } from "./ports.js"
import { repairLexicalIndex, vectorsAreBehind } from "./retrieval/index.js"
import { handlers, jobKinds, type Wired, wiring } from "./wiring.js"
import { Settings, WorkspaceStore } from "./workspace/index.js"

/** What an engine is opened with, beside its ports. */
export interface OpenOptions {
  /** The name of the workspace when it is made. */
  readonly name: string
  /** Whether this process works on background jobs. */
  readonly worker: boolean
  /** Names this process to the others that share its data. */
  readonly owner: string
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
    // As one unit: of two processes that come first at once, the later one finds the workspace.
    const workspace = yield* atomically(
      Effect.flatMap(
        store.first,
        Option.match({
          onSome: Effect.succeed,
          onNone: () => {
            const made = { id: ids.make("workspace"), name: options.name, settings: Settings.parse({}) }
            return Effect.as(store.insert(made, at), made)
          }
        })
      )
    )
    const caller: CallerShape = { workspace: scopeOf(workspace.id), actor: "local", activity: "ui" }
    const reconciled = yield* Effect.provideService(reconcileFiles(), Caller, caller)
    const repairs: Array<Repair> = [...reconciled.repairs]
    if (yield* repairLexicalIndex(caller.workspace)) repairs.push(textIndexRebuilt)
    yield* Effect.provideService(oweVectors, Caller, caller)
    return { options, workspace, caller, repairs }
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
  { caller, options, repairs, workspace }: Opened
): Engine => {
  const run = async <A>(effect: Effect.Effect<A, Fault, Services | Caller>): Promise<A> => {
    if (closed !== undefined) throw new Error("The engine is closed.")
    return settle(runtime.runPromiseExit(Effect.provideService(effect, Caller, caller)))
  }
  const call = <Input extends z.ZodType, Output extends z.ZodType, Tag extends FaultTag>(
    operation: Operation<string, Input, Output, Tag, Services | Caller>,
    input: unknown
  ): Promise<z.input<Output>> => run(runOperation(operation, input))

  const worker = options.worker
    ? runtime.runFork(
        Effect.scoped(Effect.zipRight(startWorker(handlers, { owner: options.owner }), Effect.never))
      )
    : undefined
  const watching = new Set<Fiber.RuntimeFiber<unknown, unknown>>()
  let closed: Promise<void> | undefined
  const close = async () => {
    await Effect.runPromise(Fiber.interruptAll(watching))
    if (worker !== undefined) await Effect.runPromise(Fiber.interrupt(worker))
    await runtime.dispose()
  }
  // Programs without types may hand over null.
  const ingestNow = (given?: IngestOptions | null): Promise<IngestReport> =>
    run(ingest({ ...given, wait: given?.wait ?? options.worker }))

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
    search: (query, input = {}) => call(operations.search, { ...input, q: query }),
    ask: (question, input = {}) => call(operations.query, { ...input, question }),
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
    watch: async (onIngest) => {
      const fiber = runtime.runFork(Effect.provideService(follow(options.worker, onIngest), Caller, caller))
      watching.add(fiber)
      return { close: () => Effect.runPromise(Effect.asVoid(Fiber.interrupt(fiber))) }
    },
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
const follow = (wait: boolean, onIngest?: (report: IngestReport) => void) =>
  Effect.flatMap(Vault, (vault) =>
    Stream.runForEach(vault.watch, () =>
      ingest({ wait }).pipe(
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

/** The value, or a KanonError for a fault, or the defect itself: a bug, or broken storage. */
const settle = async <A, E>(pending: Promise<Exit.Exit<A, E>>): Promise<A> => {
  const exit = await pending
  if (Exit.isSuccess(exit)) return exit.value
  const failure = Cause.failureOption(exit.cause)
  if (Option.isSome(failure) && isFault(failure.value)) throw new KanonError(failure.value)
  throw Cause.squash(exit.cause)
}

const isFault = (error: unknown): error is Fault =>
  typeof error === "object" && error !== null && "_tag" in error && String(error._tag) in faultCodes
