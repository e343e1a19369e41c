import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { serviceLayer } from "../../../../core/platform/kernel/index.js"
import { VectorStore } from "../../../../core/search/vectors/index.js"
import { vectorReads, vectorWrites } from "./vector-feed.js"
import { vectorInspection } from "./vector-inspection.js"
import { vectorModels } from "./vector-models.js"

/** Stores vectors, their models and their feed in SQL. */
export const sqlVectorStore = serviceLayer(
  VectorStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      ...(yield* vectorModels(sql)),
      ...vectorReads(sql),
      ...(yield* vectorWrites(sql)),
      inspection: yield* vectorInspection
    }
  })
)
