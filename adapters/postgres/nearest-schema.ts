import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { isDistributedLayout, readLayout } from "./distribution.js"

/** Whether the database can search the nearest vectors, or why not. */
export type NearestState = "ready" | "missing" | "old" | "closed" | "distributed" | "unprepared"

/** Why each process searches vectors itself; null if the database does. */
export const withoutNearest: { readonly [state in NearestState]: string | null } = {
  ready: null,
  missing:
    "the extension vector is not in this database, so each process searches vectors alone: exactly for some thousands of them, by a graph in memory or in the data folder above that",
  old: "the extension vector is older than 0.8, so each process searches vectors alone",
  closed:
    "the extension vector stands in a schema that this role may not use, so each process searches vectors alone: its owner may 'grant usage on schema extensions to public'",
  distributed:
    "the database is distributed, where the index of vectors is not made, so each process searches vectors alone",
  unprepared:
    "the extension vector is there and its tables are not: 'kanon migrate' with the owner's URL makes them; until then each process searches vectors by itself"
}

/** The first version of pgvector with iterative index scans, which continue until enough rows pass a filter. */
const oldest = [0, 8] as const

/** Returns the state of pgvector in this database. */
export const nearestState = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const [found] = yield* sql<{
      version: string
      open: boolean
      prepared: boolean
    }>`select extversion as version,
      has_schema_privilege(extnamespace, 'USAGE') as open, to_regclass('vector_nearest') is not null as prepared
      from pg_extension where extname = 'vector'`
    if (found === undefined) return "missing"
    const [major = 0, minor = 0] = found.version.split(".").map(Number)
    if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) return "old"
    if (!found.open) return "closed"
    if (isDistributedLayout(yield* readLayout(sql))) return "distributed"
    return found.prepared ? "ready" : "unprepared"
  }) satisfies Effect.Effect<NearestState, unknown>

/** The tables of the vector index. */
export const nearestTables = ["vector_nearest", "vector_nearest_state"] as const

/**
 * Creates the tables and functions for searches by pgvector, if an administrator has created the extension. Each
 * workspace has its own partition and each model its own graph, so a search reads no rows of others, and creating or
 * dropping a graph does not block another workspace. Servers may not create these themselves; two functions of the
 * owner do so for the current workspace.
 */
export const prepareNearest = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const state = yield* nearestState(sql)
    if (state !== "ready" && state !== "unprepared") return
    const [place] = yield* sql<{ own: string; extension: string }>`select
      quote_ident(current_schema()) as own, quote_ident(n.nspname) as extension
      from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'`
    if (place === undefined) return
    // Postgres knows the extension's settings, and lets others than superusers set them, only after one of its
    // functions was called.
    yield* sql`select '[1]'::${sql.literal(place.extension)}.vector::text`
    yield* sql`create table if not exists vector_nearest_state (
      workspace_id text collate "C" not null,
      model text collate "C" not null,
      position bigint not null,
      begun_at bigint not null,
      is_built boolean not null,
      primary key (workspace_id, model)
    )`
    yield* sql`create table if not exists vector_nearest (
      workspace_id text collate "C" not null,
      model text collate "C" not null,
      label integer not null,
      embedding ${sql.literal(place.extension)}.vector not null,
      primary key (workspace_id, model, label)
    ) partition by list (workspace_id)`
    yield* makeFunctions(sql, place)
  })

