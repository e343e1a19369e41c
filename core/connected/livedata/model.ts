import { z } from "zod"
import {
  DataCallId,
  DataConnectorId,
  DataQueryId,
  EntityId,
  Text,
  Timestamp
} from "../../platform/kernel/index.js"

/** The databases that a connector can speak with; `mysql` is MySQL and MariaDB. */
export const DataConnectorKind = z.enum(["postgres", "sqlite", "mysql"])
export type DataConnectorKind = z.infer<typeof DataConnectorKind>

const Names = z.array(Text.trim().min(1).max(200)).max(1000)
const AllowLists = {
  relations: Names.optional().describe(
    "Tables and views that queries may read, as `name` or `schema.name`; absent: all that the account may read, without system catalogs."
  ),
  functions: Names.optional().describe("Functions that queries may call beside the built-in list.")
}

/** Location of a SQLite database: a file below one of the folders that the host names. */
export const SqliteSettings = z.object({ path: Text.min(1).max(4096), ...AllowLists })
export type SqliteSettings = z.infer<typeof SqliteSettings>

/** How connections are encrypted: not at all, without checking who answers, or with a checked certificate. */
export const TlsMode = z.enum(["off", "require", "verify"])
export type TlsMode = z.infer<typeof TlsMode>

/** Address, database and user of a database server. */
export const ServerSettings = z.object({
  host: Text.trim()
    .min(1)
    .max(253)
    .regex(/^[\p{L}\p{N}._:-]+$/u, "Expected a host name or an address."),
  port: z.int().min(1).max(65_535).optional().describe("5432 for postgres and 3306 for mysql by default."),
  database: Text.min(1).max(200),
  user: Text.min(1).max(200),
  tls: TlsMode.optional().describe("`verify` by default, `off` for loopback."),
  ...AllowLists
})
export type ServerSettings = z.infer<typeof ServerSettings>

/** Settings of a connector; which of the two forms is meant follows from its kind. */
export const ConnectorSettings = z.union([ServerSettings, SqliteSettings])
export type ConnectorSettings = z.infer<typeof ConnectorSettings>

/** Limits of a connector; they only lower the caps of the workspace. */
export const ConnectorLimits = z.object({
  rowCap: z.int().min(1).max(1_000_000).optional(),
  timeoutMs: z.int().min(1).max(3_600_000).optional()
})
export type ConnectorLimits = z.infer<typeof ConnectorLimits>

/** A live-data connector as it is shown: the credential never is. */
export const DataConnector = z.object({
  id: DataConnectorId,
  name: z.string(),
  kind: DataConnectorKind,
  enabled: z.boolean(),
  hasCredential: z.boolean(),
  settings: ConnectorSettings,
  limits: ConnectorLimits,
  createdAt: Timestamp,
  updatedAt: Timestamp
})
export type DataConnector = z.infer<typeof DataConnector>

/** Result of testing a connector. */
export const ConnectorProbe = z.object({
  ok: z.boolean().describe("The database was reached and answered."),
  readOnlyProven: z.boolean().describe("The account has no right to change anything."),
  serverVersion: z.string().nullable(),
  message: z.string().nullable().describe("What failed, or why the account is not read-only.")
})
export type ConnectorProbe = z.infer<typeof ConnectorProbe>

/** A connector with what trying it found; null where it was not tried. */
export const ProbedConnector = DataConnector.extend({ probe: ConnectorProbe.nullable() })

const scalarTypes = ["string", "integer", "number", "boolean", "date", "timestamp", "uuid", "enum"] as const
/** The type of one value. */
export type ScalarType = (typeof scalarTypes)[number]
/** The type of a parameter; an array is used as `IN (:name)`. */
export const ParamType = z.enum([
  ...scalarTypes,
  "string[]",
  "integer[]",
  "number[]",
  "boolean[]",
  "date[]",
  "timestamp[]",
  "uuid[]",
  "enum[]"
])
export type ParamType = z.infer<typeof ParamType>

const ParamName = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,62}$/,
    "Expected letters, digits and underscores, beginning with no digit."
  )

/** A declared parameter of a named query. */
export const QueryParam = z.object({
  name: ParamName,
  type: ParamType,
  description: Text.max(1000).optional(),
  required: z.boolean().optional().describe("True by default, false where there is a default."),
  default: z.unknown().optional(),
  enum: z.array(Text.min(1).max(200)).min(1).max(500).optional().describe("The values of an `enum`."),
  min: z.number().optional().describe("The least value; of strings and arrays the least length."),
  max: z.number().optional().describe("The greatest value; of strings and arrays the greatest length."),
  pattern: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe("A regular expression of RE2 that a string matches whole.")
})
export type QueryParam = z.infer<typeof QueryParam>

/** Field of an entity from which a parameter of a binding takes its value. */
const ParamSource = z
  .string()
  .regex(
    /^(?:name|alias|id|attribute:[^\s].{0,199})$/u,
    "Expected name, alias, id or attribute:KEY with a front-matter key of the entity's document."
  )

/** An entity, or an entity type, whose questions run the query. */
export const QueryBinding = z
  .object({
    entityId: EntityId.optional(),
    entityType: Text.trim().min(1).max(120).optional(),
    paramMap: z.record(ParamName, ParamSource).default({})
  })
  .refine(({ entityId, entityType }) => (entityId === undefined) !== (entityType === undefined), {
    message: "A binding names either entityId or entityType."
  })
