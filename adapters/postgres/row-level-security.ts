import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { invalid } from "../../core/platform/kernel/index.js"
import { migrationsTable, programTable } from "../sql/migration-tables.js"
import { isDistributedLayout, readLayout } from "./distribution.js"
import { nearestExtension } from "./nearest-schema.js"
import { createReaderFunctions, createReaderPolicy, readerPolicy, readerTables } from "./reader-policies.js"

/** Host tables for users, keys and sessions, which are read before any workspace is known. */
export const hostTables = [
  "host_user",
  "api_key",
  "user_login",
  "console_session",
  "passkey",
  "passkey_challenge"
] as const

/** Program tables with the schema version. */
export const programTables = [migrationsTable, programTable] as const

/**
 * Tables whose rows are also read before the workspace is known: workspaces, their members and keys, and the job
 * queue. Their policies allow statements that set `kanon.reach`.
 */
export const hostReadableTables: ReadonlySet<string> = new Set([
  "workspace",
  "workspace_vault",
  "vault_home",
  "membership",
  "key_grant",
  "job",
  "job_cron"
])

/** Policy names state what the policy allows, so that a changed policy gets a new name and is created again. */
const policies = { own: "kanon_workspace", host: "kanon_workspace_or_host" }

const policyOf = (table: string): string => (hostReadableTables.has(table) ? policies.host : policies.own)

/**
 * Returns tables with rows of workspaces, and the column with the workspace. Partitions are accessed through their
 * table.
 */
export const tenantTables = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const isDistributed = isDistributedLayout(yield* readLayout(sql))
    const found = yield* sql<{ name: string; workspace_column: string; policies: string | null }>`
      select c.relname as name, a.attname as workspace_column,
          case when c.relrowsecurity then
            (select string_agg(p.polname, ',' order by p.polname) from pg_policy p where p.polrelid = c.oid) end as policies
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
          join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
            and (a.attname = 'workspace_id' or a.attname = 'id' and c.relname = 'workspace')
        where n.nspname = current_schema() and c.relkind in ('r', 'p') and not c.relispartition order by c.relname`
    return found.map(({ name, policies: present, workspace_column: column }) => {
      const hasReaders = !isDistributed && readerTables.has(name)
      const wanted = [...(hasReaders ? [readerPolicy] : []), policyOf(name)].join()
      return { name, column, hasReaders, hasPolicy: present === wanted }
    })
  })

/**
 * Creates row-level security policies that restrict rows to the current workspace (`kanon.workspace`), on every table
 * that has such a column and no policy yet; new tables are therefore covered automatically. Tables of documents have one
 * of their readers as well. They do not apply to the owner of the tables, so migrations and backups see everything.
 */
export const createPolicies = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const tables = yield* tenantTables(sql)
    if (tables.some(({ hasReaders }) => hasReaders)) yield* createReaderFunctions(sql)
    for (const { column, hasPolicy, hasReaders, name } of tables) {
      if (hasPolicy) continue
      // Plain comparisons: Citus distributes no table whose policy has a subquery.
      const own = sql`${sql(column)} = current_setting('kanon.workspace', true)`
      const reach = hostReadableTables.has(name)
        ? sql`${own} or current_setting('kanon.reach', true) = 'host'`
        : own
      yield* sql`alter table ${sql(name)} enable row level security`
      for (const policy of Object.values(policies))
        yield* sql`drop policy if exists ${sql(policy)} on ${sql(name)}`
      yield* sql`create policy ${sql(policyOf(name))} on ${sql(name)} using (${reach}) with check (${reach})`
      if (hasReaders) yield* createReaderPolicy(sql, name)
    }
  })

/** Returns roles with server rights; they get rights on new tables too. */
const servers = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ name: string }>`select r.rolname as name from pg_class c
        join pg_namespace n on n.oid = c.relnamespace
        cross join lateral aclexplode(c.relacl) granted join pg_roles r on r.oid = granted.grantee
      where n.nspname = current_schema() and c.relname = 'workspace' and granted.privilege_type = 'INSERT'
        and granted.grantee <> c.relowner order by 1`,
    (rows) => rows.map(({ name }) => name)
  )

/** Grants the rights of a server to a role and to existing server roles. */
export const grantServers = (sql: SqlClient.SqlClient, role: string | undefined) =>
  Effect.gen(function* () {
    if (role !== undefined) yield* refuseBypassingRole(sql, role)
    const roles = new Set([...(yield* servers(sql)), ...(role === undefined ? [] : [role])])
    const tables = (yield* tenantTables(sql)).map(({ name }) => name)
    const [schema] = yield* sql<{ name: string }>`select current_schema() as name`
    const extension = yield* nearestExtension(sql)
    for (const server of roles) {
      yield* sql`grant usage on schema ${sql(schema?.name ?? "public")} to ${sql(server)}`
      if (extension !== null) yield* grantExtension(sql, extension, server)
      const grant = (rights: string, names: ReadonlyArray<string>) =>
        Effect.forEach(names, (name) => sql`grant ${sql.literal(rights)} on ${sql(name)} to ${sql(server)}`, {
          discard: true
        })
      yield* grant(
        "select, insert, update, delete",
        tables.filter((name) => !historyTables.has(name) && name !== "audit_head")
      )
      yield* grant("select, insert", [...historyTables])
      yield* grant("select, insert, update", ["audit_head"])
      yield* grant("select, insert, update", hostTables)
      yield* grant("delete", ["console_session", "passkey", "passkey_challenge"])
      yield* grant("select", programTables)
    }
    return [...roles]
  })

/** Grants use of pgvector's schema, if the owner may grant it; it may be public already. */
const grantExtension = (sql: SqlClient.SqlClient, schema: string, server: string) =>
  Effect.gen(function* () {
    const [found] = yield* sql<{ open: boolean; giving: boolean }>`select
      has_schema_privilege(${server}, ${schema}, 'USAGE') as open,
      has_schema_privilege(${schema}, 'USAGE WITH GRANT OPTION') as giving`
    if (found?.open !== true && found?.giving === true)
      yield* sql`grant usage on schema ${sql(schema)} to ${sql(server)}`
  })

/** Refuses a role that bypasses row-level security. */
const refuseBypassingRole = (sql: SqlClient.SqlClient, role: string) =>
  Effect.gen(function* () {
    const [found] = yield* sql<{ passes: boolean; owns: boolean }>`
      select r.rolsuper or r.rolbypassrls as passes,
          pg_has_role(r.oid, c.relowner, 'USAGE') as owns
        from pg_roles r, pg_class c join pg_namespace n on n.oid = c.relnamespace
        where r.rolname = ${role} and n.nspname = current_schema() and c.relname = 'workspace'`
    const why =
      found === undefined
        ? "There is no such role in this database server."
        : found.passes
          ? "The role is a superuser or bypasses row-level security (BYPASSRLS), so workspaces would not be isolated."
          : found.owns
            ? "The role owns the tables, or is a member of their owner, so workspaces would not be isolated."
            : null
    if (why !== null) yield* Effect.die(invalid(["serverRole"], "invalid_value", `${role}: ${why}`))
  })

/**
 * Append-only tables. On Postgres, servers may not update or delete their rows; the audit trail is also a hash chain.
 */
const historyTables: ReadonlySet<string> = new Set(["audit", "entity_revision"])
