import * as Effect from "effect/Effect"
import { z } from "zod"
import { packageVersion } from "../../adapters/host/package-version.js"
import {
  IdentityStore,
  invite,
  keyState,
  listInvitations,
  revokeInvitation
} from "../../core/platform/identity/index.js"
import { Caller, defined, now, scopeOf } from "../../core/platform/kernel/index.js"
import {
  databaseSettings,
  readConfig,
  type ServerConfig,
  settingsInWords,
  withoutPassword
} from "../config.js"
import type { Running } from "../main.js"
import { command } from "./command.js"
import { type Failure, failed, wrongUsage } from "./failure.js"
import { type CommonInput, switchFlag, textFlag } from "./flags.js"
import { withHost } from "./host.js"
import type { Place } from "./place.js"
import { preparePlace, shutdown } from "./session.js"
import { tableOf } from "./tables.js"
import { answer, paintNote, print, say, toJson } from "./terminal.js"
import { cleanLine } from "./text.js"

export const serveCommand = command("serve", {
  description: "Serve the workspaces over HTTP and MCP until a signal stops it.",
  input: z.object({
    host: textFlag("The address to listen on; 127.0.0.1 by default.", "ADDRESS"),
    port: textFlag("The port, 7420 by default; 0 takes a free one.", "N"),
    config: textFlag("A JSON file of settings; KANON_CONFIG by default.", "FILE"),
    noWorker: switchFlag("Leave background jobs to another process."),
    noBuiltInModels: switchFlag(
      "Refuse questions when there is no chat model, and search by words alone when there is no embedder."
    )
  }),
  run: function* (input) {
    const config = yield* configOf(input)
    const place = yield* preparePlace(input)
    yield* serving(place, { ...config, console: config.console ?? true }, ({ url }) =>
      Effect.gen(function* () {
        if (input.json)
          yield* print(toJson({ url, mcp: `${url}/api/mcp`, openapi: `${url}/api/v1/openapi.json` }))
        else {
          yield* print(`Kanon serves ${cleanLine(place.vault)} at ${url}`)
          yield* say(paintNote.dim(`The interface: ${url}/api/v1/openapi.json`))
          const address = config.origin?.replace(/\/+$/, "") ?? url
          const isShown = config.console ?? true
          if (yield* hasKey(input, place)) {
            if (isShown) yield* say(paintNote.dim(`The console: ${address}`))
            return
          }
          if (isShown) {
            const link = yield* firstInvitation(input, place)
            // A passkey is bound to the name of a host, which an IP address is not.
            const named = address.replace("//127.0.0.1", "//localhost")
            yield* say(
              link === null
                ? `The console: ${named}`
                : `The console: ${named}\nNobody can sign in yet. Join as the administrator, once, within seven days: ${named}/join#${link}`
            )
          }
          yield* say(
            `There is no key yet. Make one: kanon keys create --data ${cleanLine(place.data)} --scopes kb:read,agents:run`
          )
        }
      })
    )
  }
})

/** Serves a place until a signal stops it; `use` is run when it listens. */
export const serving = <R>(
  place: Place,
  config: ServerConfig,
  use: (running: Running) => Effect.Effect<void, Failure, R>
) =>
  Effect.gen(function* () {
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
      (running) =>
        Effect.gen(function* () {
          shutdown.isGraceful = true
          yield* use(running)
          return yield* Effect.never
        }),
      (running) => Effect.promise(() => running.close())
    )
  })

/** Whether somebody holds a key that opens something. */
const hasKey = (input: CommonInput, { data }: Place): Effect.Effect<boolean, Failure> =>
  withHost({ ...input, data, vault: undefined, workspace: undefined }, function* () {
    const at = yield* now
    const keys = yield* (yield* IdentityStore).allKeys
    return keys.some((key) => keyState(key, at) === "active")
  })

/**
 * The link of an invitation for the first administrator, null once the workspace has a member. One of an earlier start
 * that nobody used ends with it.
 */
const firstInvitation = (input: CommonInput, { data }: Place): Effect.Effect<string | null, Failure> =>
  withHost({ ...input, data, vault: undefined }, function* ({ workspace }) {
    const { total } = yield* (yield* IdentityStore).members(scopeOf(workspace.id), { limit: 1, offset: 0 })
    if (total > 0) return null
    const { actor } = yield* Caller
    for (const one of yield* listInvitations) if (one.createdBy === actor) yield* revokeInvitation(one.id)
    const { token } = yield* invite("admin", null)
    return `${workspace.id}.${token}`
  })

export const configCommand = command("config", {
  description: "Show the effective configuration of the server.",
  input: z.object({
    config: textFlag("A JSON file of settings; KANON_CONFIG by default.", "FILE")
  }),
  run: function* (input) {
    const config = yield* configOf(input)
    const databases = databasesOf(input.database)
    const values: Readonly<Record<string, unknown>> = { ...config, ...databases }
    yield* answer(input.json, { ...config, consoleOidc: shown(config.consoleOidc), ...databases }, () =>
      tableOf(
        [...settingsInWords(), ...databaseSettings],
        [
          ["setting", "name"],
          ["value", ({ name }) => JSON.stringify(shown(values[name]))],
          "variable",
          "meaning"
        ]
      )
    )
  }
})

/** The databases that commands use, without their passwords; null where none is named. */
const databasesOf = (given: string | undefined): Readonly<Record<string, string | null>> =>
  Object.fromEntries(
    databaseSettings.map(({ name, variable }) => {
      const addresses = (name === "databaseUrl" ? given : undefined) ?? process.env[variable] ?? ""
      return [
        name,
        addresses === ""
          ? null
          : addresses
              .split(",")
              .map((one) => withoutPassword(one.trim()))
              .join(",")
      ]
    })
  )

/** A setting without the secret in it. */
const shown = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "clientSecret" in value
    ? { ...value, clientSecret: "[secret]" }
    : value

export const configOf = (input: {
  readonly host?: string | undefined
  readonly port?: string | undefined
  readonly config?: string | undefined
  readonly noWorker?: boolean
  readonly noBuiltInModels?: boolean
  readonly workerSlots?: string | undefined
}): Effect.Effect<ServerConfig, Failure> => {
  const read = readConfig({
    file: input.config ?? process.env["KANON_CONFIG"],
    environment: process.env,
    flags: {
      host: input.host,
      port: input.port,
      ...defined({ workerSlots: input.workerSlots }),
      ...(input.noWorker === true ? { worker: false } : {}),
      ...(input.noBuiltInModels === true ? { builtInModels: false } : {})
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
