import { once } from "node:events"
import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as LogLevel from "effect/LogLevel"
import * as Runtime from "effect/Runtime"
import type { IngestOptions, IngestReport, MakeBackgroundWorker } from "../../core/engine/engine/index.js"
import { IndexingProgress } from "../../core/files/documents/index.js"
import { JobStore, jobKinds } from "../../core/platform/jobs/index.js"
import { Caller, type Fault, watchGauge } from "../../core/platform/kernel/index.js"
import { type Embedder, type ModelUse, metered } from "../../core/platform/models/index.js"
import { noteOwnerGone, processOwner } from "../host/process-owner.js"
import type { EndedSpan, SpanSink } from "../host/span-tracer.js"
import { type FromThread, faultFrom, type ToThread, type WorkThreadData } from "./work-thread-messages.js"

/** The built thread file; TypeScript sources have no thread, since Node 20 has no TypeScript loader for threads. */
export const workThreadFile = import.meta.url.endsWith(".ts")
  ? null
  : new URL("./work-thread-main.js", import.meta.url)

/** Maximum number of restarts of a dying thread while one ingest waits; then the ingest fails. */
const triesMax = 3
/** Delay before a restart. */
const restartMs = 1000
/** A thread that does not stop within this time is terminated; its jobs return to the queue by themselves. */
const closeMaxMs = 15_000
/** Idle time after which a thread for ingests only is ended. */
const idleMs = 10_000

/**
 * Kinds that stay on the main thread, whose program alone has what they need: crawlers; for runs of agents the tools,
 * models and rights of roles that the host sets.
 */
const ownKinds: ReadonlyArray<string> = [jobKinds.sync, jobKinds.agentRun, jobKinds.agentRuns]

export interface WorkThreadOptions {
  readonly file: URL
  readonly vault: string
  readonly data: string
  /** An embedder instance of this program; the thread calls it by messages. */
  readonly embedder: typeof Embedder.Service | undefined
  readonly builtInModels: boolean
  readonly cacheBytes: number | null
  readonly formatMemoryMb: number | null
  readonly formatTimeoutMs: number | null
  readonly privateModelAddresses: boolean
  /** False: it runs no jobs, only ingests. */
  readonly worker: boolean
  /** Whether the extractor is an instance of this program, in which case its jobs stay on the main thread. */
  readonly ownExtractor: boolean
  /** Receives the spans of its work, if requested. */
  readonly spans: SpanSink | undefined
}

/** Creates a background worker in a thread, started on demand. A thread that dies is logged and restarted. */
export const workThread = (options: WorkThreadOptions): MakeBackgroundWorker =>
  Effect.gen(function* () {
    const { workspace } = yield* Caller
    const jobs = yield* JobStore
    const indexing = yield* IndexingProgress
    const run = Runtime.runFork(yield* Effect.runtime())
    const kinds = !options.worker
      ? []
      : Object.values(jobKinds).filter(
          (kind) => !ownKinds.includes(kind) && (!options.ownExtractor || kind !== jobKinds.extraction)
        )
    const { embedder } = options
    const thread = new WorkThread({
      file: options.file,
      data: {
        vault: options.vault,
        data: options.data,
        workspace,
        owner: "",
        kinds,
        builtInModels: options.builtInModels,
        cacheBytes: options.cacheBytes,
        formatMemoryMb: options.formatMemoryMb,
        formatTimeoutMs: options.formatTimeoutMs,
        privateModelAddresses: options.privateModelAddresses,
        embedder: embedder === undefined ? null : { modelId: embedder.modelId, batchMax: embedder.batchMax },
        traceRatio: options.spans?.ratio ?? null
      },
      // Return the dead thread's jobs to the queue without waiting for their leases.
      onDeath: (owner, reason) => {
        noteOwnerGone(owner)
        run(Effect.zipRight(Effect.logWarning(`The thread for long work has died. ${reason}`), jobs.sweep))
      },
      onFiles: (progress) => indexing.set(workspace, progress),
      onSpan: (span) => options.spans?.put(span),
      onLog: (level, messages) => void run(Effect.logWithLevel(LogLevel.fromLiteral(level), ...messages)),
      onEmbed: ({ id, purpose, texts }, reply) => {
        if (embedder === undefined) return
        const uses: Array<ModelUse> = []
        run(
          Effect.match(metered(embedder.embed(texts, purpose), uses), {
            onFailure: ({ message, modelId, retryAfterSeconds, retryable }) =>
              reply({
                say: "embedded",
                id,
                result: {
                  failure: {
                    modelId,
                    message,
                    retryable,
                    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
                  },
                  uses
                }
              }),
            onSuccess: (vectors) => reply({ say: "embedded", id, result: { vectors, uses } })
          })
        )
      }
    })
    yield* Effect.addFinalizer(() => Effect.promise(() => thread.close()))
    yield* watchGauge("kanon_work_thread_queue", {}, () => thread.queued)
    return {
      kinds,
      open: Effect.promise(() => thread.open()),
      opened: thread.ready.await,
      rested: thread.rested.await,
      rest: Effect.promise(() => thread.rest()),
      ingest: (asked) => thread.ingest(asked)
    }
  })

