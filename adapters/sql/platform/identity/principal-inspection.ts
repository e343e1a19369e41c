import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import {
  type DamagedRow,
  DataUnreadable,
  Timestamp,
  type WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import { ofShape, toNumber } from "../../codec.js"
import {
  type KeyRow,
  keyFromRow,
  type MemberRow,
  memberFromRow,
  secretIdFrom,
  type UsageRow,
  usageFromRow
} from "./holder-rows.js"

/** A row of an outer join. */
type Beside<Row> = { readonly held: string } & { readonly [Column in keyof Row]: Row[Column] | null }

/**
 * Returns keys, members, credentials, usage and calibrations that cannot be parsed or refer to missing rows; exports
 * lack them.
 */
export const unreadablePrincipals = (sql: SqlClient.SqlClient) => (workspace: WorkspaceScope) =>
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
          "The table key_grant refers to a key that does not exist."
        )
      ),
      ...members.flatMap((row) =>
        problemOf(
          `member ${row.held}`,
          () => isThere(row) && memberFromRow(row),
          "The table membership refers to a user that does not exist."
        )
      ),
      ...secrets.flatMap(({ created_at, id }) =>
        problemOf(
          `credential ${id}`,
          () => secretIdFrom(id) && ofShape(Timestamp, "a credential", created_at)
        )
      ),
      ...usage.flatMap((row) =>
        problemOf(
          `usage of ${row.month}`,
          () => isMonth(row.month) && usageFromRow(row),
          "The month in the table model_usage is invalid."
        )
      ),
      ...(toNumber(active?.n) > 1 || toNumber(active?.odd) > 0
        ? [
            {
              subject: "calibrations",
              problem: "The table calibration has several active rows, or an invalid flag."
            }
          ]
        : [])
    ]
  }).pipe(Effect.catchAll((error: SqlError) => Effect.die(error)))

const isThere = <Row extends { readonly id: string }>(row: Beside<Row> | Row): row is Row => row.id !== null

const isMonth = (month: string): boolean => /^\d{4}-(0[1-9]|1[0-2])$/.test(month)

/** Returns the problem of a row that cannot be parsed, or is missing. */
const problemOf = (subject: string, read: () => unknown, missing = ""): ReadonlyArray<DamagedRow> => {
  try {
    return read() === false ? [{ subject, problem: missing }] : []
  } catch (error) {
    if (error instanceof DataUnreadable) return [{ subject, problem: error.message }]
    throw error
  }
}
