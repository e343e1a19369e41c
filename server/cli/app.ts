import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { kanon } from "./commands.js"
import { connectionErrorLine, isConnectionError } from "./connection-errors.js"
import { type Failure, failed } from "./failure.js"
import { helpText } from "./help.js"
import { type Asked, asksForJson, parseArguments } from "./parse-arguments.js"
import { shutdown } from "./session.js"
import { leave, paintNote, print, say, toJson, tolerateLostStreams } from "./terminal.js"
import { clean } from "./text.js"

/** Runs a command line (without the program's own name) and ends the process with its exit code. */
export const main = (words: ReadonlyArray<string>, version: string): void => {
  const json = asksForJson(words)
  const fiber = Effect.runFork(
    Effect.flatMap(parseArguments(kanon, words), (asked) => run(asked, version)).pipe(
      Effect.provide(Logger.remove(Logger.defaultLogger))
    )
  )
  let lost: Failure | undefined
  tolerateLostStreams(({ message }) => {
    lost ??= failed("file_unavailable", `The standard output cannot be written: ${message}`)
    Effect.runFork(Fiber.interrupt(fiber))
  })
  let stoppedBy: number | undefined
  const stop = (code: number) => () => {
    if (stoppedBy !== undefined) process.exit(code)
    stoppedBy = code
    // The engine hands its jobs back and closes its files; a second signal does not wait for that.
    Effect.runFork(Fiber.interrupt(fiber))
  }
  process.on("SIGINT", stop(130))
  process.on("SIGTERM", stop(143))
  const end = (failure: Failure): void => {
    Effect.runFork(
      Effect.ensuring(
        report(failure, json, namedCommand(words)),
        Effect.sync(() => leave(failure.exitCode))
      )
    )
  }
  let isBroken = false
  process.on("uncaughtException", (error) => {
    if (isConnectionError(error)) {
      if (shutdown.isGraceful || process.env["KANON_DEBUG"] !== undefined)
        process.stderr.write(`${connectionErrorLine(error)}\n`)
      return
    }
    // One that comes while the first is told would have no end.
    if (isBroken) process.exit(1)
    isBroken = true
    process.exitCode = 1
    end(asFailure(Cause.die(error)))
  })
  fiber.addObserver((exit) => {
    if (stoppedBy !== undefined && shutdown.isGraceful) leave(0)
    else if (stoppedBy !== undefined) {
      const code = stoppedBy
      const message = json
        ? say(toJson({ error: "interrupted", message: "Stopped before it was done." }))
        : Effect.void
      Effect.runFork(
        Effect.ensuring(
          message,
          Effect.sync(() => leave(code))
        )
      )
    } else if (lost !== undefined) end(lost)
    else if (Exit.isSuccess(exit)) leave(Number(process.exitCode ?? 0))
    else end(asFailure(exit.cause))
  })
}

const run = (asked: Asked, version: string): Effect.Effect<void, Failure> => {
  switch (asked.kind) {
    case "help":
      return print(helpText(kanon, asked.path, version))
    case "version":
      return print(version)
    case "completions":
      return Effect.flatMap(
        Effect.promise(() => import("./completions.js")),
        ({ printCompletions }): Effect.Effect<void> => printCompletions(kanon, asked.shell, version)
      )
    case "run":
      return asked.command.run(asked.words)
  }
}

const asFailure = (cause: Cause.Cause<Failure>): Failure => {
  const failure = Cause.failureOption(cause)
  if (Option.isSome(failure)) return failure.value
  // A defect: a bug of ours, or broken storage. Where it came from is for those who look for it.
  if (process.env["KANON_DEBUG"] !== undefined) process.stderr.write(`${clean(Cause.pretty(cause))}\n`)
  const defect = Cause.squash(cause)
  return failed("internal", defect instanceof Error ? defect.message : String(defect))
}

/** Returns the command that a command line names, as far as it names one. */
const namedCommand = (words: ReadonlyArray<string>): string => {
  let [at, spoken] = [kanon, kanon.name]
  for (const word of words) {
    const next = at.commands.find(({ name }) => name === word)
    if (next === undefined) continue
    at = next
    spoken += ` ${word}`
  }
  return spoken
}

const report = (failure: Failure, json: boolean, help: string): Effect.Effect<void> =>
  say(
    json
      ? toJson({ error: failure.code, message: failure.message })
      : `${paintNote.red("error")} ${clean(failure.message)}${failure.exitCode === 2 ? paintNote.dim(`  (${help} --help)`) : ""}`
  )
