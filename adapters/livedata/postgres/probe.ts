import type pg from "pg"
import type { ConnectorProbe } from "../../../core/connected/livedata/index.js"

/** Everything by which an account could change something; each row is one reason. */
const rightsOfAccount = `
  with me as (select * from pg_catalog.pg_roles where rolname = current_user),
  relations as (
    select c.oid, n.nspname || '.' || c.relname as name, c.relowner, c.relkind from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and n.nspname not in ('pg_catalog', 'information_schema')
      and n.nspname not like 'pg\\_toast%' and n.nspname not like 'pg\\_temp%')
  select 'it is a superuser' as reason from me where rolsuper
  union all select 'it may make roles' from me where rolcreaterole
  union all select 'it may make databases' from me where rolcreatedb
  union all select 'it passes row-level security' from me where rolbypassrls
  union all select 'it may replicate' from me where rolreplication
  union all select 'it is a member of ' || r.rolname from pg_catalog.pg_roles r
    where r.rolname in ('pg_write_all_data', 'pg_execute_server_program', 'pg_write_server_files',
      'pg_read_server_files', 'pg_signal_backend', 'pg_checkpoint', 'pg_database_owner')
      and pg_catalog.pg_has_role(current_user, r.oid, 'member')
  union all select 'it owns the database' from pg_catalog.pg_database d
    where d.datname = current_database() and pg_catalog.pg_has_role(current_user, d.datdba, 'member')
  union all (select 'it owns ' || name from relations
    where pg_catalog.pg_has_role(current_user, relowner, 'member') limit 1)
  union all (select 'it may write ' || name from relations
    where case when relkind = 'S' then false
      else pg_catalog.has_table_privilege(oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER') end limit 1)
  union all (select 'it may change the sequence ' || name from relations
    where case when relkind = 'S' then pg_catalog.has_sequence_privilege(oid, 'USAGE, UPDATE')
      else false end limit 1)
  union all (select 'it may make objects in the schema ' || nspname from pg_catalog.pg_namespace
    where nspname not like 'pg\\_%' and pg_catalog.has_schema_privilege(oid, 'CREATE') limit 1)
  union all select 'it may make schemas in the database'
    where pg_catalog.has_database_privilege(current_database(), 'CREATE')`

/** Returns whether the account is read-only, with its rights beyond reading. */
export const probeAccount = async (client: pg.PoolClient): Promise<ConnectorProbe> => {
  const version = await client.query<{ version: string }>(
    "select pg_catalog.current_setting('server_version') as version"
  )
  const { rows } = await client.query<{ reason: string }>(rightsOfAccount)
  const reasons = rows.map(({ reason }) => reason)
  return {
    ok: true,
    readOnlyProven: reasons.length === 0,
    serverVersion: version.rows[0]?.version ?? null,
    message:
      reasons.length === 0
        ? null
        : `The account is not read-only: ${reasons.join("; ")}. Give the connector a role with SELECT alone.`
  }
}
