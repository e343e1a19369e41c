import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { operations } from "../../core/operations.js"
import { command, group, operationCommand } from "./command.js"
import { type Failure, wrongUsage } from "./failure.js"
import { switchFlag, textFlag } from "./flags.js"
import { call, idByName, withWorkspace } from "./session.js"
import { runLines, syncCommand } from "./sync.js"
import { factLines, listOf, timeOf } from "./tables.js"
import { readSecret } from "./terminal.js"

/** The id of the content connector with this id or name. */
const contentConnectorId = idByName((engine) => engine.connectors.list())

const list = operationCommand("list", operations.listContentConnectors, {
  description: "List the content connectors with their last syncs.",
  print: ({ items, total }) =>
    listOf(
      "connector",
      items,
      { total },
      [
        "name",
        "kind",
        ["provider", ({ config }) => config.provider],
        "enabled",
        "schedule",
        ["last sync", ({ lastSync }) => lastSync?.status],
        ["finished", ({ lastSync }) => timeOf(lastSync?.finishedAt)],
        "id"
      ],
      { shrink: ["name"] }
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

const configText = textFlag(
  "What is read: a JSON object with the provider and its fields, or @FILE with one."
)
const credentialStdin = switchFlag("Read the password, token or secret key from the standard input.")
const schedule = textFlag("When a sync starts by itself: a cron expression with five fields, in UTC.")

const create = command("create", {
  description: "Add a connector to a wiki, a document library, a chat or uploads.",
  input: z.object({
    name: z.string().describe("The name of the connector."),
    kind: operations.createContentConnector.input.shape.kind.describe("What is read."),
    config: configText,
    credentialStdin,
    schedule,
    pathPrefix: textFlag("The folder of its documents; by default made from the name.")
  }),
  flags: { config: { placeholder: "JSON|@FILE" }, schedule: { placeholder: "CRON" } },
  run: (input) =>
    withWorkspace(input, function* ({ engine }) {
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
      return { output: made, text: () => `Added ${made.name}. Its documents will be in ${made.pathPrefix}/.` }
    })
})

const update = command("update", {
  description: "Change a content connector; disabling it cancels its running sync.",
  input: z.object({
    connector: z.string().describe("The id or the name of the connector."),
    name: textFlag("A new name."),
    config: configText,
    credentialStdin,
    clearCredential: switchFlag("Erase the credential."),
    schedule,
    clearSchedule: switchFlag("Start no more syncs by itself."),
    enable: switchFlag("Enable the connector."),
    disable: switchFlag("Disable the connector.")
  }),
  arguments: { connector: {} },
  flags: { config: { placeholder: "JSON|@FILE" }, schedule: { placeholder: "CRON" } },
  run: (input) =>
    withWorkspace(input, function* ({ engine }) {
      if (input.enable && input.disable) return yield* wrongUsage("Give either --enable or --disable.")
      const id = yield* contentConnectorId(engine, input.connector)
      const config = yield* configOf(input.config)
      const credential = input.clearCredential ? null : input.credentialStdin ? yield* readSecret : undefined
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
      return { output: changed, text: () => `Changed ${changed.name}.` }
    })
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
