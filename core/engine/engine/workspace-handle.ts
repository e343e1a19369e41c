import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { answerNotKept, askTraced, Query, type TracedAnswer } from "../../answers/answering/index.js"
import { TextListener } from "../../answers/generation/index.js"
import { Vault } from "../../files/documents/index.js"
import { countUnsyncedFiles } from "../../files/vault-sync/index.js"
import { operations } from "../../operations.js"
import { Principal, withView } from "../../platform/access/index.js"
import { lostTail } from "../../platform/audit/index.js"
import { findWorkspace } from "../../platform/identity/index.js"
import { jobKinds, leadsTo, whileWritable } from "../../platform/jobs/index.js"
import {
  asInvalid,
  atomically,
  Caller,
  type CallerShape,
  crashPoint,
  defined,
  EngineClosed,
  type Fault,
  fromReplica,
  Ids,
  type ImportUnfinished,
  invalid,
  isCausedByReadOnlyData,
  KanonError,
  NotFound,
  now,
  readInput,
  runOperation,
  scopeOf,
  type WorkspaceScope,
  yieldToEventLoop
} from "../../platform/kernel/index.js"
import { Settings, type Workspace, WorkspaceStore } from "../../platform/workspace/index.js"
import type { Ports } from "../../ports.js"
import { vectorMemoryShortage } from "../../search/vectors/index.js"
import { inspectWorkspace, recoverAtStartup } from "../../upkeep/integrity/index.js"
import type { MaintenanceIntervals } from "../../upkeep/maintenance/index.js"
import { workspaceView } from "../../upkeep/overview/index.js"
import { handOffRuns } from "../../work/agents/index.js"
import { agentCalls } from "./agent-calls.js"
import { asking, tellingParts } from "./asking.js"
import { type MakeBackgroundWorker, runJobs } from "./background-worker.js"
import { type Call, makeEngineCalls, makeHostCalls, makeVocabularyCalls, type Services } from "./calls.js"
import { connectorCalls } from "./connector-calls.js"
import type { AskOptions, Engine } from "./engine.js"
import { eventHub, followQueue, reported } from "./events.js"
import { exportStream } from "./export-stream.js"
import { ingest } from "./ingest.js"
import type { IngestOptions, IngestReport } from "./ingest-report.js"
import { type CallOptions, makeRunningCalls, unwrapExit } from "./running-calls.js"
import { status } from "./status.js"
import { handlers, wiringWithin } from "./wiring.js"

/** Options for opening an engine, beside its ports. */
export interface OpenOptions {
  /** The name of a new workspace. */
  readonly name: string
  /** The workspace to open; default: the first one, created if there is none. */
  readonly workspace?: string
  /** Whether this process runs background jobs. */
  readonly worker: boolean
  /** Name of this process among those that share its data. */
  readonly owner: string
  /** Runs long work; default: the main thread. */
  readonly workshop?: MakeBackgroundWorker
  /** False skips the recovery after a crash; default: true. */
  readonly mend?: boolean
  /** Intervals of recurring jobs. */
  readonly upkeep?: MaintenanceIntervals
  /** Maximum size of the caches in bytes, if these services are created for this engine. */
  readonly cacheBytes?: number
  /** Time that `close` gives running calls before it stops them, in milliseconds; default 5,000. */
  readonly closeTimeoutMs?: number
  /** How the documents of a workspace that is created are cut into passages. */
  readonly chunking?: Partial<Settings["chunking"]>
  /** Fails if a workspace may not be created now; called only if there is none. */
  readonly mayMake?: Effect.Effect<void, ImportUnfinished>
}

/**
 * Opens an engine over a layer of ports: creates the workspace on first use, recovers from a crash, starts the
 * worker. An `Extractor` among the ports replaces the built-in one. Rejected with a KanonError if the vault cannot be
 * read, else with the error of the layer.
 */
