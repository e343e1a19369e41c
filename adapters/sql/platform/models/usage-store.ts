import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { parseUsd } from "../../../../core/platform/models/index.js"
import type { UsageStore } from "../../../../core/platform/workspace/index.js"
import { done } from "../../rows.js"
import { type UsageRow, usageFromRow } from "../identity/holder-rows.js"

/** The largest whole number that JavaScript holds exactly, and the largest of 64 bits. */
const [tokensMax, costMax] = ["9007199254740991", "9223372036854775807"]

export const usage: Effect.Effect<UsageStore, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  /** Adds to a column; at its maximum it stays, so that the row can always be read and added to. */
  const sum = (column: string, max: string) =>
    sql.literal(`case when model_usage.${column} > ${max} - excluded.${column} then ${max}
          else model_usage.${column} + excluded.${column} end`)
  return {
    add: (workspace, month, { costUsd, inputTokens, outputTokens }) =>
      done(sql`insert into model_usage (workspace_id, month, input_tokens, output_tokens, cost_usd_1e10)
          values (${workspace}, ${month}, ${inputTokens}, ${outputTokens}, cast(${String(parseUsd(costUsd))} as bigint))
          on conflict (workspace_id, month) do update set
            input_tokens = ${sum("input_tokens", tokensMax)},
            output_tokens = ${sum("output_tokens", tokensMax)},
            cost_usd_1e10 = ${sum("cost_usd_1e10", costMax)}`),
    of: (workspace, month) =>
      sql<UsageRow>`select input_tokens as input, output_tokens as output,
            cast(cost_usd_1e10 as text) as cost from model_usage
          where workspace_id = ${workspace} and month = ${month}`.pipe(
        Effect.map(([row]) => usageFromRow(row ?? { input: 0, output: 0, cost: "0" })),
        Effect.orDie
      )
  }
})
