import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { headOf } from "../../knowledge/entities/index.js"
import { record } from "../../platform/audit/index.js"
import {
  atomically,
  Caller,
  Conflict,
  ConnectorUnreachable,
  type DataConnectorId,
  Ids,
  InvalidInput,
  type Issue,
  NotFound,
  now,
  QueryTimeout,
  traced,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { findConnector, openTarget } from "./connectors.js"
import { effectiveLimits, LiveDatabases } from "./live-databases.js"
import type { ColumnInfo, DataQuery, DataRow, QueryBinding, QueryDefinition } from "./model.js"
import { declarationProblems, isRequired, sampleValues } from "./parameters.js"
import { type CompiledStatement, compileStatement } from "./statement.js"
import { LiveDataStore, type StoredConnector } from "./store.js"

export const findQuery = (workspace: WorkspaceScope, slugOrId: string) =>
  Effect.gen(function* () {
    const found = yield* (yield* LiveDataStore).queries.find(workspace, slugOrId)
    return Option.getOrNull(found) ?? (yield* new NotFound({ what: "named query" }))
  })

/** The named queries that are not archived, by slug; of one connector where it is named. Nothing is executed. */
export const listQueries = traced("livedata.queries")(function* (connectorId?: DataConnectorId) {
  const { workspace } = yield* Caller
  if (connectorId !== undefined) yield* findConnector(workspace, connectorId)
  const all = yield* (yield* LiveDataStore).queries.list(workspace)
  return all.filter(
    (query) => !query.archived && (connectorId === undefined || query.connectorId === connectorId)
  )
})

export const getQuery = traced("livedata.query")(function* (slugOrId: string) {
  const { workspace } = yield* Caller
  return yield* findQuery(workspace, slugOrId)
})

export interface QueryPut {
  readonly slug: string
  readonly definition: QueryDefinition
  readonly expectRevision: number | undefined
}

/**
 * Publishes a version of a named query, whole. The same content again changes nothing. The statement passes the guard
 * and, where the database answers, is prepared there. InvalidInput says what is wrong with it, Conflict that another
 * revision stands than the expected one.
 */
export const putQuery = traced("livedata.putQuery")(function* ({
  definition,
  expectRevision,
  slug
}: QueryPut) {
  const [store, ids, { activity, actor, workspace }] = [
    (yield* LiveDataStore).queries,
    yield* Ids,
    yield* Caller
  ]
  const { connector, statement } = yield* checkedDefinition(workspace, definition)
  const columns = yield* columnsOf(workspace, connector, statement)
  return yield* atomically(
    Effect.gen(function* () {
      const before = Option.getOrNull(yield* store.find(workspace, slug))
      if (expectRevision !== undefined && expectRevision !== (before?.revision ?? 0))
        return yield* new Conflict({
          message: `The query stands at revision ${before?.revision ?? 0}, not ${expectRevision}.`
        })
      if (before !== null && isSameDefinition(before, definition)) return { ...before, created: false }
      const at = yield* now
      const query: DataQuery = {
        id: before?.id ?? ids.make("dataQuery"),
        slug,
        ...definition,
        columns: columns === null ? null : [...columns],
        revision: (before?.revision ?? 0) + 1,
        createdAt: before?.createdAt ?? at,
        updatedAt: at
      }
      if (!(yield* store.put(workspace, { query, activity, changedBy: actor })))
        return yield* new Conflict({ message: "Somebody else changed the query at the same moment." })
      const { archived, connectorId, enabled, revision, title } = query
      yield* record([
        {
          action: before === null ? "data_query.create" : "data_query.update",
          subjectId: query.id,
          details: { slug, title, connectorId, enabled, archived, revision }
        }
      ])
      return { ...query, created: before === null }
    })
  )
})

/** How the database would run a statement, and the columns it gives; nothing is stored and no row read. */
export const dryRunQuery = traced("livedata.dryRun")(function* (definition: QueryDefinition) {
  const { workspace } = yield* Caller
  const { connector, statement } = yield* checkedDefinition(workspace, definition)
  const target = yield* openTarget(workspace, connector)
  const limits = yield* effectiveLimits(workspace, connector.limits)
  const described = yield* (yield* LiveDatabases).describe(workspace, target, statement, limits).pipe(
    Effect.catchTags({
      StatementRefused: ({ message }) => invalidSql("not_read_only", message),
      StatementFailed: ({ detail }) =>
        invalidSql("invalid_statement", `The database refuses the statement: ${detail}`),
      StatementTimedOut: () =>
        new QueryTimeout({ message: "The database took too long to prepare the statement." }),
      DatabaseUnreachable: ({ message }) => new ConnectorUnreachable({ message })
    })
  )
  return { plan: described.plan, columns: [...distinctColumns(described.columns)] }
})

const invalidSql = (code: string, message: string) =>
  new InvalidInput({ issues: [{ path: ["sql"], code, message }] })

/** The definition, its connector and its statement with sample values. Everything that is wrong is told at once. */
const checkedDefinition = (workspace: WorkspaceScope, definition: QueryDefinition) =>
  Effect.gen(function* () {
    const connector = yield* findConnector(workspace, definition.connectorId)
    for (const { entityId } of definition.bindings) if (entityId !== undefined) yield* headOf(entityId)
    const issues: Array<Issue> = [
      ...(yield* declarationProblems(definition.params)).map((problem) => ({
        ...problem,
        code: "invalid_param"
      })),
      ...bindingProblems(definition)
    ]
    const compiled = compileStatement(definition.sql, connector.kind, sampleValues(definition.params))
    if (Either.isLeft(compiled)) issues.push({ path: ["sql"], code: "not_read_only", message: compiled.left })
    else {
      const inspected = yield* Effect.either(
        (yield* LiveDatabases).inspect(
          workspace,
          {
            id: connector.id,
            version: connector.updatedAt,
            kind: connector.kind,
            settings: connector.settings
          },
          compiled.right
        )
      )
      if (Either.isLeft(inspected))
        issues.push({ path: ["sql"], code: "not_read_only", message: inspected.left.message })
    }
    if (issues.length > 0 || Either.isLeft(compiled)) return yield* new InvalidInput({ issues })
    return { connector, statement: compiled.right }
  })

const bindingProblems = ({ bindings, params }: QueryDefinition): ReadonlyArray<Issue> =>
  bindings.flatMap(({ paramMap }, at) => {
    const undeclared = Object.keys(paramMap).filter((name) => !params.some((one) => one.name === name))
    const missing = params.filter((one) => isRequired(one) && !Object.hasOwn(paramMap, one.name))
    return [
      ...undeclared.map((name) => ({
        path: ["bindings", at, "paramMap", name],
        code: "undeclared_param",
        message: `The query declares no parameter ${name}.`
      })),
      ...missing.map(({ name }) => ({
        path: ["bindings", at, "paramMap"],
        code: "missing_param",
        message: `The required parameter ${name} is not mapped.`
      }))
    ]
  })

/** The columns that the database gives; null where it is disabled or does not answer. */
const columnsOf = (workspace: WorkspaceScope, connector: StoredConnector, statement: CompiledStatement) =>
  Effect.gen(function* () {
    if (!connector.enabled) return null
    const target = yield* openTarget(workspace, connector)
    const limits = yield* effectiveLimits(workspace, connector.limits)
    return yield* (yield* LiveDatabases).describe(workspace, target, statement, limits).pipe(
      Effect.map(({ columns }): ReadonlyArray<ColumnInfo> | null => distinctColumns(columns)),
      Effect.catchTags({
        StatementRefused: ({ message }) => invalidSql("not_read_only", message),
        StatementFailed: ({ detail }) =>
          invalidSql("invalid_statement", `The database refuses the statement: ${detail}`),
        StatementTimedOut: () => Effect.succeed(null),
        DatabaseUnreachable: () => Effect.succeed(null)
      })
    )
  })

const isSameDefinition = (query: DataQuery, definition: QueryDefinition): boolean => {
  const of = ({
    archived,
    bindings,
    connectorId,
    description,
    enabled,
    params,
    sql,
    title
  }: QueryDefinition) =>
    JSON.stringify([
      title,
      description,
      connectorId,
      sql,
      params.map(inOrder),
      bindings.map((binding: QueryBinding) => inOrder({ ...binding, paramMap: inOrder(binding.paramMap) })),
      enabled,
      archived
    ])
  return of(query) === of(definition)
}

const inOrder = (fields: object): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))

/** Names made distinct: a second `a` becomes `a_2`, or the next that no column has. */
export const distinctColumns = (columns: ReadonlyArray<ColumnInfo>): ReadonlyArray<ColumnInfo> => {
  const columnNames = new Set(columns.map(({ name }) => name))
  const seen = new Set<string>()
  return columns.map((column) => {
    if (!seen.has(column.name)) {
      seen.add(column.name)
      return column
    }
    let place = 2
    while (columnNames.has(`${column.name}_${place}`)) place += 1
    const name = `${column.name}_${place}`
    columnNames.add(name)
    return { ...column, name }
  })
}

/** Rows keyed by their distinct columns. */
export const keyedRows = (
  columns: ReadonlyArray<ColumnInfo>,
  rows: ReadonlyArray<ReadonlyArray<unknown>>
): ReadonlyArray<DataRow> =>
  rows.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, row[at] ?? null])))
