import * as Effect from "effect/Effect"
import { z } from "zod"
import { cellText } from "../../core/answers/evidence/index.js"
import type { ProbedConnector } from "../../core/connected/livedata/index.js"
import { operations } from "../../core/operations.js"
import { defined } from "../../core/platform/kernel/index.js"
import { command, group, operationCommand } from "./command.js"
import { connectorOf, credentialOf, enabledOf, enabling } from "./connector-fields.js"
import { applyCommand, checkCommand } from "./data-file.js"
import { type Failure, wrongUsage } from "./failure.js"
import { switchFlag, textFlag } from "./flags.js"
import { call, withWorkspace } from "./session.js"
import { factLines, listOf, tableOf, timeOf } from "./tables.js"
import { paint } from "./terminal.js"
import { cleanLine, named } from "./text.js"

const connector = connectorOf((engine) => engine.call(operations.listDataConnectors, {}))

const listConnectors = operationCommand("list", operations.listDataConnectors, {
  description: "List the live-data connectors.",
  print: ({ items, total }) =>
    listOf("connector", items, { total }, [
      "name",
      "kind",
      "enabled",
      ["credential", ({ hasCredential }) => (hasCredential ? "set" : "")],
      "id"
    ])
})

const settings = z.string().describe("Settings as a JSON object: path for sqlite, else host, database, user.")
const credentialStdin = switchFlag("Read the password from the standard input.")
const noProbe = switchFlag("Do not try the connection.")
const rowCap = z.int().min(1).optional().describe("Most rows of one execution.")
const timeoutMs = z.int().min(1).optional().describe("Longest time of one execution, in milliseconds.")
const flags = { settings: { placeholder: "JSON" } }

const createConnector = operationCommand("create", operations.createDataConnector, {
  description: "Add a connector to a live database, and try it.",
  form: z.object({
    name: z.string().describe("The name of the connector."),
    kind: operations.createDataConnector.input.shape.kind.describe("The kind of database."),
    settings,
    credentialStdin,
    noProbe,
    rowCap,
    timeoutMs
  }),
  flags,
  toInput: function* (given) {
    const { kind, name, noProbe, rowCap, settings, timeoutMs } = given
    return {
      name,
      kind,
      settings: yield* jsonOf(settings),
      credential: yield* credentialOf(given),
      probe: !noProbe,
      limits: defined({ rowCap, timeoutMs })
    }
  },
  print: (made) => [`Added ${made.name}.`, ...probeLines(made)].join("\n")
})

const updateConnector = operationCommand("update", operations.updateDataConnector, {
  description: "Change a connector.",
  form: z.object({
    id: z.string(),
    name: textFlag("A new name."),
    settings: settings.optional(),
    credentialStdin,
    clearCredential: switchFlag("Erase the password."),
    ...enabling,
    probe: switchFlag("Try the connection, whatever changes."),
    rowCap,
    timeoutMs
  }),
  arguments: { id: connector },
  flags,
  toInput: function* (given) {
    const { id, name, probe, rowCap, settings, timeoutMs } = given
    const limits = defined({ rowCap, timeoutMs })
    return {
      id,
      name,
      enabled: yield* enabledOf(given),
      settings: settings === undefined ? undefined : yield* jsonOf(settings),
      credential: yield* credentialOf(given),
      limits: Object.keys(limits).length === 0 ? undefined : limits,
      probe: probe ? true : undefined
    }
  },
  print: (changed) => [`Changed ${changed.name}.`, ...probeLines(changed)].join("\n")
})

const deleteConnector = operationCommand("delete", operations.deleteDataConnector, {
  description: "Delete a connector and erase its credential; its queries can no longer be run.",
  arguments: { id: connector },
  print: ({ id }) => `Deleted ${id}.`
})

const listQueries = operationCommand("list", operations.listDataQueries, {
  description: "List the named queries.",
  flags: {
    connectorId: { ...connector, description: "Only of this connector, by id or name." }
  },
  print: ({ items, total }) =>
    listOf(
      ["query", "queries"],
      items,
      { total },
      [
        "slug",
        "title",
        ["parameters", ({ params }) => params.map(({ name, type }) => `${name}: ${type}`).join(", ")],
        "enabled"
      ],
      { shrink: ["title", "parameters"] }
    )
})

const showQuery = operationCommand("show", operations.getDataQuery, {
  description: "Show a named query with its statement.",
  arguments: { slug: { description: "The slug or the id of the query." } },
  print: (query) =>
    [
      query.title,
      ...factLines([
        ["slug", query.slug],
        ["id", query.id],
        ["connector", query.connectorId],
        ["revision", query.revision],
        ["parameters", query.params.map(({ name, type }) => `${name}: ${type}`).join(", ")],
        ["columns", (query.columns ?? []).map(({ name, type }) => `${name}: ${type}`).join(", ")],
        ["bindings", query.bindings.map(({ entityId, entityType }) => entityId ?? entityType).join(", ")],
        ["state", query.archived ? "archived" : query.enabled ? "enabled" : "disabled"]
      ]),
      "",
      query.sql.trimEnd()
    ].join("\n")
})

