import { type ChildProcess, fork } from "node:child_process"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { ConversionFailed, type ConvertedFile, type ConvertibleFile } from "../../core/documents/index.js"

/** What a child process is asked for, and what it replies. */
export interface ConversionRequest {
  readonly file: ConvertibleFile
}
export type ConversionOutcome =
  | { readonly ready: true }
  | { readonly converted: ConvertedFile }
  | { readonly failure: Pick<ConversionFailed, "code" | "message"> }
export interface ConversionReply {
  readonly outcome: ConversionOutcome
  /** What the process holds. */
  readonly memoryBytes: number
}

export interface ConversionLimits {
  readonly timeoutMs: number
  readonly memoryMb: number
}

/** A child process that converts one file at a time. */
export interface ConversionProcess {
  /** Converts a file. After a failure that ended the process `isAlive` is false. */
  readonly convert: (file: ConvertibleFile) => Effect.Effect<ConvertedFile, ConversionFailed>
  readonly isAlive: () => boolean
  /** What the process held after its last file. */
  readonly memoryBytes: () => number
}

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
        convert: (file) => request(child, file, limits, note),
        isAlive: () => child.exitCode === null && child.signalCode === null && child.connected,
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
    failed("conversion_failed", `The process that converts files did not start (${signal ?? code}).`)
  ).pipe(
    Effect.timeoutFail({
      duration: startTimeoutMs,
      onTimeout: () => failed("conversion_failed", "The process that converts files did not start in time.")
    }),
    Effect.tapError(() => Effect.sync(() => child.kill("SIGKILL")))
  )

const request = (
  child: ChildProcess,
  file: ConvertibleFile,
  { memoryMb, timeoutMs }: ConversionLimits,
  note: (reply: ConversionReply) => Effect.Effect<void>
) =>
  Effect.suspend(() => {
    child.ref()
    child.channel?.ref()
    const asked: ConversionRequest = { file }
    child.send(asked, (error) => {
      if (error !== null) child.kill("SIGKILL")
    })
    return replyOf(child, (code, signal) =>
      signal === "SIGKILL" || signal === "SIGABRT" || code === 134
        ? failed("conversion_memory", `The conversion took more than ${memoryMb} MiB of memory.`)
        : failed("conversion_failed", `The conversion crashed (${signal ?? code}).`)
    )
  }).pipe(
    Effect.timeoutFail({
      duration: timeoutMs,
      onTimeout: () => failed("conversion_timeout", `The conversion took longer than ${timeoutMs / 1000} s.`)
    }),
    Effect.tapErrorTag("ConversionFailed", ({ code }) =>
      Effect.sync(() => {
        if (code === "conversion_timeout") child.kill("SIGKILL")
      })
    ),
    Effect.onInterrupt(() => Effect.sync(() => child.kill("SIGKILL"))),
    Effect.ensuring(Effect.sync(() => rest(child))),
    Effect.tap(note),
    Effect.flatMap(({ outcome }) =>
      "converted" in outcome
        ? Effect.succeed(outcome.converted)
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

/** The next message of a process, or why it ended before one came. */
const replyOf = (
  child: ChildProcess,
  ended: (code: number | null, signal: NodeJS.Signals | null) => ConversionFailed
): Effect.Effect<ConversionReply, ConversionFailed> =>
  Effect.async((resume) => {
    const onMessage = (message: unknown) => settle(Effect.succeed(message as ConversionReply))
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
