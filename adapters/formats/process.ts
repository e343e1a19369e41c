import { type ChildProcess, fork } from "node:child_process"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { ConversionFailed } from "../../core/files/documents/index.js"
import { memorySignal } from "./memory-signal.js"
import type { TaskInput, TaskName, TaskOutput } from "./tasks.js"

/** Request to a child process. */
export interface ConversionRequest<Name extends TaskName = TaskName> {
  readonly task: Name
  readonly input: TaskInput<Name>
}
export type ConversionOutcome =
  | { readonly ready: true }
  /** Items of a list, of which more follow. */
  | { readonly part: ReadonlyArray<unknown> }
  /** A page of many is next: the time limit begins again. */
  | { readonly page: number; readonly of: number }
  | { readonly result: unknown }
  | { readonly failure: Pick<ConversionFailed, "code" | "message"> }
export interface ConversionReply {
  readonly outcome: ConversionOutcome
  /** Memory of the process in bytes. */
  readonly memoryBytes: number
}

export interface ConversionLimits {
  readonly timeoutMs: number
  readonly memoryMb: number
}

/** A child process that does one task at a time. */
export interface ConversionProcess {
  /** Does a task. After a failure that ended the process `isAlive` is false. */
  readonly run: <Name extends TaskName>(
    name: Name,
    input: TaskInput<Name>
  ) => Effect.Effect<TaskOutput<Name>, ConversionFailed>
  readonly isAlive: () => boolean
  /** Returns the memory of the process after its last file, in bytes. */
  readonly memoryBytes: () => number
}

/** The process ended on its own or was killed from outside; the file need not be the cause. */
export class ConversionCrashed extends ConversionFailed {}

const crashed = (message: string) => new ConversionCrashed({ code: "conversion_failed", message })
const failed = (code: ConversionFailed["code"], message: string) => new ConversionFailed({ code, message })

/** Milliseconds in which a process must have started. */
const startTimeoutMs = 60_000

const program = new URL(
  import.meta.url.endsWith(".ts") ? "./convert-main.ts" : "./convert-main.js",
  import.meta.url
)
/** Sources are run by the loader that the developers use. */
const loader = program.pathname.endsWith(".ts")
  ? ["--import", pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href]
  : []

/** Starts a process; it is killed when the scope closes. */
export const startProcess = (
  limits: ConversionLimits
): Effect.Effect<ConversionProcess, ConversionFailed, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(Effect.tap(spawn(limits), ready), (child) =>
      Effect.sync(() => child.kill("SIGKILL"))
    ),
    (child): ConversionProcess => {
      // An idle process keeps nobody's program from ending.
      rest(child)
      let memoryBytes = 0
      const note = (reply: ConversionReply) =>
        Effect.sync(() => {
          memoryBytes = reply.memoryBytes
        })
      return {
        run: <Name extends TaskName>(task: Name, input: TaskInput<Name>) =>
          Effect.map(request(child, { task, input }, limits, note), (result) => result as TaskOutput<Name>),
        // A process that we kill lives on for a moment.
        isAlive: () =>
          !child.killed && child.exitCode === null && child.signalCode === null && child.connected,
        memoryBytes: () => memoryBytes
      }
    }
  )

const spawn = ({ memoryMb }: ConversionLimits) =>
  Effect.try({
    try: () =>
      fork(program, [String(memoryMb)], {
        execArgv: [...loader, `--max-old-space-size=${memoryMb}`],
        serialization: "advanced",
        stdio: ["ignore", "ignore", "ignore", "ipc"],
        // Nothing of our environment, which may hold secrets, is of use to a converter.
        env: { PATH: process.env.PATH ?? "", TZ: "UTC" }
      }),
    catch: (error) =>
      failed("conversion_failed", `No process could be started to convert files: ${String(error)}`)
  })

const ready = (child: ChildProcess) =>
  replyOf(child, (code, signal) =>
    crashed(`The process that converts files did not start (${signal ?? code}).`)
  ).pipe(
    Effect.timeoutFail({
      duration: startTimeoutMs,
      onTimeout: () => failed("conversion_failed", "The process that converts files did not start in time.")
    }),
    Effect.tapError(() => Effect.sync(() => child.kill("SIGKILL")))
  )

const request = (
  child: ChildProcess,
  asked: ConversionRequest,
  { memoryMb, timeoutMs }: ConversionLimits,
  note: (reply: ConversionReply) => Effect.Effect<void>
) =>
  Effect.suspend(() => {
    child.ref()
    child.channel?.ref()
    child.send(asked, (error) => {
      if (error !== null) child.kill("SIGKILL")
    })
    return replyOf(
      child,
      (code, signal) =>
        signal === memorySignal || signal === "SIGABRT" || code === 134
          ? failed("conversion_memory", `The conversion took more than ${memoryMb} MiB of memory.`)
          : crashed(`The conversion crashed (${signal ?? code}).`),
      timeoutMs
    )
  }).pipe(
    Effect.tapErrorTag("ConversionFailed", ({ code }) =>
      Effect.sync(() => {
        if (code === "conversion_timeout") child.kill("SIGKILL")
      })
    ),
    Effect.onInterrupt(() => Effect.sync(() => child.kill("SIGKILL"))),
    Effect.ensuring(Effect.sync(() => rest(child))),
    Effect.tap(note),
    Effect.flatMap(({ outcome }) =>
      "result" in outcome
        ? Effect.succeed(outcome.result)
        : Effect.fail(
            "failure" in outcome
              ? new ConversionFailed(outcome.failure)
              : failed("conversion_failed", "The process that converts files gave no result.")
          )
    )
  )

const rest = (child: ChildProcess): void => {
  child.unref()
  child.channel?.unref()
}

/** The next message of a process with the parts before it, or why it ended before one came. */
const replyOf = (
  child: ChildProcess,
  ended: (code: number | null, signal: NodeJS.Signals | null) => ConversionFailed,
  timeoutMs?: number
): Effect.Effect<ConversionReply, ConversionFailed> =>
  Effect.async((resume) => {
    const items: Array<unknown> = []
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(
            () =>
              settle(
                Effect.fail(
                  failed("conversion_timeout", `The conversion took longer than ${timeoutMs / 1000} s.`)
                )
              ),
            timeoutMs
          )
    const onMessage = (message: unknown) => {
      const reply = message as ConversionReply
      if ("page" in reply.outcome) {
        timer?.refresh()
        return
      }
      if ("part" in reply.outcome) for (const item of reply.outcome.part) items.push(item)
      else if ("result" in reply.outcome && reply.outcome.result === null && items.length > 0)
        settle(Effect.succeed({ ...reply, outcome: { result: items } }))
      else settle(Effect.succeed(reply))
    }
    const onExit = (code: number | null, signal: NodeJS.Signals | null) =>
      settle(Effect.fail(ended(code, signal)))
    const onError = (error: Error) =>
      settle(
        Effect.fail(failed("conversion_failed", `The process that converts files failed: ${error.message}`))
      )
    const settle = (result: Effect.Effect<ConversionReply, ConversionFailed>) => {
      remove()
      resume(result)
    }
    const remove = () => {
      clearTimeout(timer)
      child.off("message", onMessage)
      child.off("exit", onExit)
      child.off("error", onError)
    }
    child.on("message", onMessage)
    child.on("exit", onExit)
    child.on("error", onError)
    if (child.exitCode !== null || child.signalCode !== null) onExit(child.exitCode, child.signalCode)
    return Effect.sync(remove)
  })
