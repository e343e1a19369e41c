import { spawn } from "node:child_process"
import { devNull } from "node:os"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** The program failed; `text` is what it wrote on standard error, which may hold addresses. */
export class GitFailed extends Data.TaggedError("GitFailed")<{ readonly text: string }> {}

export interface GitSettings {
  readonly folder: string
  /** Settings of the program by name. Values are not visible to other users of the machine. */
  readonly config: Readonly<Record<string, string>>
  /** Variables that only the program and what it starts see. */
  readonly secrets: Readonly<Record<string, string>>
  readonly protocols: string
}

const outputBytesMax = 256 * 1024 * 1024

/** Runs `git` and gives what it writes. It neither asks anything nor reads settings of the user or the machine. */
export const git = (
  { config, folder, protocols, secrets }: GitSettings,
  args: ReadonlyArray<string>,
  timeout: Duration.DurationInput = "10 minutes"
): Effect.Effect<Buffer, GitFailed> =>
  Effect.async<Buffer, GitFailed>((resume) => {
    const settings = Object.entries({ "gc.autoDetach": "false", "core.quotePath": "false", ...config })
    const child = spawn("git", args, {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"] ?? "",
        ...(process.env["SYSTEMROOT"] === undefined ? {} : { SYSTEMROOT: process.env["SYSTEMROOT"] }),
        ...(process.env["GIT_SSL_CAINFO"] === undefined
          ? {}
          : { GIT_SSL_CAINFO: process.env["GIT_SSL_CAINFO"] }),
        HOME: folder,
        LC_ALL: "C",
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_GLOBAL: devNull,
        GIT_TERMINAL_PROMPT: "0",
        GIT_ALLOW_PROTOCOL: protocols,
        GIT_CONFIG_COUNT: String(settings.length),
        ...Object.fromEntries(
          settings.flatMap(([name, value], at) => [
            [`GIT_CONFIG_KEY_${at}`, name],
            [`GIT_CONFIG_VALUE_${at}`, value]
          ])
        ),
        ...secrets
      }
    })
    const output: Array<Buffer> = []
    let [size, errors] = [0, ""]
    child.stdout.on("data", (part: Buffer) => {
      size += part.length
      if (size > outputBytesMax) child.kill("SIGKILL")
      else output.push(part)
    })
    child.stderr.on("data", (part: Buffer) => {
      errors = (errors + part.toString("utf8")).slice(-4000)
    })
    child.on("error", (error: NodeJS.ErrnoException) =>
      resume(Effect.fail(new GitFailed({ text: error.code === "ENOENT" ? noProgram : error.message })))
    )
    child.on("close", (code) =>
      resume(
        code === 0 ? Effect.succeed(Buffer.concat(output)) : Effect.fail(new GitFailed({ text: errors }))
      )
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  }).pipe(
    Effect.timeoutFail({
      duration: timeout,
      onTimeout: () => new GitFailed({ text: `timed out after ${Duration.format(Duration.decode(timeout))}` })
    })
  )

/** Message for a host without the program. */
export const noProgram = "The program git is not installed on this host."