/** Creates the functions over these tables. */
const makeFunctions = (
  sql: SqlClient.SqlClient,
  place: { readonly own: string; readonly extension: string }
) =>
  Effect.gen(function* () {
    // The extension's schema comes first in the search path, because one of our tables has the name of its type.
    // Created objects are qualified with our schema.
    const made = place.own.replaceAll("'", "''")
    const path = `set search_path = ${place.extension}, ${place.own}, pg_temp`
    const definer = `language plpgsql security definer ${path}`
    yield* sql.unsafe(`create or replace function kanon_nearest_own(ws text) returns text ${definer} as $$
      begin
        if coalesce(current_setting('kanon.workspace', true), '') not in ('', ws) then
          raise exception 'another workspace is in force' using errcode = '42501';
        end if;
        return 'vector_nearest_' || substr(md5(ws), 1, 24);
      end $$`)
    yield* sql.unsafe(`create or replace function kanon_nearest_hold(ws text) returns void ${definer} as $$
      declare own text := kanon_nearest_own(ws);
      begin
        if to_regclass('${made}.' || own) is not null then return; end if;
        perform pg_advisory_xact_lock(hashtextextended(own, 0));
        if to_regclass('${made}.' || own) is not null then return; end if;
        execute format('create table ${made}.%I (like vector_nearest including all)', own);
        execute format('alter table vector_nearest attach partition ${made}.%I for values in (%L)', own, ws);
      end $$`)
    yield* sql.unsafe(`create or replace function kanon_nearest_build(ws text, of_model text, dimensions integer)
      returns void ${definer} as $$
      declare own text := kanon_nearest_own(ws);
      begin
        execute format('create index if not exists %I on ${made}.%I using hnsw ((embedding::halfvec(%s)) halfvec_ip_ops) '
          'where model = %L',
          own || '_' || substr(md5(of_model), 1, 12), own, dimensions, of_model);
        execute format('analyze ${made}.%I', own);
      end $$`)
    yield* sql.unsafe(`create or replace function kanon_nearest_drop(ws text, of_model text) returns void ${definer} as $$
      declare own text := kanon_nearest_own(ws);
      begin
        execute format('drop index if exists ${made}.%I', own || '_' || substr(md5(of_model), 1, 12));
        delete from vector_nearest where workspace_id = ws and model = of_model;
        delete from vector_nearest_state where workspace_id = ws and model = of_model;
      end $$`)
    yield* sql.unsafe(`create or replace function kanon_nearest_put(ws text, of_model text, labels integer[], told text[])
      returns void language sql ${path} as $$
        insert into vector_nearest (workspace_id, model, label, embedding)
          select ws, of_model, label, text::vector from unnest(labels, told) as row (label, text) $$`)
    yield* sql.unsafe(nearestFunction(path))
  })

/** Returns the schema of pgvector, if usable; else null. */
export const nearestExtension = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    if ((yield* nearestState(sql)) !== "ready") return null
    const [found] = yield* sql<{ name: string }>`select n.nspname as name from pg_extension e
      join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'`
    return found?.name ?? null
  })

/**
 * Returns why the tables cannot be created beside the extension, or null. The extension's type and one of our tables
 * are both named `vector`, so they need different schemas.
 */
export const nearestCollision = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql`select 1 from pg_extension e join pg_namespace n on n.oid = e.extnamespace
      where e.extname = 'vector' and n.nspname = current_schema()`,
    (rows) =>
      rows.length === 0
        ? null
        : "The extension vector stands in the schema that the tables are to be made in, where a table has its name. " +
          "Give it a schema of its own, and run this again: create schema extensions; alter extension vector set schema extensions"
  )

/** Candidate list size of a graph search: recall against time, measured in the tests and in docs/postgres.md. */
const breadth = 200

/**
 * Creates the search function. Its settings end with the call, so the session is unchanged. Candidates come from a
 * graph over half-precision vectors and are sorted by full precision. Model and workspace are literals in the inner
 * statement, because a partial index is only used if the condition matches its own. Disabling sorts makes the planner
 * use the graph.
 */
const nearestFunction = (
  path: string
) => `create or replace function kanon_nearest(ws text, of_model text, query text,
    dimensions integer, wanted integer, allowed integer[], by_graph boolean)
  returns table (found integer, cosine double precision) language plpgsql stable ${path}
  set hnsw.ef_search = ${breadth} set hnsw.iterative_scan = 'strict_order' set enable_sort = off as $$
  declare
    own text := format('n.workspace_id = %L and n.model = %L', ws, of_model)
      || case when allowed is null then '' else ' and n.label = any ($3)' end;
    near text := format('order by n.embedding::halfvec(%s) <#> $1::halfvec(%s) limit $2 + 20', dimensions, dimensions);
  begin
    return query execute 'with near as materialized (select n.label, n.embedding from vector_nearest n where '
      || own || ' ' || case when by_graph then near else '' end
      || ') select label, -(embedding <#> $1::vector) from near order by embedding <#> $1::vector, label limit $2'
      using query, wanted, allowed;
  end $$`
