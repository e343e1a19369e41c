import * as Effect from "effect/Effect"
import { packageVersion } from "../../adapters/host/package-version.js"
import { IdentityStore, keyState } from "../../core/identity/index.js"
import { now } from "../../core/kernel/index.js"
import { readConfig, type ServerConfig, settingsInWords } from "../config.js"
import { begin } from "./begin.js"
import { type Failure, failed, wrongUsage } from "./failure.js"
import { withHost } from "./host.js"
import type { CommonInput } from "./options.js"
import { stopping } from "./stopping.js"
import { answer, paintNote, print, say, toJson } from "./terminal.js"
import { cleanLine, table } from "./text.js"
import type { Place } from "./workspace.js"

interface ServeInput extends CommonInput {
  readonly host: string | undefined
  readonly port: string | undefined
  readonly config: string | undefined
  readonly noWorker: boolean
  readonly noBuiltInModels: boolean
}

/** Serves until a signal stops it. */
export const serve = (input: ServeInput): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const config = yield* configOf(input)
    const place = yield* begin(input)
    const { startServer } = yield* Effect.promise(() => import("../main.js"))
    yield* Effect.acquireUseRelease(
      Effect.tryPromise({
        try: () =>
          startServer({
            place,
            config,
            version: packageVersion,
            environment: process.env,
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
            yield* say(paintNote.dim(`The interface: ${url}/api/v1/openapi.json`))
            if (!(yield* hasKey(input, place)))
              yield* say(
                `There is no key yet. Make one: kanon keys create --data ${cleanLine(place.data)} --scopes kb:read,agents:run`
              )
          }
          return yield* Effect.never
        }),
      (running) => Effect.promise(() => running.close())
    )
  })

/** Whether somebody holds a key that opens something. */
const hasKey = (input: CommonInput, { data }: Place): Effect.Effect<boolean, Failure> =>
  withHost({ ...input, data, vault: undefined, workspace: undefined }, () =>
    Effect.gen(function* () {
      const at = yield* now
      const keys = yield* (yield* IdentityStore).allKeys
      return keys.some((key) => keyState(key, at) === "active")
    })
  )

/** Prints the effective configuration of the server. It holds no secret: keys are in the data, hashed. */
export const showConfig = (
  input: CommonInput & { readonly config: string | undefined }
): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const config = yield* configOf({
      ...input,
      host: undefined,
      port: undefined,
      noWorker: false,
      noBuiltInModels: false
    })
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

export const configOf = (
  input: Pick<ServeInput, "host" | "port" | "config" | "noWorker" | "noBuiltInModels"> & {
    readonly workerSlots?: string | undefined
  }
): Effect.Effect<ServerConfig, Failure> => {
  const read = readConfig({
    file: input.config ?? process.env["KANON_CONFIG"],
    environment: process.env,
    flags: {
      host: input.host,
      port: input.port,
      ...(input.workerSlots === undefined ? {} : { workerSlots: input.workerSlots }),
      ...(input.noWorker ? { worker: false } : {}),
      ...(input.noBuiltInModels ? { builtInModels: false } : {})
    }
  })
  return "config" in read
    ? Effect.succeed(read.config)
    : wrongUsage(
        `The configuration has ${read.mistakes.length === 1 ? "a mistake" : `${read.mistakes.length} mistakes`}:\n${read.mistakes
          .map(({ message, where }) => `  ${where}: ${message}`)
          .join("\n")}`
      )
}
