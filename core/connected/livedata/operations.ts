import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  DataCallId,
  DataConnectorId,
  DeleteAck,
  invalid,
  operation,
  Text
} from "../../platform/kernel/index.js"
import * as connectors from "./connectors.js"
import {
  ConnectorLimits,
  ConnectorSettings,
  DataCall,
  DataCallDetail,
  DataConnector,
  DataConnectorKind,
  DataQuery,
  DataQuerySummary,
  ProbedConnector,
  PutQuery,
  QueryDefinition,
  QueryDryRun,
  QueryRun,
  QuerySlug
} from "./model.js"
import * as queries from "./queries.js"
import { getCall, listCalls, runQuery } from "./run.js"

const ConnectorName = Text.trim().min(1).max(200)
const Credential = z.string().min(1).max(4096)
const SlugOrId = z.string().min(1).max(200).describe("The slug or the id of a named query.")

/** By name; credentials are never shown. */
const listDataConnectors = operation({
  name: "listDataConnectors",
  summary: "List the live-data connectors without connecting to them.",
  scopes: ["data:read"],
  effect: "read",
  input: z.object({}),
  output: z.object({ items: z.array(DataConnector), total: z.int() }),
  faults: [],
  run: () => Effect.map(connectors.listConnectors(), (items) => ({ items, total: items.length }))
})

/** See `createConnector`. */
const createDataConnector = operation({
  name: "createDataConnector",
  summary: "Create a live-data connector; one that cannot connect is stored disabled.",
  scopes: ["workspace:admin"],
  effect: "write",
  input: z.object({
    name: ConnectorName,
    kind: DataConnectorKind,
    settings: ConnectorSettings.describe(
      "For sqlite `path`, for postgres and mysql where the server listens."
    ),
    credential: Credential.optional().describe("The password. Write-only."),
    limits: ConnectorLimits.optional(),
    probe: z.boolean().default(true).describe("False stores the connector without trying it.")
  }),
  output: ProbedConnector,
  faults: ["InvalidInput", "Conflict", "SecretsUnavailable"],
  run: (input) => connectors.createConnector(input)
})

/** See `updateConnector`. */
const updateDataConnector = operation({
  name: "updateDataConnector",
  summary: "Update a live-data connector: limits are merged, settings replaced.",
  scopes: ["workspace:admin"],
  effect: "write",
  input: z
    .object({
      id: DataConnectorId,
      name: ConnectorName.optional(),
      settings: ConnectorSettings.optional(),
      credential: Credential.nullable()
        .optional()
        .describe(
          "Write-only; null erases it. It is erased too when it would be sent elsewhere: with another host, port or user, or weaker encryption."
        ),
      limits: ConnectorLimits.optional(),
      enabled: z.boolean().optional(),
      probe: z
        .boolean()
        .optional()
        .describe("True tries the connector, false does not; by default where it matters.")
    })
    .superRefine(({ id: _, ...change }, context) => {
      if (Object.values(change).every((value) => value === undefined))
        context.addIssue({ code: "custom", path: [], message: "Give at least one thing to change." })
    }),
  output: ProbedConnector,
  faults: ["NotFound", "InvalidInput", "Conflict", "SecretsUnavailable"],
  run: ({ id, ...change }) => connectors.updateConnector(id, change)
})

/** See `deleteConnector`. */
const deleteDataConnector = operation({
  name: "deleteDataConnector",
  summary: "Delete a live-data connector with its credential; records of its calls stay.",
  scopes: ["workspace:admin"],
  effect: "write",
  input: z.object({ id: DataConnectorId }),
  output: DeleteAck,
  faults: ["NotFound"],
  run: ({ id }) => connectors.deleteConnector(id)
})

