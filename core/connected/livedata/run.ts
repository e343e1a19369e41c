import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { AuditContext } from "../../platform/audit/index.js"
import {
  atomically,
  Caller,
  ConnectorDisabled,
  ConnectorUnreachable,
  canonicalJson,
  countEvent,
  type DataCallId,
  Ids,
  InvalidParams,
  NotFound,
  QueryFailed,
  QueryTimeout,
  timestampOf,
  traced
} from "../../platform/kernel/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import { openTarget } from "./connectors.js"
import { type DatabaseFault, effectiveLimits, LiveDatabases } from "./live-databases.js"
import type { DataCall, DataCallOutcome, DataQuery, QueryRun } from "./model.js"
import { readParams } from "./parameters.js"
import { distinctColumns, findQuery, keyedRows } from "./queries.js"
import { type CompiledStatement, compileStatement } from "./statement.js"
import { type CallRows, LiveDataStore } from "./store.js"

type Ended = QueryFault | QueryRun
type QueryFault = ConnectorDisabled | ConnectorUnreachable | InvalidParams | QueryFailed | QueryTimeout

/**
 * Runs a named query, by slug or id, and records the execution, also one that is refused, fails or is given up. Each
 * fault names the data call. NotFound leaves none.
 */
export const runQuery = traced("livedata.run")(function* (
  slugOrId: string,
  given: Readonly<Record<string, unknown>>
) {
  const { workspace } = yield* Caller
  const query = yield* findQuery(workspace, slugOrId)
  return yield* execute(query, given)
})

/** The same of a query that is at hand. */
export const execute = (query: DataQuery, given: Readonly<Record<string, unknown>>) =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const startedAt = yield* Clock.currentTimeMillis
    const call = { id: ids.make("dataCall"), startedAt, params: declaredOnly(query, given) }
    const ended = yield* attempt(query, given, call.id).pipe(
      Effect.onInterrupt(() => keep(query, call, "failed", "The caller gave it up.", null))
    )
    if ("_tag" in ended) {
      yield* keep(query, call, outcomeOf(ended), ended.message, null)
      return yield* ended
    }
    const durationMs = Math.max(0, Math.round((yield* Clock.currentTimeMillis) - startedAt))
    const run: QueryRun = { ...ended, durationMs }
    yield* keep(query, call, "ok", null, run)
    return run
  })