export type QueryBinding = z.infer<typeof QueryBinding>

/** A column of a result. */
export const ColumnInfo = z.object({
  name: z.string().describe("Distinct among the columns: equal names become `a`, `a_2`."),
  type: z.string().describe("The type, in the words of the database."),
  table: z.string().nullable().describe("The table or view that the column is read from, where it is known."),
  column: z.string().nullable().describe("The column of that table.")
})
export type ColumnInfo = z.infer<typeof ColumnInfo>

/** A slug can never look like an id, which holds an underscore. */
export const QuerySlug = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{0,62}$/,
    "Expected 1 to 63 lower-case letters, digits and hyphens, beginning with no hyphen."
  )

/** Fields that define a named query; a change of any of them is a new revision. */
export const QueryDefinition = z.object({
  title: Text.trim().min(1).max(200),
  description: Text.max(4000).default(""),
  connectorId: DataConnectorId,
  sql: Text.min(1).max(100_000).describe("One SELECT or WITH statement with parameters as `:name`."),
  params: z.array(QueryParam).max(100).default([]),
  bindings: z.array(QueryBinding).max(100).default([]),
  enabled: z.boolean().default(true),
  archived: z.boolean().default(false)
})
export type QueryDefinition = z.infer<typeof QueryDefinition>

/** A named query in a list. */
export const DataQuerySummary = z.object({
  id: DataQueryId,
  slug: QuerySlug,
  title: z.string(),
  description: z.string(),
  connectorId: DataConnectorId,
  enabled: z.boolean(),
  params: z.array(QueryParam)
})

/** A named query in full. */
export const DataQuery = DataQuerySummary.extend({
  sql: z.string(),
  bindings: z.array(QueryBinding),
  archived: z.boolean(),
  columns: z
    .array(ColumnInfo)
    .nullable()
    .describe("The columns when this revision was published; null where the database was not asked."),
  revision: z.int().min(1),
  createdAt: Timestamp,
  updatedAt: Timestamp
})
export type DataQuery = z.infer<typeof DataQuery>

/** Result of a dry run; nothing is stored. */
export const QueryDryRun = z.object({
  plan: z.string().describe("How the database would run the statement, in its own words."),
  columns: z.array(ColumnInfo)
})
export type QueryDryRun = z.infer<typeof QueryDryRun>

/** A query that was put; `created` says whether it was new. */
export const PutQuery = DataQuery.extend({ created: z.boolean() })

/** Rows keyed by column. */
export const DataRow = z.record(z.string(), z.unknown())
export type DataRow = Readonly<Record<string, unknown>>

/** Result of running a named query. */
export const QueryRun = z.object({
  dataCallId: DataCallId,
  connectorId: DataConnectorId,
  queryId: DataQueryId,
  columns: z.array(z.string()),
  rows: z.array(DataRow),
  rowCount: z.int().min(0),
  durationMs: z.int().min(0),
  truncated: z.boolean().describe("The row or size limit was hit: these rows are not all."),
  columnInfo: z.array(ColumnInfo)
})
export type QueryRun = z.infer<typeof QueryRun>

/** How an execution ended: with rows, refused before it ran, failed while it ran, or stopped by its time limit. */
export const DataCallOutcome = z.enum(["ok", "refused", "failed", "timeout"])
export type DataCallOutcome = z.infer<typeof DataCallOutcome>

/** The record of one execution of a named query. It never changes, but for its rows, which a retention limit removes. */
export const DataCall = z.object({
  id: DataCallId,
  queryId: DataQueryId,
  slug: z.string(),
  queryRevision: z.int().min(1),
  connectorId: DataConnectorId,
  params: z.record(z.string(), z.unknown()),
  outcome: DataCallOutcome,
  error: z.string().nullable().describe("Why there are no rows; null where there are."),
  rowCount: z.int().min(0),
  truncated: z.boolean(),
  durationMs: z.int().min(0),
  executedAt: Timestamp,
  resultDigest: z
    .string()
    .nullable()
    .describe("SHA-256 of the canonical JSON (RFC 8785) of columns and rows; null where there are none."),
  answerId: z.string().nullable().describe("The answer that the rows were read for."),
  runId: z.string().nullable().describe("The agent run that the rows were read for."),
  activity: z.string(),
  calledBy: z.string()
})
export type DataCall = z.infer<typeof DataCall>

/** A data call with its rows, where they are still kept and the key may see them. */
export const DataCallDetail = DataCall.extend({
  columns: z.array(z.string()).optional(),
  rows: z.array(DataRow).optional().describe("Only with the scope data:run, while they are kept.")
})

/** Queries as a team keeps them in a file: a connector is named, since its id is another one in each workspace. */
export const QueryFile = z.strictObject({
  queries: z
    .array(
      QueryDefinition.omit({ connectorId: true })
        .extend({
          slug: QuerySlug,
          connector: Text.trim().min(1).max(200),
          columns: z
            .array(z.string())
            .optional()
            .describe("Columns that the result must have; checked, not published.")
        })
        .strict()
    )
    .max(1000)
})
