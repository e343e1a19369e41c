import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import {
  DataUnreadable,
  type ImpossibleRow,
  Timestamp,
  type WorkspaceScope
} from "../../../core/kernel/index.js"
import { ofShape, toNumber } from "../codec.js"
import {
  type KeyRow,
  keyFromRow,
  type MemberRow,
  memberFromRow,
  secretIdFrom,
  type UsageRow,
  usageFromRow
} from "./holder-rows.js"

/** A row of a table that is on the side of another one that may not be there. */
type Beside<Row> = { readonly held: string } & { readonly [Column in keyof Row]: Row[Column] | null }

/** What is wrong with rows about who reaches a workspace and what it has: no export carries them, and nothing makes them anew. */
export const impossibleHolders = (sql: SqlClient.SqlClient) => (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const keys = yield* sql<Beside<KeyRow>>`select g.key_id as held, k.* from key_grant g
      left join api_key k on k.id = g.key_id where g.workspace_id = ${workspace}
      union all select k.id as held, k.* from api_key k where k.reaches_all <> 0 order by 1`
    const members = yield* sql<
      Beside<MemberRow>
    >`select m.user_id as held, u.id, u.display_name, u.created_at,
        m.role, m.created_at as since
      from membership m left join host_user u on u.id = m.user_id where m.workspace_id = ${workspace} order by 1`
    const secrets = yield* sql<{ id: string; created_at: string }>`select id, created_at from secret
      where workspace_id = ${workspace} order by id`
    const usage = yield* sql<UsageRow & { month: string }>`select month, input_tokens as input,
        output_tokens as output, cast(cost_usd_1e10 as text) as cost
      from model_usage where workspace_id = ${workspace} order by month`
    const [active] = yield* sql<{ n: unknown; odd: unknown }>`select count(*) as n,
        sum(case when active in (0, 1) then 0 else 1 end) as odd
      from calibration where workspace_id = ${workspace} and active <> 0`
    return [
      ...keys.flatMap((row) =>
        problemOf(
          `key ${row.held}`,
          () => isThere(row) && keyFromRow(row, [workspace]),
          "It is not there, and something is granted to it."
        )
      ),
      ...members.flatMap((row) =>
        problemOf(`member ${row.held}`, () => isThere(row) && memberFromRow(row), "The user is not there.")
      ),
      ...secrets.flatMap(({ created_at, id }) =>
        problemOf(
          `credential ${id}`,
          () => secretIdFrom(id) && ofShape(Timestamp, "a credential", created_at)
        )
      ),
      ...usage.flatMap((row) =>
        problemOf(`usage of ${row.month}`, () => isMonth(row.month) && usageFromRow(row), "It is no month.")
      ),
      ...(toNumber(active?.n) > 1 || toNumber(active?.odd) > 0
        ? [
            {
              subject: "calibrations",
              why: "More than one counts as active, or one neither as active nor as none."
            }
          ]
        : [])
    ]
  }).pipe(Effect.catchAll((error: SqlError) => Effect.die(error)))

const isThere = <Row extends { readonly id: string }>(row: Beside<Row> | Row): row is Row => row.id !== null

const isMonth = (month: string): boolean => /^\d{4}-(0[1-9]|1[0-2])$/.test(month)

/** What keeps a row from being read, or from being there. */
const problemOf = (subject: string, read: () => unknown, missing = ""): ReadonlyArray<ImpossibleRow> => {
  try {
    return read() === false ? [{ subject, why: missing }] : []
  } catch (error) {
    if (error instanceof DataUnreadable) return [{ subject, why: error.message }]
    throw error
  }
}
