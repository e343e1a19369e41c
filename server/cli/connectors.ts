import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { operations } from "../../core/operations.js"
import { group, operationCommand } from "./command.js"
import { connectorOf, credentialOf, enabledOf, enabling } from "./connector-fields.js"
import { type Failure, wrongUsage } from "./failure.js"
import { switchFlag, textFlag } from "./flags.js"
import { runLines, syncCommand } from "./sync.js"
import { factLines, listOf, timeOf } from "./tables.js"

const connector = connectorOf((engine) => engine.connectors.list())

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
  arguments: { id: connector },
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

const config = textFlag("What is read: a JSON object with the provider and its fields, or @FILE with one.")
const credentialStdin = switchFlag("Read the password, token or secret key from the standard input.")
const schedule = textFlag("When a sync starts: a cron expression with five fields, in UTC.")
const flags = { config: { placeholder: "JSON|@FILE" }, schedule: { placeholder: "CRON" } }

const create = operationCommand("create", operations.createContentConnector, {
  description: "Add a connector to a wiki, a document library, a chat or uploads.",
  form: z.object({
    name: z.string().describe("The name of the connector."),
    kind: operations.createContentConnector.input.shape.kind.describe("What is read."),
    config,
    credentialStdin,
    schedule,
    pathPrefix: textFlag("The folder of its documents; by default made from the name.")
  }),
  flags,
  toInput: function* ({ config, credentialStdin, ...given }) {
    return {
      ...given,
      config: yield* configOf(config),
      credential: yield* credentialOf({ credentialStdin })
    }
  },
  print: ({ name, pathPrefix }) => `Added ${name}. Its documents will be in ${pathPrefix}/.`
})

const update = operationCommand("update", operations.updateContentConnector, {
  description: "Change a content connector; disabling it cancels its running sync.",
  form: z.object({
    id: z.string(),
    name: textFlag("A new name."),
    config,
    credentialStdin,
    clearCredential: switchFlag("Erase the credential."),
    schedule,
    clearSchedule: switchFlag("Start no more syncs on a schedule."),
    ...enabling
  }),
  arguments: { id: connector },
  flags,
  toInput: function* (given) {
    const { clearSchedule, id, name, schedule } = given
    return {
      id,
      name,
      enabled: yield* enabledOf(given),
      config: yield* configOf(given.config),
      credential: yield* credentialOf(given),
      schedule: clearSchedule ? null : schedule
    }
  },
  print: ({ name }) => `Changed ${name}.`
})

const remove = operationCommand("delete", operations.deleteContentConnector, {
  description: "Delete a content connector and erase its credential; its documents stay, or go to the trash.",
  arguments: { id: connector },
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
  [list, show, create, update, syncCommand(connector.resolve), remove]
)
