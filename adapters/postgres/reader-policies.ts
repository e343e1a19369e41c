import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/**
 * Policies that carry the rights of documents on Postgres, as a second wall behind `adapters/sql/reader-view.ts`: a
 * statement of a caller with a view sets `kanon.readers`, and rows of documents whose list is not named there do not
 * exist for it, whatever the statement says.
 */

/** The name of the policy of readers, beside that of the workspace. */
export const readerPolicy = "kanon_readers"

/** Tables whose rows belong to one document, with the call that decides about a row. */
const conditions: ReadonlyMap<string, string> = new Map([
  ["document", "kanon_reads(workspace_id, id)"],
  ["document_content", "kanon_reads(workspace_id, document_id)"],
  ["document_version", "kanon_reads(workspace_id, document_id)"],
  ["chunk", "kanon_reads(workspace_id, document_id)"],
  ["mention", "kanon_reads_number(workspace_id, document_no)"]
])

/** Tables with a policy of readers. */
export const readerTables: ReadonlySet<string> = new Set(conditions.keys())

/** The value of `kanon.readers` for a view; never empty, because an empty one means that everything may be read. */
export const readersSetting = (lists: ReadonlyArray<string>): string => ["lists", ...lists].join()

/**
 * Creates the functions of the policies. They are functions, and cheap in the eyes of the planner, so that a policy
 * changes no plan; without the setting they are not called.
 */
export const createReaderFunctions = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    yield* sql`create or replace function kanon_reads(workspace text, document text) returns boolean
      language plpgsql stable parallel safe cost 1 as $$ begin
        return not exists (select 1 from document_access a
          where a.workspace_id = workspace and a.document_id = document and a.list_id is not null
            and a.list_id <> all (string_to_array(current_setting('kanon.readers', true), ',')));
      end $$`
    yield* sql`create or replace function kanon_reads_number(workspace text, number_of bigint) returns boolean
      language plpgsql stable parallel safe cost 1 as $$ begin
        return not exists (select 1 from id_number n join document_access a
            on a.workspace_id = workspace and a.document_id = n.id
          where n.workspace_id = workspace and n.number = number_of and a.list_id is not null
            and a.list_id <> all (string_to_array(current_setting('kanon.readers', true), ',')));
      end $$`
  })

/** Creates the policy of a table; it narrows what the policy of the workspace allows, for reading alone. */
export const createReaderPolicy = (sql: SqlClient.SqlClient, table: string) =>
  Effect.gen(function* () {
    yield* dropReaderPolicy(sql, table)
    const condition = conditions.get(table)
    if (condition !== undefined)
      // The planner takes an inequality of a setting for nearly always true, so it estimates rows as without.
      yield* sql`create policy ${sql(readerPolicy)} on ${sql(table)} as restrictive for select
        using (split_part(coalesce(current_setting('kanon.readers', true), ''), ',', 1) <> 'lists'
          or ${sql.literal(condition)})`
  })

const dropReaderPolicy = (sql: SqlClient.SqlClient, table: string) =>
  sql`drop policy if exists ${sql(readerPolicy)} on ${sql(table)}`

/** Removes all of it: Citus calls no function in a policy that reads a distributed table. */
export const dropReaderPolicies = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    for (const table of readerTables) yield* dropReaderPolicy(sql, table)
    yield* sql`drop function if exists kanon_reads(text, text)`
    yield* sql`drop function if exists kanon_reads_number(text, bigint)`
  })
