import { join } from "node:path"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { keyOfSeal } from "../../adapters/host/sealer.js"
import {
  addKey,
  dropOldKeys,
  makeKeyFile,
  secretKeyFile,
  secretKeyVariable
} from "../../adapters/host/secret-keys.js"
import type { WriterQueue } from "../../adapters/sqlite/writer-queue.js"
import { SecretsUnavailable } from "../../core/platform/kernel/index.js"
import { resealSecrets, sealsInUse } from "../../core/platform/secrets/index.js"
import { WorkspaceChange } from "../../core/platform/workspace/index.js"
import { command, group, noInput } from "./command.js"
import { wrongUsage } from "./failure.js"
import { textFlag } from "./flags.js"
import { withHost } from "./host.js"
import { call, withWorkspace } from "./session.js"
import { answer, paint, readSecret } from "./terminal.js"
import { cleanLine, named } from "./text.js"

const get = command("get", {
  description: "Show the settings of the workspace, or one of them.",
  input: z.object({
    setting: textFlag("A setting or a group of them, such as policy.mode.")
  }),
  arguments: { setting: { name: "name" } },
  run: (input) =>
    withWorkspace(input, function* ({ engine }) {
      const { name, revision, settings } = yield* call(() => engine.getWorkspace())
      const all = { name, ...settings }
      const path = input.setting?.split(".") ?? []
      const value = path.reduce<unknown>(fieldOf, all)
      if (value === undefined) return yield* wrongUsage(`There is no setting ${named(input.setting ?? "")}.`)
      return {
        output: { setting: input.setting ?? null, value, revision },
        text: () => settingLines(path, value).join("\n")
      }
    })
})

const set = command("set", {
  description: "Change a setting of the workspace.",
  input: z.object({
    setting: z.string().describe("The setting, such as policy.mode or models.chat."),
    value: z
      .string()
      .describe(
        "A word, a number, true, false, null, or JSON for a group; - reads it from the standard input."
      )
  }),
  arguments: { setting: { name: "name" }, value: {} },
  run: (input) =>
    withWorkspace(input, function* ({ engine }) {
      const path = input.setting.split(".")
      if (!Object.hasOwn(WorkspaceChange.shape, path[0] ?? ""))
        return yield* wrongUsage(`There is no setting to change of the name ${named(input.setting)}.`)
      const given = input.value === "-" ? yield* readSecret : input.value
      const value = parsed(given)
      // A text that looks like a number is one only where no text is wanted; null is never meant as a text.
      const bodies = (value === null ? [value, given] : [given, value]).map((one) =>
        path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), one)
      )
      const change = bodies.map((one) => WorkspaceChange.safeParse(one)).find(({ success }) => success)?.data
      if (change !== undefined && path.reduce<unknown>(fieldOf, change) === undefined)
        return yield* wrongUsage(`There is no setting to change of the name ${named(input.setting)}.`)
      const wanted = change ?? bodies[value === null ? 0 : 1]
      const view = yield* call(() => engine.updateWorkspace(Object(wanted)))
      const stands = path.reduce<unknown>(fieldOf, { name: view.name, ...view.settings })
      const shown = path.at(-1) === "credential" ? hidden(given) : (stands ?? null)
      return {
        output: { setting: input.setting, value: shown, revision: view.revision },
        text: () => settingLines(path, shown).join("\n")
      }
    })
})

const hidden = (given: string): string => (parsed(given) === null ? "erased" : "set")

const rotate = command("rotate", {
  description: "Seal every credential again, with a new master key if it is in the data folder.",
  input: noInput,
  run: (input) =>
    withHost(input, function* ({ place }) {
      const file = join(place.data, secretKeyFile)
      const isNamed = (process.env[secretKeyVariable] ?? "").trim() !== ""
      const done = yield* isNamed ? resealSecrets() : withExclusiveFile(file, withFreshKey(file))
      yield* answer(input.json, done, () =>
        [
          `${done.resealed} of ${done.secrets} credentials sealed again.`,
          isNamed
            ? paint.dim(`${secretKeyVariable} needs its first key only from now on.`)
            : paint.dim("The data folder holds a fresh master key.")
        ].join("\n")
      )
    })
})

const withFreshKey = Effect.fnUntraced(function* (file: string) {
  yield* withKeys(() => makeKeyFile(file))
  yield* withKeys(() => addKey(file))
  const done = yield* Effect.exit(resealSecrets())
  // Only what opens nothing any more goes: somebody may have kept a credential under the old key meanwhile. It goes
  // also where one cannot be opened, or each try would leave a key more.
  const inUse = new Set((yield* sealsInUse()).map(keyOfSeal))
  yield* withKeys(() => dropOldKeys(file, inUse))
  return yield* done
})

/** Two concurrent changes of the file could lose a key, and with it what it sealed. */
const withExclusiveFile = <A, E, R>(file: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.promise(async () =>
      (await import("../../adapters/sqlite/writer-queue.js")).writerQueueBeside(file)
    ),
    (line) => Effect.zipRight(waitForTurn(line), work),
    (line) =>
      Effect.sync(() => {
        line.leave()
        line.close()
      })
  )

const waitForTurn = (line: WriterQueue): Effect.Effect<void> =>
  Effect.suspend(() =>
    line.tryFirst() ? Effect.void : Effect.zipRight(Effect.sleep("20 millis"), waitForTurn(line))
  )

const withKeys = (work: () => void): Effect.Effect<void, SecretsUnavailable> =>
  Effect.try({
    try: work,
    catch: (error) =>
      error instanceof SecretsUnavailable
        ? error
        : new SecretsUnavailable({ message: "The file of the master key cannot be written." })
  })

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** One line for each setting: its name, and its value as it would be given. */
const settingLines = (path: ReadonlyArray<string>, value: unknown): ReadonlyArray<string> =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([name, inner]) => settingLines([...path, name], inner))
    : [
        `${paint.dim(path.join("."))}  ${cleanLine(typeof value === "string" ? value : JSON.stringify(value))}`
      ]

export const settingsCommands = group(
  "settings",
  "Settings of the workspace: policy, models, budgets, retention.",
  [get, set]
)
export const secretsCommands = group("secrets", "The master key that seals credentials.", [rotate])