export const openEngine = async <E>(ports: Layer.Layer<Ports, E>, options: OpenOptions): Promise<Engine> => {
  const runtime = ManagedRuntime.make(Layer.provideMerge(wiringWithin(options.cacheBytes ?? null), ports))
  const release = () => runtime.dispose()
  try {
    return makeHandle(runtime, await unwrapExit(runtime.runPromiseExit(open(options))), release)
  } catch (error) {
    await release()
    throw error
  }
}

/**
 * Opens an engine on shared services, which stay open when it is closed: those of a process that serves several
 * workspaces.
 */
export const openEngineOn = async <E>(
  runtime: ManagedRuntime.ManagedRuntime<Services, E>,
  options: OpenOptions
): Promise<Engine> =>
  makeHandle(runtime, await unwrapExit(runtime.runPromiseExit(open(options))), () => Promise.resolve())

/** Returns the workspace of the store, created if there is none; afterwards files and indexes agree. */
const open = (options: OpenOptions) =>
  Effect.gen(function* () {
    const [store, ids, at] = [yield* WorkspaceStore, yield* Ids, yield* now]
    const orElse = <E, R>(make: Effect.Effect<Workspace, E, R>) =>
      Effect.flatMap(store.first, Option.match({ onSome: Effect.succeed, onNone: () => make }))
    const made = {
      id: ids.make("workspace"),
      name: options.name,
      settings: Settings.parse({ chunking: options.chunking })
    }
    const { mayMake = Effect.void } = options
    const insert = Effect.zipRight(mayMake, Effect.as(store.insert(made, at), made))
    // One unit of work: of two concurrent processes, the later one finds the workspace. A caller that will be refused
    // does not wait for the unit, since a running import holds it.
    const workspace =
      options.workspace === undefined
        ? yield* orElse(Effect.zipRight(mayMake, atomically(orElse(insert))))
        : yield* findNamedWorkspace(options.workspace)
    yield* crashPoint("open.afterWorkspace")
    const caller: CallerShape = { workspace: scopeOf(workspace.id), actor: "local", activity: "ui" }
    yield* warnOfLostTail(caller.workspace)
    const { repairs } =
      options.mend === false
        ? { repairs: [] }
        : yield* Effect.provideService(
            recoverAtStartup().pipe(Effect.zipLeft(handOffRuns), Effect.zipLeft(warnOfVectorMemory)),
            Caller,
            caller
          )
    const scope = yield* Scope.make()
    const workshop =
      options.workshop === undefined
        ? null
        : yield* options.workshop.pipe(Scope.extend(scope), Effect.provideService(Caller, caller))
    return { options, workspace, caller, repairs, workshop, closeWorkshop: Scope.close(scope, Exit.void) }
  })

const findNamedWorkspace = (id: string) =>
  Effect.flatMap(
    findWorkspace(id),
    Option.match({ onNone: () => new NotFound({ what: "workspace" }), onSome: Effect.succeed })
  )

/** Says so when the database is older than the audit head beside it. Work goes on: a person has to decide. */
const warnOfLostTail = (workspace: WorkspaceScope) =>
  Effect.flatMap(lostTail(workspace), (lost) =>
    lost === null
      ? Effect.void
      : Effect.logError(`The audit trail of the workspace ${workspace} is damaged: ${lost.message}.`)
  )

const warnOfVectorMemory = Effect.flatMap(vectorMemoryShortage, (why) =>
  why === null ? Effect.void : Effect.logWarning(`Vectors: ${why}.`)
)

type Opened = Effect.Effect.Success<ReturnType<typeof open>>

/** Default time that `close` gives running calls. */
const closeTimeoutMs = 5_000