interface Parts {
  readonly file: URL
  readonly data: WorkThreadData
  readonly onDeath: (owner: string, reason: string) => void
  /** Called with the progress of taking in files, and with null at its end. */
  readonly onFiles: (progress: { readonly done: number; readonly total: number } | null) => void
  readonly onSpan: (span: EndedSpan) => void
  readonly onLog: (
    level: Extract<FromThread, { say: "log" }>["level"],
    messages: ReadonlyArray<string>
  ) => void
  readonly onEmbed: (asked: Extract<FromThread, { say: "embed" }>, reply: (message: ToThread) => void) => void
}
interface PendingIngest {
  readonly options: IngestOptions
  readonly end: (result: Effect.Effect<IngestReport, Fault>) => void
  tries: number
}

/** Number of threads of this process so far, which makes worker names unique. */
let threads = 0

/** Manages successive threads, at most one at a time. */
class WorkThread {
  /** Open while a thread runs, and while there is none because it was idle. */
  readonly ready = Effect.unsafeMakeLatch(false)
  readonly rested = Effect.unsafeMakeLatch(true)
  readonly #parts: Parts
  #worker: Worker | null = null
  #opened: Promise<boolean> | null = null
  #started = 0
  #asked = 0
  #isClosed = false
  /** The thread that is ending. */
  #resting: Worker | null = null
  #ending: Promise<void> = Promise.resolve()
  #restart: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined
  readonly #open = new Map<number, PendingIngest>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Ingests that it has or that wait for it. */
  get queued(): number {
    return this.#open.size
  }

  /** Starts the thread; returns false if it could not start. */
  open(): Promise<boolean> {
    this.#opened ??= this.#ending.then(() => (this.#isClosed ? false : this.#start()))
    return this.#opened
  }