const runQuery = command("run", {
  description: "Run a named query and show its rows.",
  input: z.object({
    slug: z.string().describe("The slug or the id of the query."),
    param: z.array(z.string()).default([]).describe("A parameter as name=value; arrays and numbers as JSON."),
    csv: switchFlag("Print the rows as CSV.")
  }),
  arguments: { slug: {} },
  flags: { param: { placeholder: "NAME=VALUE" } },
  run: (input) =>
    withWorkspace(input, function* ({ engine }) {
      const query = yield* call(() => engine.call(operations.getDataQuery, { slug: input.slug }))
      const params: Record<string, unknown> = {}
      for (const given of input.param) {
        const at = given.indexOf("=")
        if (at < 1) return yield* wrongUsage(`--param ${given}: it is written as name=value.`)
        const name = given.slice(0, at)
        const type = query.params.find((one) => one.name === name)?.type
        if (type === undefined) return yield* wrongUsage(`The query has no parameter ${named(name)}.`)
        params[name] = valueOf(type, given.slice(at + 1))
      }
      const run = yield* call(() => engine.call(operations.runDataQuery, { slug: input.slug, params }))
      return {
        output: run,
        text: () => {
          if (input.csv) return csvOf(run.columns, run.rows)
          const columns = run.columns.map(
            (name) => [name, (row: Readonly<Record<string, unknown>>) => cellText(row[name])] as const
          )
          const more = run.truncated ? "; there are more, cut off at a limit" : ""
          const count = `${run.rowCount} ${run.rowCount === 1 ? "row" : "rows"}${more}`
          const note = paint.dim(`${count}, in ${run.durationMs} ms (${run.dataCallId})`)
          return run.rows.length === 0 ? `No rows.\n${note}` : `${tableOf(run.rows, columns)}\n\n${note}`
        }
      }
    })
})

const listCalls = operationCommand("list", operations.listDataCalls, {
  description: "List executions of named queries, newest first.",
  flags: { slug: { name: "query", description: "Only of this query, by slug or id." } },
  print: ({ items, total }) =>
    listOf(
      "data call",
      items,
      { total },
      [
        ["executed", ({ executedAt }) => timeOf(executedAt)],
        ["query", "slug"],
        "outcome",
        ["rows", "rowCount"],
        ["ms", "durationMs"],
        ["by", "calledBy"],
        "id"
      ],
      { right: ["rows", "ms"] }
    )
})

const showCall = operationCommand("show", operations.getDataCall, {
  description: "Show the record of one execution, with its rows while they are kept.",
  arguments: { id: { description: "The id of the data call (dcl_…)." } },
  print: (one) =>
    [
      ...factLines([
        ["id", one.id],
        ["query", `${one.slug} (revision ${one.queryRevision})`],
        ["parameters", JSON.stringify(one.params)],
        ["outcome", one.outcome],
        ["error", one.error],
        ["rows", one.rowCount],
        ["duration", `${one.durationMs} ms`],
        ["executed", one.executedAt],
        ["by", one.calledBy],
        ["digest", one.resultDigest],
        ["answer", one.answerId],
        ["run", one.runId]
      ]),
      ...(one.rows === undefined ? [] : ["", csvOf(one.columns ?? [], one.rows)])
    ].join("\n")
})

const jsonOf = (
  text: string
): Effect.Effect<z.input<typeof operations.createDataConnector.input>["settings"], Failure> =>
  Effect.try({
    try: () => operations.createDataConnector.input.shape.settings.parse(JSON.parse(text)),
    catch: () =>
      wrongUsage(
        '--settings is no JSON object with the settings of a connector, such as {"path": "/data/shop.sqlite"}.'
      )
  })

const probeLines = ({ enabled, probe }: z.output<typeof ProbedConnector>): ReadonlyArray<string> => {
  if (probe === null) return []
  if (!probe.ok) return [paint.red(`It cannot be used and is disabled: ${cleanLine(probe.message ?? "")}`)]
  const right = probe.readOnlyProven
    ? paint.green("The account is read-only.")
    : paint.yellow(cleanLine(probe.message ?? "The account may do more than read."))
  return [
    `Connected (${cleanLine(probe.serverVersion ?? "unknown version")}). ${right}`,
    ...(enabled ? [] : ["It is disabled."])
  ]
}

/** Words are text unless the parameter has another type. */
const valueOf = (type: string, word: string): unknown => {
  if (/^(?:string|enum|date|timestamp|uuid)$/u.test(type)) return word
  try {
    return JSON.parse(word)
  } catch {
    return type.endsWith("[]") ? word.split(",").map((one) => one.trim()) : word
  }
}

/** CSV by RFC 4180. A cell that a spreadsheet would take for a formula is preceded by an apostrophe. */
const csvOf = (
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>
): string => {
  const quoted = (text: string): string => (/[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  const cell = (value: unknown): string => {
    const text = cellText(value)
    return quoted(typeof value === "string" && /^[=+@\t]/u.test(text) ? `'${text}` : text)
  }
  return [columns.map(quoted), ...rows.map((row) => columns.map((name) => cell(row[name])))]
    .map((cells) => cells.join(","))
    .join("\r\n")
}

export const dataCommands = group("data", "Live data: connectors, named queries and their executions.", [
  group("connectors", "Connectors to live databases.", [
    listConnectors,
    createConnector,
    updateConnector,
    deleteConnector
  ]),
  group("queries", "Named queries.", [listQueries, showQuery]),
  runQuery,
  group("calls", "Executions of named queries.", [listCalls, showCall]),
  applyCommand,
  checkCommand
])
