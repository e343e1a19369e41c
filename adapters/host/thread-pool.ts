import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { NoThread } from "./one-job-thread.js"

/** The job took more time or memory than it may. */
export interface OutOfBounds {
  readonly _tag: "OutOfBounds"
  readonly bound: "memory" | "time"
}

/** Messages of a thread of a pool: once that it has loaded, then for each job its result, or why it failed. */
export type PoolReply<Result> =
  | { readonly ready: true }
  | { readonly result: Result }
  | { readonly error: string }

/** Threads that run one program and do jobs, one at a time each. */
export interface ThreadPool<Job> {
  /**
   * Does a job. Of the jobs of one `owner` one runs at a time, so that many of them leave a thread to others. Waiting
   * does not count for `timeMs`; a job that takes longer ends with its thread. Dies for an error of the job itself.
   */
  readonly run: <Result>(
    owner: string,
    job: Job,
    timeMs: number
  ) => Effect.Effect<Result, NoThread | OutOfBounds>
}

interface Thread {
  readonly worker: Worker
  isReady: boolean
  idle: NodeJS.Timeout | undefined
}

/** A thread without a job ends after this time: loading its program again costs some tenths of a second. */
const idleMs = 30_000
const threadsMax = Math.min(4, Math.max(2, availableParallelism()))

/** Makes a pool for the program `file`. Threads start with the first job and end with the scope; idle ones keep no program from ending. */
export const threadPool = <Job>(
  file: URL,
  memoryMb: number
): Effect.Effect<ThreadPool<Job>, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Set<Thread>()),
      (threads) => Effect.promise(() => Promise.all([...threads].map(({ worker }) => worker.terminate())))
    ),
    (threads) => {
      const idle: Array<Thread> = []
      const end = (thread: Thread): Promise<number> => {
        clearTimeout(thread.idle)
        threads.delete(thread)
        if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1)
        return thread.worker.terminate()
      }
      const rest = (thread: Thread): void => {
        thread.worker.unref()
        thread.idle = setTimeout(() => end(thread), idleMs).unref()
        idle.push(thread)
      }
      const take = (): Thread => {
        const thread = idle.pop() ?? started(file, memoryMb)
        threads.add(thread)
        clearTimeout(thread.idle)
        thread.worker.ref()
        return thread
      }
      const done = <Result>(job: Job): Effect.Effect<Result, NoThread | OutOfBounds> =>
        Effect.async((resume) => {
          let thread: Thread
          try {
            thread = take()
          } catch (error) {
            resume(Effect.fail(noThread(error)))
            return
          }
          const { worker } = thread
          const settle = (
            result: Effect.Effect<Result, NoThread | OutOfBounds>,
            isReusable = false
          ): void => {
            worker.off("message", onMessage).off("error", onError).off("exit", onExit)
            if (isReusable) rest(thread)
            else void end(thread)
            resume(result)
          }
          const onMessage = (reply: PoolReply<Result>): void => {
            if ("ready" in reply) thread.isReady = true
            else if ("result" in reply) settle(Effect.succeed(reply.result), true)
            else settle(Effect.die(new Error(reply.error)), true)
          }
          const onError = (error: Error & { readonly code?: string }): void =>
            settle(
              error.code === "ERR_WORKER_OUT_OF_MEMORY"
                ? Effect.fail({ _tag: "OutOfBounds", bound: "memory" })
                : thread.isReady
                  ? Effect.die(error)
                  : Effect.fail(noThread(error))
            )
          const onExit = (code: number): void => onError(new Error(`The thread ended with code ${code}.`))
          worker.on("message", onMessage).on("error", onError).on("exit", onExit)
          worker.postMessage(job)
          return Effect.promise(() => {
            worker.off("message", onMessage).off("error", onError).off("exit", onExit)
            return end(thread)
          })
        })
      const inTurn = turns(threadsMax)
      return {
        run: <Result>(owner: string, job: Job, timeMs: number) =>
          inTurn(
            owner,
            Effect.timeoutFail(done<Result>(job), {
              duration: timeMs,
              onTimeout: (): OutOfBounds => ({ _tag: "OutOfBounds", bound: "time" })
            })
          )
      }
    }
  )

const started = (file: URL, memoryMb: number): Thread => {
  // The arguments of the process are not passed on: some prevent a thread from starting.
  const worker = new Worker(file, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: memoryMb } })
  // An idle thread that dies is noticed by the next job.
  worker.on("error", () => undefined)
  return { worker, isReady: false, idle: undefined }
}

const noThread = (error: unknown): NoThread => ({
  _tag: "NoThread",
  reason: error instanceof Error ? error.message : String(error)
})

/** Runs at most `places` effects at once, and one of each owner. */
const turns = (places: number) => {
  const all = Effect.unsafeMakeSemaphore(places)
  const owners = new Map<string, { readonly turn: Effect.Semaphore; waiting: number }>()
  return <A, E>(owner: string, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const own = owners.get(owner) ?? { turn: Effect.unsafeMakeSemaphore(1), waiting: 0 }
        owners.set(owner, own)
        own.waiting += 1
        return own
      }),
      ({ turn }) => turn.withPermits(1)(all.withPermits(1)(work)),
      (own) =>
        Effect.sync(() => {
          own.waiting -= 1
          if (own.waiting === 0) owners.delete(owner)
        })
    )
}
