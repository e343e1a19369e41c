import * as Effect from "effect/Effect"
import { SourceStore } from "../../../../core/connected/sources/index.js"
import { serviceLayer } from "../../../../core/platform/kernel/index.js"
import { contentConnectors } from "./connector-store.js"
import { externalItems } from "./item-store.js"
import { syncRuns } from "./run-store.js"

/** Stores content connectors, their sync runs and the state of each item in SQL. */
export const sqlSourceStore = serviceLayer(
  SourceStore,
  Effect.all({ connectors: contentConnectors, runs: syncRuns, items: externalItems })
)
