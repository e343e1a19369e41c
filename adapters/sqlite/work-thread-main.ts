import { parentPort, workerData } from "node:worker_threads"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { handlers, ingest, wiringWithin } from "../../core/engine/engine/index.js"
import { NotesOrigins, startWorker } from "../../core/platform/jobs/index.js"
import { Caller, scopeOf, WorkspaceId } from "../../core/platform/kernel/index.js"
import { ModelFailed, ModelMeter } from "../../core/platform/models/index.js"
import { lowerPriority } from "../host/lower-priority.js"
import { sqlitePorts } from "./index.js"
import {
  type Embedded,
  errorToMessage,
  type FromThread,
  type ToThread,
  type WorkThreadData
} from "./work-thread-messages.js"

// Entry point of the thread that `work-thread.ts` starts: the same ports on the same files, with a worker and ingests
// but no queries. Its priority is low, so that requests on the main thread go first.
lowerPriority()
const {
  builtInModels,
  cacheBytes,
  data,
  embedder,
  formatMemoryMb,
  formatTimeoutMs,
  kinds,
  owner,
  privateModelAddresses,
  traceRatio,
  vault,
  workspace
}: WorkThreadData = workerData
const port = parentPort
const say = (message: FromThread): void => port?.postMessage(message)

const logger = Logger.make(({ cause, logLevel, message }) => {
  const texts = (Array.isArray(message) ? message : [message]).map((part) =>
    part instanceof Error
      ? (part.stack ?? part.message)
      : typeof part === "string"
        ? part
        : JSON.stringify(part)
  )
  if (logLevel._tag === "All" || logLevel._tag === "None") return
  say({
    say: "log",
    level: logLevel._tag,
    messages: Cause.isEmpty(cause) ? texts : [...texts, Cause.pretty(cause)]
  })
})

const embeddings = new Map<number, (result: Embedded) => void>()
let embeddingsAsked = 0

/** Returns an embedder that calls the main thread, which has the model. */
const askEmbedder = (modelId: string, batchMax: number) => ({
  modelId,
  batchMax,
  embed: (texts: ReadonlyArray<string>, purpose: "passage" | "query") =>
    Effect.async<ReadonlyArray<Float32Array>, ModelFailed>((resume) => {
      embeddingsAsked += 1
      const id = embeddingsAsked
      embeddings.set(id, (result) => {
        embeddings.delete(id)
        const ended =
          "vectors" in result ? Effect.succeed(result.vectors) : Effect.fail(new ModelFailed(result.failure))
        const tell = Effect.flatMap(ModelMeter, (meter) => Effect.forEach(result.uses, meter))
        resume(Effect.zipRight(tell, ended))
      })
      say({ say: "embed", id, texts, purpose })
      return Effect.sync(() => embeddings.delete(id))
    })
})

/** The tracer is loaded only if spans are requested. */
const traced =
  traceRatio === null
    ? Layer.empty
    : Layer.unwrapEffect(
        Effect.promise(async () => {
          const { recordingTracer } = await import("../host/span-tracer.js")
          const tracer = recordingTracer({ ratio: traceRatio, put: (span) => say({ say: "span", span }) })
          return Layer.merge(Layer.setTracer(tracer), Layer.succeed(NotesOrigins, true))
        })
      )

const runtime = ManagedRuntime.make(
  Layer.provideMerge(
    wiringWithin(cacheBytes),
    sqlitePorts({
      vault,
      data,
      // It needs no further thread.
      thread: false,
      logger,
      builtInModels,
      privateModelAddresses,
      ...(formatMemoryMb === null ? {} : { formatMemoryMb }),
      ...(formatTimeoutMs === null ? {} : { formatTimeoutMs }),
      ...(embedder === null ? {} : { models: { embedder: askEmbedder(embedder.modelId, embedder.batchMax) } })
    })
  ).pipe(Layer.merge(traced))
)
const asOwner = Effect.provideService(Caller, {
  workspace: scopeOf(WorkspaceId.parse(workspace)),
  actor: "local",
  activity: "ui"
})

// A failure to open the database ends the thread with its reason.
await runtime.runtime()
const work = handlers.filter(({ kind }) => kinds.includes(kind))
const worker = runtime.runFork(
  Effect.scoped(Effect.zipRight(work.length === 0 ? Effect.void : startWorker(work, { owner }), Effect.never))
)

const ingests = new Map<number, Fiber.RuntimeFiber<unknown, unknown>>()

const hear = (message: ToThread): void => {
  switch (message.say) {
    case "ingest": {
      const { id, options } = message
      const onProgress: Parameters<typeof ingest>[0]["onProgress"] = (progress) =>
        say({ say: "progress", id, progress })
      const fiber = runtime.runFork(asOwner(ingest({ ...options, onProgress })))
      ingests.set(id, fiber)
      fiber.addObserver((exit) => {
        ingests.delete(id)
        const result = Exit.isSuccess(exit)
          ? { report: exit.value }
          : errorToMessage(Cause.squash(exit.cause))
        say({ say: "ingested", id, result })
      })
      return
    }
    case "stop": {
      const fiber = ingests.get(message.id)
      if (fiber !== undefined) Effect.runFork(Fiber.interrupt(fiber))
      return
    }
    case "embedded":
      embeddings.get(message.id)?.(message.result)
      return
    default:
      void close()
  }
}

/** Returns running jobs to the queue, closes the data, and ends the thread. */
const close = async (): Promise<void> => {
  await Effect.runPromise(Fiber.interruptAll([...ingests.values(), worker]))
  await runtime.dispose()
  process.exit()
}

port?.on("message", hear)
say({ say: "ready" })
