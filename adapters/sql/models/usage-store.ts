import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { serviceLayer } from "../../../core/kernel/index.js"
import { parseUsd, UsageStore } from "../../../core/models/index.js"
import { type UsageRow, usageFromRow } from "../identity/holder-rows.js"

export const sqlUsageStore = serviceLayer(
  UsageStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      add: (workspace, month, { costUsd, inputTokens, outputTokens }) =>
        sql`insert into model_usage (workspace_id, month, input_tokens, output_tokens, cost_usd_1e10)
          values (${workspace}, ${month}, ${inputTokens}, ${outputTokens}, cast(${String(parseUsd(costUsd))} as bigint))
          on conflict (workspace_id, month) do update set
            input_tokens = model_usage.input_tokens + excluded.input_tokens,
            output_tokens = model_usage.output_tokens + excluded.output_tokens,
            cost_usd_1e10 = model_usage.cost_usd_1e10 + excluded.cost_usd_1e10`.pipe(
          Effect.asVoid,
          Effect.orDie
        ),
      of: (workspace, month) =>
        sql<UsageRow>`select input_tokens as input, output_tokens as output,
            cast(cost_usd_1e10 as text) as cost from model_usage
          where workspace_id = ${workspace} and month = ${month}`.pipe(
          Effect.map(([row]) => usageFromRow(row ?? { input: 0, output: 0, cost: "0" })),
          Effect.orDie
        )
    }
  })
)