  ingest(options: IngestOptions): Effect.Effect<IngestReport, Fault> {
    return Effect.async((resume) => {
      clearTimeout(this.#idle)
      this.#asked += 1
      const id = this.#asked
      const pendingIngest: PendingIngest = { options, end: resume, tries: 0 }
      this.#open.set(id, pendingIngest)
      void this.open().then(() => this.#ask(id, pendingIngest))
      return Effect.sync(() => {
        if (this.#open.delete(id)) this.#say({ say: "stop", id })
      })
    })
  }

  /** Returns running jobs to the queue and ends the thread; idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#restart)
    clearTimeout(this.#idle)
    await this.#end()
  }

  /** Ends the thread until it is opened again; a running ingest keeps it. */
  async rest(): Promise<void> {
    const worker = this.#worker
    if (worker === null || this.#open.size > 0 || this.#isClosed) return
    this.#resting = worker
    this.ready.unsafeClose()
    // A concurrent `open` waits until this thread has ended.
    const ended = this.#end()
    this.#opened = null
    this.#ending = ended
    await ended
    this.rested.unsafeOpen()
  }

  async #end(): Promise<void> {
    const worker = this.#worker
    if (worker === null) return
    const ended = once(worker, "exit")
    this.#say({ say: "close" })
    const late = setTimeout(() => void worker.terminate(), closeMaxMs)
    await ended
    clearTimeout(late)
  }

  #ask(id: number, asked: PendingIngest): void {
    if (!this.#open.has(id) || this.#worker === null) return
    asked.tries += 1
    const { path, wait } = asked.options
    this.#say({
      say: "ingest",
      id,
      options: { ...(path === undefined ? {} : { path }), ...(wait === undefined ? {} : { wait }) }
    })
  }

  #start(): Promise<boolean> {
    this.#started += 1
    threads += 1
    const owner = processOwner(`thread-${threads}`)
    return new Promise((resolve) => {
      const { data, file } = this.#parts
      let reason = ""
      let isReady = false
      let worker: Worker
      try {
        // Do not inherit process arguments, some of which prevent a thread from starting.
        worker = new Worker(file, { name: "kanon work", workerData: { ...data, owner }, execArgv: [] })
      } catch (error) {
        this.#parts.onLog("Warning", [notStarted(error)])
        resolve(false)
        return
      }
      this.#worker = worker
      worker.on("message", (message: FromThread) => {
        if (message.say === "ready") {
          isReady = true
          this.rested.unsafeClose()
          this.ready.unsafeOpen()
          resolve(true)
        } else this.#hear(message)
      })
      worker.on("error", (error) => {
        reason = error instanceof Error ? error.message : String(error)
      })
      worker.on("exit", (code) => {
        this.#worker = null
        reason ||= `It ended with code ${code}.`
        if (!isReady && this.#started === 1) this.#parts.onLog("Warning", [notStarted(reason)])
        else if (!this.#isClosed && this.#resting !== worker) this.#died(owner, reason)
        resolve(false)
      })
    })
  }

  #hear(message: Exclude<FromThread, { say: "ready" }>): void {
    switch (message.say) {
      case "progress":
        this.#open.get(message.id)?.options.onProgress?.(message.progress)
        this.#parts.onFiles(
          message.progress.phase === "files" && message.progress.done < message.progress.total
            ? message.progress
            : null
        )
        return
      case "ingested": {
        const pendingCall = this.#open.get(message.id)
        this.#open.delete(message.id)
        this.#parts.onFiles(null)
        pendingCall?.end(endOf(message.result))
        if (this.#parts.data.kinds.length === 0)
          this.#idle = setTimeout(() => void this.rest(), idleMs).unref()
        return
      }
      case "span":
        this.#parts.onSpan(message.span)
        return
      case "log":
        this.#parts.onLog(message.level, message.messages)
        return
      default:
        this.#parts.onEmbed(message, (reply) => this.#say(reply))
    }
  }

  #died(owner: string, reason: string): void {
    this.#parts.onDeath(owner, reason)
    this.#parts.onFiles(null)
    for (const [id, asked] of this.#open) {
      if (asked.tries < triesMax) continue
      this.#open.delete(id)
      asked.end(Effect.die(new Error(`The thread for long work has died ${asked.tries} times. ${reason}`)))
    }
    this.#restart = setTimeout(() => {
      this.#opened = this.#start()
      void this.#opened.then(() => {
        for (const [id, asked] of this.#open) this.#ask(id, asked)
      })
    }, restartMs)
  }

  #say(message: ToThread): void {
    this.#worker?.postMessage(message)
  }
}

const notStarted = (reason: unknown): string =>
  `No thread for long work; it is done on the main loop. ${reason instanceof Error ? reason.message : String(reason)}`

const endOf = (
  result: Extract<FromThread, { say: "ingested" }>["result"]
): Effect.Effect<IngestReport, Fault> => {
  if ("report" in result) return Effect.succeed(result.report)
  if ("fault" in result) return Effect.fail(faultFrom(result.fault))
  const { message, name, stack } = result.defect
  return Effect.die(Object.assign(new Error(message), { name, stack }))
}
