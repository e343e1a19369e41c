import * as Effect from "effect/Effect"
import { packageVersion } from "../../adapters/host/package-version.js"
import { readConfig, type ServerConfig, settingsInWords } from "../config.js"
import { type Failure, failed, wrongUsage } from "./failure.js"
import type { CommonInput } from "./options.js"
import { here } from "./session.js"
import { stopping } from "./stopping.js"
import { answer, paintNote, print, say, toJson } from "./terminal.js"
import { cleanLine, table } from "./text.js"
import { locate } from "./workspace.js"

interface ServeInput extends CommonInput {
  readonly host: string | undefined
  readonly port: string | undefined
  readonly config: string | undefined
  readonly noWorker: boolean
}

/** Serves until a signal stops it. */
export const serve = (input: ServeInput): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const config = yield* configOf(input)
    const place = yield* locate(input, here())
    if (place.fresh)
      return yield* failed(
        "no_workspace",
        `${place.data} holds no workspace. Make one, and a key with it: kanon init --vault DIR`
      )
    const { startServer } = yield* Effect.promise(() => import("../main.js"))
    yield* Effect.acquireUseRelease(
      Effect.tryPromise({
        try: () =>
          startServer({
            place,
            config,
            version: packageVersion,
            log: (line) => process.stderr.write(`${line}\n`)
          }),
        catch: (error) => failed("not_serving", error instanceof Error ? error.message : String(error))
      }),
      ({ url }) =>
        Effect.gen(function* () {
          stopping.isDone = true
          if (input.json)
            yield* print(toJson({ url, mcp: `${url}/api/mcp`, openapi: `${url}/api/v1/openapi.json` }))
          else {
            yield* print(`Kanon serves ${cleanLine(place.vault)} at ${url}`)
            yield* say(
              paintNote.dim(
                `A key: kanon keys create --data ${cleanLine(place.data)} --scopes kb:read,agents:run. The interface: ${url}/api/v1/openapi.json`
              )
            )
          }
          return yield* Effect.never
        }),
      (running) => Effect.promise(() => running.close())
    )
  })

/** Prints the effective configuration of the server. It holds no secret: keys are in the data, hashed. */
export const showConfig = (
  input: CommonInput & { readonly config: string | undefined }
): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const config = yield* configOf({ ...input, host: undefined, port: undefined, noWorker: false })
    const values: Readonly<Record<string, unknown>> = config
    yield* answer(input.json, config, () =>
      table(
        [{ title: "setting" }, { title: "value" }, { title: "variable" }, { title: "meaning", shrink: true }],
        settingsInWords().map(({ meaning, name, variable }) => [
          name,
          cleanLine(JSON.stringify(values[name]) ?? ""),
          variable,
          meaning
        ]),
        Number.POSITIVE_INFINITY,
        (cell) => cell
      )
    )
  })

const configOf = (
  input: Pick<ServeInput, "host" | "port" | "config" | "noWorker">
): Effect.Effect<ServerConfig, Failure> => {
  const read = readConfig({
    file: input.config ?? process.env["KANON_CONFIG"],
    environment: process.env,
    flags: { host: input.host, port: input.port, ...(input.noWorker ? { worker: false } : {}) }
  })
  return "config" in read
    ? Effect.succeed(read.config)
    : wrongUsage(
        `The configuration has ${read.mistakes.length === 1 ? "a mistake" : `${read.mistakes.length} mistakes`}:\n${read.mistakes
          .map(({ message, where }) => `  ${where}: ${message}`)
          .join("\n")}`
      )
}
