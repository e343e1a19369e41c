import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { z } from "zod"
import type { Engine } from "../../core/engine/index.js"
import { operations } from "../../core/operations.js"
import { command, group, operationCommand } from "./command.js"
import { type Failure, failed, wrongUsage } from "./failure.js"
import { call, withWorkspace } from "./session.js"
import { runLines, syncCommand } from "./sync.js"
import { factLines, listing, tableOf, timeOf } from "./tables.js"
import { answer, readSecret } from "./terminal.js"
import { named } from "./text.js"

/** The id of the content connector with this id or name. */
const contentConnectorId = (engine: Engine, given: string): Effect.Effect<string, Failure> =>
  Effect.gen(function* () {
    const { items } = yield* call(() => engine.connectors.list())
    const found = items.find(({ id, name }) => id === given || name === given)
    return found?.id ?? (yield* failed("not_found", `There is no connector ${named(given)}.`))
  })

const list = operationCommand("list", operations.listContentConnectors, {
  description: "List the content connectors with their last syncs.",
  print: ({ items, total }) =>
    listing(
      tableOf(
        items,
        {
          name: ({ name }) => name,
          kind: ({ kind }) => kind,
          provider: ({ config }) => config.provider,
          enabled: ({ enabled }) => (enabled ? "yes" : "no"),
          schedule: ({ schedule }) => schedule,
          "last sync": ({ lastSync }) => lastSync?.status,
          finished: ({ lastSync }) => (lastSync?.finishedAt == null ? "" : timeOf(lastSync.finishedAt)),
          id: ({ id }) => id
        },
        { shrink: ["name"] }
      ),
      { total, offset: 0 },
      items.length,
      "connector"
    )
})

const show = operationCommand("show", operations.getContentConnector, {
  description: "Show a content connector with its sync runs, newest first.",
  arguments: {
    id: {
      name: "connector",
      description: "The id or the name of the connector.",
      resolve: contentConnectorId
    }
  },
  print: ({ connector, syncs }) => {
    const { provider, ...config } = connector.config
    return [
      connector.name,
      ...factLines([
        ["id", connector.id],
        ["kind", connector.kind],
        ["provider", provider],
        ...Object.entries(config).map(
          ([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)] as const
        ),
        ["credential", connector.hasCredential ? "set" : ""],
        ["folder", connector.pathPrefix],
        ["schedule", connector.schedule],
        ["state", connector.enabled ? "enabled" : "disabled"]
      ]),
      ...syncs.flatMap((run) => ["", ...runLines(run)])
    ].join("\n")
  }
})

const configText = z
  .string()
  .optional()
  .describe("What is read: a JSON object with the provider and its fields, or @FILE with one.")
const credentialStdin = z
  .boolean()
  .default(false)
  .describe("Read the password, token or secret key from the standard input.")
const schedule = z
  .string()
  .optional()
  .describe("When a sync starts by itself: a cron expression with five fields, in UTC.")

const create = command("create", {
  description: "Add a connector to a wiki, a document library, a chat or uploads.",
  input: z.object({
    name: z.string().describe("The name of the connector."),
    kind: operations.createContentConnector.input.shape.kind.describe("What is read."),
    config: configText,
    credentialStdin,
    schedule,
    pathPrefix: z.string().optional().describe("The folder of its documents; by default made from the name.")
  }),
  flags: { config: { placeholder: "JSON|@FILE" }, schedule: { placeholder: "CRON" } },
  run: (input) =>
    withWorkspace(input, { worker: false }, ({ engine }) =>
      Effect.gen(function* () {
        const { kind, name, pathPrefix } = input
        const config = yield* configOf(input.config)
        const credential = input.credentialStdin ? yield* readSecret : undefined
        const made = yield* call(() =>
          engine.call(operations.createContentConnector, {
            name,
            kind,
            config,
            credential,
            schedule: input.schedule,
            pathPrefix
          })
        )
        yield* answer(
          input.json,
          made,
          () => `Added ${made.name}. Its documents will be in ${made.pathPrefix}/.`
        )
      })
    )
})

const update = command("update", {
  description: "Change a content connector; disabling it cancels its running sync.",
  input: z.object({
    connector: z.string().describe("The id or the name of the connector."),
    name: z.string().optional().describe("A new name."),
    config: configText,
    credentialStdin,
    clearCredential: z.boolean().default(false).describe("Erase the credential."),
    schedule,
    clearSchedule: z.boolean().default(false).describe("Start no more syncs by itself."),
    enable: z.boolean().default(false).describe("Enable the connector."),
    disable: z.boolean().default(false).describe("Disable the connector.")
  }),
  arguments: { connector: {} },
  flags: { config: { placeholder: "JSON|@FILE" }, schedule: { placeholder: "CRON" } },
  run: (input) =>
    withWorkspace(input, { worker: false }, ({ engine }) =>
      Effect.gen(function* () {
        if (input.enable && input.disable) return yield* wrongUsage("Give either --enable or --disable.")
        const id = yield* contentConnectorId(engine, input.connector)
        const config = yield* configOf(input.config)
        const credential = input.clearCredential
          ? null
          : input.credentialStdin
            ? yield* readSecret
            : undefined
        const changed = yield* call(() =>
          engine.call(operations.updateContentConnector, {
            id,
            name: input.name,
            config,
            credential,
            schedule: input.clearSchedule ? null : input.schedule,
            enabled: input.enable ? true : input.disable ? false : undefined
          })
        )
        yield* answer(input.json, changed, () => `Changed ${changed.name}.`)
      })
    )
})

const remove = operationCommand("delete", operations.deleteContentConnector, {
  description: "Delete a content connector and erase its credential; its documents stay, or go to the trash.",
  arguments: {
    id: {
      name: "connector",
      description: "The id or the name of the connector.",
      resolve: contentConnectorId
    }
  },
  print: ({ id }, { documents }) =>
    documents === "keep"
      ? `Deleted ${id}; its documents stay.`
      : `Deleted ${id}; the next background work moves its documents to the trash.`
})

const configOf = (given: string | undefined): Effect.Effect<Record<string, unknown> | undefined, Failure> => {
  if (given === undefined) return Effect.succeed(undefined)
  return Effect.try({
    try: () => {
      const text = given.startsWith("@") ? readFileSync(given.slice(1), "utf8") : given
      return z.record(z.string(), z.unknown()).parse(JSON.parse(text))
    },
    catch: () =>
      wrongUsage(
        '--config is no JSON object, and no @FILE with one, such as {"provider": "webdav", "url": "https://files.example.org/dav/"}.'
      )
  })
}

export const connectorCommands = group(
  "connectors",
  "Content connectors: wikis, document libraries, chats and uploads whose documents are kept up to date.",
  [list, show, create, update, syncCommand(contentConnectorId), remove]
)
