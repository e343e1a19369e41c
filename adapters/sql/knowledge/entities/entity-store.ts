import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { EntityStore } from "../../../../core/knowledge/entities/index.js"
import { serviceLayer } from "../../../../core/platform/kernel/index.js"
import { changeRequests } from "../curation/change-request-store.js"
import { entityInspection } from "./entity-inspection.js"
import { entityLookups } from "./entity-lookups.js"
import { entitySurveys } from "./entity-surveys.js"
import { entityWrites } from "./entity-writes.js"

/** Stores entities, their aliases and revisions in SQL. */
export const sqlEntityStore = serviceLayer(
  EntityStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      ...entityLookups(sql),
      ...entitySurveys(sql),
      ...(yield* entityWrites(sql)),
      inspection: yield* entityInspection,
      requests: yield* changeRequests
    }
  })
)
