import * as Effect from "effect/Effect"
import { LiveDataStore } from "../../../../core/connected/livedata/index.js"
import { serviceLayer } from "../../../../core/platform/kernel/index.js"
import { dataCalls } from "./call-store.js"
import { dataConnectors } from "./connector-store.js"
import { dataQueries } from "./query-store.js"

/** Stores connectors to live data, named queries and records of executions in SQL. */
export const sqlLiveDataStore = serviceLayer(
  LiveDataStore,
  Effect.all({ connectors: dataConnectors, queries: dataQueries, calls: dataCalls })
)