/** By slug, without archived ones. */
const listDataQueries = operation({
  name: "listDataQueries",
  tool: "svc_list_data_queries",
  summary: "List the named queries with their parameters, without executing them.",
  scopes: ["data:read"],
  effect: "read",
  input: z.object({ connectorId: DataConnectorId.optional().describe("Only queries of this connector.") }),
  output: z.object({ items: z.array(DataQuerySummary), total: z.int() }),
  faults: ["NotFound"],
  run: ({ connectorId }) =>
    Effect.map(queries.listQueries(connectorId), (found) => ({
      items: found.map((query) => DataQuerySummary.parse(query)),
      total: found.length
    }))
})

/** Archived ones too. */
const getDataQuery = operation({
  name: "getDataQuery",
  summary: "Get a named query with its statement, parameters and bindings.",
  scopes: ["data:read"],
  effect: "read",
  input: z.object({ slug: SlugOrId }),
  output: DataQuery,
  faults: ["NotFound"],
  run: ({ slug }) => queries.getQuery(slug)
})

/** See `putQuery` and `dryRunQuery`. */
const putDataQuery = operation({
  name: "putDataQuery",
  summary: "Create or replace a named query; a dry run shows its plan and columns.",
  scopes: ["workspace:admin"],
  effect: "idempotent",
  input: z.object({
    slug: z
      .string()
      .describe(
        "The slug of the named query: 1 to 63 lower-case letters, digits and hyphens, beginning with no hyphen."
      ),
    ...QueryDefinition.shape,
    expectRevision: z.int().min(0).optional().describe("Refused where another revision stands; 0 is none."),
    dryRun: z.boolean().default(false)
  }),
  output: z.union([PutQuery, QueryDryRun]),
  faults: [
    "NotFound",
    "InvalidInput",
    "Conflict",
    "SecretsUnavailable",
    "ConnectorUnreachable",
    "QueryTimeout"
  ],
  run: ({ dryRun, expectRevision, slug, ...definition }) =>
    Effect.gen(function* () {
      const named = QuerySlug.safeParse(slug)
      if (!named.success)
        return yield* invalid(["slug"], "invalid_format", named.error.issues[0]?.message ?? "No slug.")
      return dryRun
        ? yield* queries.dryRunQuery(definition)
        : yield* queries.putQuery({ slug, definition, expectRevision })
    })
})

/** See `runQuery`. */
const runDataQuery = operation({
  name: "runDataQuery",
  tool: "svc_run_data_query",
  summary: "Run a named query read-only, return its rows and record the call.",
  scopes: ["data:run"],
  effect: "read",
  input: z.object({
    slug: SlugOrId,
    params: z
      .record(z.string(), z.unknown())
      .default({})
      .describe("Values by the names of declared parameters.")
  }),
  output: QueryRun,
  faults: [
    "NotFound",
    "ConnectorDisabled",
    "InvalidParams",
    "ConnectorUnreachable",
    "QueryFailed",
    "QueryTimeout"
  ],
  run: ({ params, slug }) => runQuery(slug, params)
})

/** See `getCall`. */
const getDataCall = operation({
  name: "getDataCall",
  tool: "svc_get_data_call",
  summary: "Get the record of a data call; its rows need data:run and expire.",
  scopes: ["data:read"],
  effect: "read",
  input: z.object({ id: DataCallId }),
  output: DataCallDetail,
  faults: ["NotFound"],
  run: ({ id }) => getCall(id)
})

/** Newest first. Of the embedded engine and the command line. */
const listDataCalls = operation({
  name: "listDataCalls",
  summary: "List executions of named queries, newest first.",
  scopes: ["data:read"],
  effect: "read",
  input: z.object({
    slug: SlugOrId.optional(),
    limit: z.int().min(1).max(200).default(50)
  }),
  output: z.object({ items: z.array(DataCall), total: z.int() }),
  faults: ["NotFound"],
  run: ({ limit, slug }) =>
    Effect.map(listCalls(limit, slug), (items) => ({ items: [...items], total: items.length }))
})

/** Public operations of this room. */
export const livedataOperations = {
  listDataConnectors,
  createDataConnector,
  updateDataConnector,
  deleteDataConnector,
  listDataQueries,
  getDataQuery,
  putDataQuery,
  runDataQuery,
  getDataCall,
  listDataCalls
}