const makeHandle = <E>(
  runtime: ManagedRuntime.ManagedRuntime<Services, E>,
  { caller, closeWorkshop, options, repairs, workshop, workspace }: Opened,
  release: () => Promise<void>
): Engine => {
  const turn = yieldToEventLoop()
  const calls = makeRunningCalls()
  const refuseClosed = () => {
    if (closed !== undefined) throw new KanonError(new EngineClosed({ message: "The engine is closed." }))
  }
  const runAs =
    (actor: CallerShape) =>
    async <A>(
      effect: Effect.Effect<A, Fault, Services | Caller>,
      { signal }: CallOptions = {}
    ): Promise<A> => {
      refuseClosed()
      const work = Effect.zipRight(
        turn,
        Effect.flatMap(withView(actor), (reading) => Effect.provideService(effect, Caller, reading))
      )
      return calls.run((stopped) => runtime.runPromiseExit(work, { signal: stopped }), signal)
    }
  const run = runAs(caller)
  const callAs =
    (actor: CallerShape): Call =>
    (operation, input, given) =>
      runAs(actor)(runOperation(operation, input), given)

  const worker = options.worker
    ? runtime.runFork(Effect.provideService(runJobs(options.owner, workshop, options.upkeep), Caller, caller))
    : undefined
  const watching = new Set<Fiber.RuntimeFiber<unknown, unknown>>()
  /** Starts work that lasts until it ends or the engine is closed. */
  const runFork = <A, E>(effect: Effect.Effect<A, E, Services>) => {
    refuseClosed()
    const fiber = runtime.runFork(effect)
    watching.add(fiber)
    fiber.addObserver(() => watching.delete(fiber))
    return fiber
  }
  let queueWatch: Fiber.RuntimeFiber<unknown, unknown> | undefined
  const hub = eventHub({
    onThrow: (error, name) => {
      runtime.runFork(Effect.logWarning(`A listener of '${name}' threw an error.`, error))
    },
    onHeard: (name, isHeard) => {
      if (name !== "queue" || closed !== undefined) return
      if (queueWatch !== undefined) Effect.runFork(Fiber.interruptFork(queueWatch))
      const ingestChanges = followQueue((state) => hub.tell("queue", state))
      queueWatch = isHeard ? runtime.runFork(Effect.provideService(ingestChanges, Caller, caller)) : undefined
    }
  })
  let closed: Promise<void> | undefined
  const close = async () => {
    await calls.end(options.closeTimeoutMs ?? closeTimeoutMs)
    if (queueWatch !== undefined) await Effect.runPromise(Fiber.interrupt(queueWatch))
    await Effect.runPromise(Fiber.interruptAll(watching))
    if (worker !== undefined) await Effect.runPromise(Fiber.interrupt(worker))
    await Effect.runPromise(closeWorkshop)
    await release()
  }
  const reportedIngest = (given: IngestOptions) =>
    reported(
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
  const askNow = (question: string, given?: AskOptions | null): Promise<TracedAnswer> => {
    const { onPart, onText, signal, ...input } = given ?? {}
    return run(
      reported(
        hub,
        {
          operation: "ask",
          name: "ask",
          describe: ({ answer: { claims, policy, sources, usage }, trace: { answerId } }, durationMs) => ({
            durationMs,
            answerId,
            verdict: policy.verdict,
            claims: claims.length,
            sources: sources.length,
            usage
          })
        },
        Effect.tap(
          tracedQuery({ ...input, question }, defined({ onPart, onText })),
          ({ trace: { reasons } }) =>
            Effect.sync(() => {
              if (reasons.includes(answerNotKept)) hub.tell("warning", { code: answerNotKept })
            })
        )
      ),
      { signal }
    )
  }
  // JavaScript callers may pass null.
  const ingestNow = (given?: IngestOptions | null): Promise<IngestReport> =>
    run(reportedIngest({ ...given, wait: given?.wait ?? options.worker }), given ?? {})

  return {
    workspace: { id: workspace.id, name: workspace.name },
    repairs,
    ...makeEngineCalls(callAs(caller)),
    as: (given) => {
      const { member, principals } =
        typeof given === "string" ? { member: given, principals: undefined } : given
      const actor = (member ?? caller.actor).trim()
      if (actor === "") throw new KanonError(invalid(["member"], "empty", "A member has an id."))
      const wrong = principals?.find((one) => !Principal.safeParse(one).success)
      if (wrong !== undefined)
        throw new KanonError(
          invalid(["principals"], "invalid_value", `${wrong} is not user:usr_… or group:NAME.`)
        )
      return makeEngineCalls(callAs({ ...caller, actor, ...defined({ principals }) }))
    },
    search: (query, given) => {
      const { signal, ...input } = given ?? {}
      return run(
        reported(
          hub,
          {
            operation: "search",
            name: "search",
            describe: ({ results, total }, durationMs) => ({ durationMs, results: results.length, total })
          },
          runOperation(operations.search, { ...input, q: query })
        ),
        { signal }
      )
    },
    ask: (question, input) => asking((more) => askNow(question, { ...input, ...more }), input ?? {}),
    askTraced: askNow,
    ingest: ingestNow,
    export: () => {
      refuseClosed()
      return exportStream(runtime, caller.workspace)
    },
    ...agentCalls(callAs(caller), { runFork }, caller, run),
    ...connectorCalls(callAs(caller), run),
    ...makeHostCalls(callAs(caller), run),
    ...makeVocabularyCalls(runtime, caller, run),
    watch: async (onIngest) => {
      const fiber = runFork(
        Effect.provideService(follow(reportedIngest({ wait: options.worker }), onIngest), Caller, caller)
      )
      return { close: () => Effect.runPromise(Effect.asVoid(Fiber.interrupt(fiber))) }
    },
    getWorkspace: () => run(workspaceView()),
    updateWorkspace: (change) =>
      run(Effect.zipRight(runOperation(operations.updateWorkspace, change), workspaceView())),
    unsyncedFiles: () => run(countUnsyncedFiles),
    status: () => run(status()),
    doctor: (given) =>
      run(
        inspectWorkspace(given ?? {}, {
          owner: options.owner,
          works: options.worker,
          handlers,
          leadsTo,
          kinds: jobKinds,
          whileWritable
        })
      ),
    on: hub.on,
    close: () => {
      closed ??= close()
      return closed
    }
  }
}

/** The operation `query` with its trace. An error of a listener has no effect on the answer. */
const tracedQuery = (input: unknown, { onPart, onText }: Pick<AskOptions, "onPart" | "onText">) =>
  Effect.gen(function* () {
    return yield* fromReplica(askTraced(yield* Either.mapLeft(readInput(Query, input), asInvalid)))
  }).pipe(
    Effect.provideService(TextListener, onText ?? null),
    onPart === undefined ? (asked) => asked : (asked) => tellingParts(asked, onPart)
  )

/**
 * Ingests every batch of changes. A failed ingest is logged, and the next change tries again; an error of a listener
 * is logged, too.
 */
const follow = <R>(work: Effect.Effect<IngestReport, Fault, R>, onIngest?: (report: IngestReport) => void) =>
  Effect.flatMap(Vault, (vault) =>
    Stream.runForEach(vault.watch, () =>
      work.pipe(
        Effect.flatMap((report) =>
          logAndContinue(
            Effect.sync(() => onIngest?.(report)),
            listenerThrew
          )
        ),
        (ingested) => logAndContinue(ingested, notIngested)
      )
    )
  )

const notIngested = "The vault changed, but could not be ingested."
const listenerThrew = "The vault was ingested, but the listener of its changes threw an error."

/** Logs failures and continues; interruption still ends it. */
const logAndContinue = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  message: string
): Effect.Effect<A | undefined, E, R> =>
  Effect.catchAllCause(effect, (cause) =>
    Cause.isInterrupted(cause)
      ? Effect.failCause(cause)
      : Effect.as(isCausedByReadOnlyData(cause) ? Effect.void : Effect.logWarning(message, cause), undefined)
  )
