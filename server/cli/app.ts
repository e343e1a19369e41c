import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { type Asked, arrange, asksForJson } from "./arguments.js"
import { kanon, shape } from "./commands.js"
import { type Failure, failed, wrongUsage } from "./failure.js"
import { helpText } from "./help.js"
import { stopping } from "./stopping.js"
import { leave, paintNote, print, say, toJson, tolerateLostStreams } from "./terminal.js"
import { clean, cleanLine } from "./text.js"

/** Runs a command line (without the program's own name) and ends the process with its exit code. */
export const main = (words: ReadonlyArray<string>, version: string): void => {
  const json = asksForJson(words)
  const fiber = Effect.runFork(
    Effect.flatMap(arrange(shape, words), (asked) => run(asked, version)).pipe(
      Effect.provide(
        Layer.mergeAll(NodeContext.layer, CliConfig.layer(config), Logger.remove(Logger.defaultLogger))
      )
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
        report(failure, json),
        Effect.sync(() => leave(failure.exitCode))
      )
    )
  }
  let isBroken = false
  process.on("uncaughtException", (error) => {
    // One that comes while the first is told would have no end.
    if (isBroken) process.exit(1)
    isBroken = true
    process.exitCode = 1
    end(asFailure(Cause.die(error)))
  })
  fiber.addObserver((exit) => {
    if (stoppedBy !== undefined && stopping.isDone) leave(0)
    else if (stoppedBy !== undefined) {
      const code = stoppedBy
      const told = json
        ? say(toJson({ error: "interrupted", message: "Stopped before it was done." }))
        : Effect.void
      Effect.runFork(
        Effect.ensuring(
          told,
          Effect.sync(() => leave(code))
        )
      )
    } else if (lost !== undefined) end(lost)
    else if (Exit.isSuccess(exit)) leave(Number(process.exitCode ?? 0))
    else end(asFailure(exit.cause))
  })
}

const config: Partial<CliConfig.CliConfig> = { isCaseSensitive: true, showBuiltIns: false }

const run = (asked: Asked, version: string) => {
  switch (asked.kind) {
    case "help":
      return print(helpText(shape, asked.path, version))
    case "version":
      return print(version)
    default:
      return parse(asked.words, version)
  }
}

/** Hands the command line to the parser. */
const parse = (words: ReadonlyArray<string>, version: string) =>
  Effect.flatMap(Effect.console, (console) =>
    Command.run(kanon, { name: "kanon", version })(["node", "kanon", ...words]).pipe(
      Effect.withConsole({
        ...console,
        // Only completions are printed by the parser itself.
        log: (text: unknown) => print(withoutForeignOptions(String(text))),
        // What it says here it also fails with; it is told once, at the end.
        error: () => Effect.void
      })
    )
  )

/** Completions without the parser's options for logs and its question-and-answer mode, which Kanon does not have. */
const withoutForeignOptions = (script: string): string =>
  script
    .split("\n")
    .filter((line) => !/^complete .* -l (?:wizard|log-level)\b|^\s*'?--(?:wizard|log-level)\[/.test(line))
    .map((line) => (/^\s*opts="/.test(line) ? line.replace(/ ?--(?:wizard|log-level)\b/g, "") : line))
    .join("\n")

const asFailure = (cause: Cause.Cause<Failure | ValidationError.ValidationError>): Failure => {
  const failure = Cause.failureOption(cause)
  if (Option.isSome(failure)) {
    const known = failure.value
    if (!ValidationError.isValidationError(known)) return known
    return wrongUsage(cleanLine(HelpDoc.toAnsiText(known.error)))
  }
  // A defect: a bug of ours, or broken storage. Where it came from is for those who look for it.
  if (process.env["KANON_DEBUG"] !== undefined) process.stderr.write(`${Cause.pretty(cause)}\n`)
  const defect = Cause.squash(cause)
  return failed("internal", defect instanceof Error ? defect.message : String(defect))
}

const report = (failure: Failure, json: boolean): Effect.Effect<void> =>
  say(
    json
      ? toJson({ error: failure.code, message: failure.message })
      : `${paintNote.red("error")} ${clean(failure.message)}${failure.exitCode === 2 ? paintNote.dim("  (kanon --help)") : ""}`
  )