/** Values of declared parameters, as they were given. */
const declaredOnly = (
  { params }: DataQuery,
  given: Readonly<Record<string, unknown>>
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(params.flatMap(({ name }) => (Object.hasOwn(given, name) ? [[name, given[name]]] : [])))

const outcomeOf = (fault: QueryFault): DataCallOutcome => {
  if (fault._tag === "QueryTimeout") return "timeout"
  if (fault._tag === "ConnectorDisabled" || fault._tag === "InvalidParams") return "refused"
  return fault.message.startsWith(guardPrefix) ? "refused" : "failed"
}
const guardPrefix = "The guard refuses the query"

const attempt = (
  query: DataQuery,
  given: Readonly<Record<string, unknown>>,
  dataCallId: DataCallId
): Effect.Effect<
  Ended,
  never,
  | Caller
  | LiveDataStore
  | LiveDatabases
  | WorkspaceStore
  | Effect.Effect.Context<ReturnType<typeof openTarget>>
> =>
  Effect.gen(function* () {
    const { scopes, workspace } = yield* Caller
    const connector = Option.getOrNull(
      yield* (yield* LiveDataStore).connectors.find(workspace, query.connectorId)
    )
    if (connector === null)
      return new ConnectorDisabled({ message: "The connector of the query was deleted.", dataCallId })
    if (!connector.enabled)
      return new ConnectorDisabled({ message: "The connector is disabled.", dataCallId })
    if (query.archived) return new ConnectorDisabled({ message: "The query is archived.", dataCallId })
    if (!query.enabled) return new ConnectorDisabled({ message: "The query is disabled.", dataCallId })
    const values = yield* Effect.either(readParams(query.params, given))
    if (Either.isLeft(values)) return new InvalidParams({ message: values.left, dataCallId })
    const statement = compileStatement(query.sql, connector.kind, values.right)
    if (Either.isLeft(statement))
      return new QueryFailed({ message: `${guardPrefix}: ${statement.left}`, dataCallId })
    const opened = yield* Effect.either(openTarget(workspace, connector))
    if (Either.isLeft(opened)) return new ConnectorUnreachable({ message: opened.left.message, dataCallId })
    const limits = yield* effectiveLimits(workspace, connector.limits)
    const databases = yield* LiveDatabases
    const result = yield* Effect.either(databases.run(workspace, opened.right, statement.right, limits))
    if (Either.isLeft(result)) {
      const isAdmin = scopes === undefined || scopes.includes("workspace:admin")
      return faultOf(result.left, dataCallId, limits.timeoutMs, isAdmin ? statement.right : null)
    }
    const columnInfo = [...distinctColumns(result.right.columns)]
    const rows = keyedRows(columnInfo, result.right.rows)
    return {
      dataCallId,
      connectorId: connector.id,
      queryId: query.id,
      columns: columnInfo.map(({ name }) => name),
      rows: rows.map((row) => ({ ...row })),
      rowCount: rows.length,
      durationMs: 0,
      truncated: result.right.truncated,
      columnInfo
    }
  })

/**
 * Returns the fault that callers see. The database's own message is only for administrators, to whom the statement is
 * given here.
 */
const faultOf = (
  fault: DatabaseFault,
  dataCallId: DataCallId,
  timeoutMs: number,
  statement: CompiledStatement | null
): QueryFault => {
  switch (fault._tag) {
    case "StatementRefused":
      return new QueryFailed({ message: `${guardPrefix}: ${fault.message}`, dataCallId })
    case "StatementFailed":
      return new QueryFailed({
        message:
          statement === null
            ? "The database refused the query while it ran; a caller with workspace:admin sees why."
            : `The database refused the query while it ran: ${withoutValues(fault.detail, statement)}`,
        dataCallId
      })
    case "StatementTimedOut":
      return new QueryTimeout({ message: `The query took longer than ${timeoutMs} ms.`, dataCallId })
    default:
      return new ConnectorUnreachable({ message: fault.message, dataCallId })
  }
}

const reasonMaxChars = 500

/** A message of a database without the values of parameters, and without what else it quotes of rows. */
const withoutValues = (detail: string, { values }: CompiledStatement): string => {
  const texts = values
    .flatMap(({ value }) => (value === null ? [] : [String(value)]))
    .filter((one) => one.length > 2)
  return texts
    .reduce((text, value) => text.replaceAll(value, "…"), detail.slice(0, reasonMaxChars * 4))
    .replaceAll(/([:=] ?\(?)(?:"[^"]*"|'[^']*'|\([^)]*\))/gu, "$1…")
    .slice(0, reasonMaxChars)
}

const keep = (
  query: DataQuery,
  { id, params, startedAt }: { readonly id: DataCallId; readonly startedAt: number; readonly params: object },
  outcome: DataCallOutcome,
  error: string | null,
  run: QueryRun | null
) =>
  Effect.gen(function* () {
    const [{ activity, actor, workspace }, calls, { sha256 }] = [
      yield* Caller,
      (yield* LiveDataStore).calls,
      yield* Ids
    ]
    const { retention } = (yield* (yield* WorkspaceStore).get(workspace)).settings
    yield* countEvent("kanon_data_calls_total", { outcome })
    const ended = yield* Clock.currentTimeMillis
    const rows: CallRows | null =
      run === null || retention.dataRowDays === 0 ? null : { columns: run.columns, rows: run.rows }
    const call: DataCall = {
      id,
      queryId: query.id,
      slug: query.slug,
      queryRevision: query.revision,
      connectorId: query.connectorId,
      params: { ...params },
      outcome,
      error,
      rowCount: run?.rowCount ?? 0,
      truncated: run?.truncated ?? false,
      durationMs: run?.durationMs ?? Math.max(0, Math.round(ended - startedAt)),
      executedAt: timestampOf(startedAt),
      resultDigest: run === null ? null : sha256(canonicalJson({ columns: run.columns, rows: run.rows })),
      answerId: null,
      runId: (yield* AuditContext).runId,
      activity,
      calledBy: actor
    }
    // Not synced to disk: only a power failure right after can lose the record, and the call changed no data.
    yield* atomically(calls.add(workspace, call, rows), { unsynced: true })
  })

/** One execution; with its rows where the caller may run queries, while they are kept. */
export const getCall = traced("livedata.call")(function* (id: DataCallId) {
  const { scopes, workspace } = yield* Caller
  const found = Option.getOrNull(yield* (yield* LiveDataStore).calls.find(workspace, id))
  if (found === null) return yield* new NotFound({ what: "data call" })
  const maySee = scopes === undefined || scopes.includes("data:run")
  return maySee && found.rows !== null
    ? {
        ...found.call,
        columns: [...found.rows.columns],
        rows: found.rows.rows.map((row) => ({ ...row }))
      }
    : found.call
})

/** The newest executions; of one query where it is named by slug or id. */
export const listCalls = traced("livedata.calls")(function* (limit: number, slugOrId?: string) {
  const { workspace } = yield* Caller
  const query = slugOrId === undefined ? undefined : yield* findQuery(workspace, slugOrId)
  return yield* (yield* LiveDataStore).calls.list(workspace, { queryId: query?.id, limit })
})

const dayMs = 86_400_000
const prunedPerUnit = 500

/** Forgets the rows of calls that are older than the workspace keeps them; gives of how many calls. */
export const pruneDataRows = Effect.fn("livedata.prune")(function* () {
  const [calls, { workspace }] = [(yield* LiveDataStore).calls, yield* Caller]
  const { retention } = (yield* (yield* WorkspaceStore).get(workspace)).settings
  const before = timestampOf((yield* Clock.currentTimeMillis) - retention.dataRowDays * dayMs)
  let count = 0
  for (let removed = prunedPerUnit; removed === prunedPerUnit; count += removed)
    removed = yield* atomically(calls.pruneRows(workspace, before, prunedPerUnit))
  return count
})
