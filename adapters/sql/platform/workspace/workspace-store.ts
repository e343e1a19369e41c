import { isDeepStrictEqual } from "node:util"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  DataUnreadable,
  scopeOf,
  serviceLayer,
  type WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import { Settings, Workspace, WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import { fromJson, readableOf, toJson, toNumber } from "../../codec.js"
import { changing, changingContent } from "../../content-changes.js"
import { dialect } from "../../dialect.js"
import { done, readAll } from "../../rows.js"
import { usage } from "../models/usage-store.js"
import { secrets } from "../secrets/secret-store.js"

interface WorkspaceRow {
  readonly id: string
  readonly name: string
  readonly settings: string
}

/**
 * The row of the workspace for which the database was created. An imported workspace may be older, but has a vault of
 * its own.
 */
export const firstWorkspace = (sql: SqlClient.SqlClient) =>
  sql`(select o.* from workspace o left join workspace_vault v on v.workspace_id = o.id
    order by v.workspace_id is not null, o.created_at, o.id limit 1)`

/** Stores workspaces with their credentials and their usage of models in SQL. */
export const sqlWorkspaceStore = serviceLayer(
  WorkspaceStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const setVault = (workspace: WorkspaceScope, folder: string) =>
      Effect.asVoid(
        sql`insert into workspace_vault ${sql.insert({ workspace_id: workspace, folder })}
          on conflict (workspace_id) do update set folder = excluded.folder`
      )
    const findFirst = sql<WorkspaceRow>`select w.id, w.name, w.settings from ${firstWorkspace(sql)} w`
    /** A unit of work that found no workspace is about to make one. */
    const afterOthers = Effect.flatMap(Effect.serviceOption(SqlClient.TransactionConnection), (unit) =>
      Option.isNone(unit) ? Effect.succeed([]) : Effect.zipRight(dialect(sql).turnOfFirst, findFirst)
    )
    return {
      secrets: yield* secrets,
      usage: yield* usage,
      get: (workspace) =>
        sql<WorkspaceRow>`select id, name, settings from workspace where id = ${workspace}`.pipe(
          Effect.flatMap((rows) =>
            rows[0] === undefined
              ? Effect.dieMessage("A scope without a workspace.")
              : Effect.succeed(fromRow(rows[0]))
          ),
          Effect.orDie
        ),
      first: Effect.flatMap(findFirst, (rows) => (rows.length > 0 ? Effect.succeed(rows) : afterOthers)).pipe(
        Effect.map((rows) => Option.map(Option.fromNullable(rows[0]), fromRow)),
        Effect.tap((found) => (Option.isNone(found) ? refuseOrphaned(sql) : Effect.void)),
        Effect.orDie
      ),
      list: sql<WorkspaceRow>`select id, name, settings from workspace order by created_at, id`.pipe(
        readAll(fromRow)
      ),
      readable: sql<WorkspaceRow>`select id, name, settings from workspace order by created_at, id`.pipe(
        Effect.flatMap((rows) => readableOf(rows, "workspaces", fromRow)),
        Effect.orDie
      ),
      insert: ({ id, name, settings }, at, vault) =>
        Effect.gen(function* () {
          yield* sql`insert into workspace (id, name, settings, created_at, updated_at)
            values (${id}, ${name}, ${toJson(settings)}, ${at}, ${at})`
          if (vault !== undefined) yield* setVault(scopeOf(id), vault)
        }).pipe(changingContent(sql, scopeOf(id)), Effect.orDie),
      vault: (workspace) =>
        sql<{ folder: string }>`select folder from workspace_vault where workspace_id = ${workspace}`.pipe(
          Effect.map((rows) => Option.map(Option.fromNullable(rows[0]), ({ folder }) => folder)),
          Effect.orDie
        ),
      setVault: (workspace, vault) => Effect.orDie(setVault(workspace, vault)),
      chunker: (workspace) =>
        sql<{ chunker: string | null }>`select chunker from workspace where id = ${workspace}`.pipe(
          Effect.map(([row]) => row?.chunker ?? null),
          Effect.orDie
        ),
      setChunker: (workspace, chunker) =>
        done(sql`update workspace set chunker = ${chunker} where id = ${workspace}`),
      revision: (workspace) =>
        sql<{ revision: unknown }>`select revision from workspace where id = ${workspace}`.pipe(
          Effect.map((rows) => toNumber(rows[0]?.revision)),
          Effect.orDie
        ),
      update: ({ id, name, settings }, at) =>
        Effect.gen(function* () {
          const [before] = yield* sql<{ settings: string }>`select settings from workspace where id = ${id}`
          const change = { content: true, settings: !sameAnswers(before?.settings, settings) }
          yield* changing(
            sql,
            scopeOf(id),
            change,
            sql`update workspace set name = ${name}, settings = ${toJson(settings)}, updated_at = ${at},
              revision = revision + 1 where id = ${id}`
          )
        }).pipe(Effect.orDie),
      advance: (workspace, counter, by) =>
        sql<{ value: unknown }>`insert into counter (workspace_id, name, value)
          values (${workspace}, ${counter}, ${by})
          on conflict (workspace_id, name) do update set value = counter.value + excluded.value
          returning value`.pipe(
          Effect.map((rows) => toNumber(rows[0]?.value)),
          Effect.orDie
        )
    }
  })
)

/** Settings that every answer depends on, and the retention of answers. */
const answerSettings = ["policy", "models", "retrieval", "chunking", "retention"] as const

/** Returns whether cached answers stay valid under new settings. */
const sameAnswers = (stored: string | undefined, settings: Settings): boolean => {
  const before = Settings.safeParse(stored === undefined ? undefined : fromJson(stored))
  return (
    before.success && answerSettings.every((group) => isDeepStrictEqual(before.data[group], settings[group]))
  )
}

/** Recently parsed rows: every call reads its workspace, and validation is the slowest part. */
const checked = new Map<string, { readonly row: WorkspaceRow; readonly workspace: Workspace }>()
const checkedMax = 64

const fromRow = (row: WorkspaceRow): Workspace => {
  const { id, name, settings } = row
  const known = checked.get(id)
  if (known !== undefined && known.row.name === name && known.row.settings === settings)
    return known.workspace
  const workspace = parsed(row)
  const [oldest] = checked.keys()
  if (checked.size >= checkedMax && oldest !== undefined) checked.delete(oldest)
  checked.set(id, { row, workspace })
  return workspace
}

/** Refuses to create a workspace whose row was lost while its data remains. */
const refuseOrphaned = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const [left] = yield* sql<{ workspace_id: string }>`select workspace_id from audit_head limit 1`
    if (left === undefined) return
    yield* Effect.die(
      new DataUnreadable({
        message: `The row of the workspace ${left.workspace_id} is missing, but its data exists: restore an export or a copy of the data folder, or remove the data folder and ingest the files again.`
      })
    )
  })

/** Parses the workspace row; without a valid one nothing opens. */
const parsed = ({ id, name, settings }: WorkspaceRow): Workspace => {
  const read = Workspace.safeParse({ id, name, settings: Settings.safeParse(fromJson(settings)).data })
  if (read.success) return read.data
  const why = read.error.issues.map(({ message, path }) => `${path.join(".")}: ${message}`).join("; ")
  throw new DataUnreadable({
    message: `The row of the workspace is invalid (${why}). Correct it by hand, or restore an export or a copy of the data folder.`
  })
}
