import * as Layer from "effect/Layer"
import { sqlExtractionStores } from "../../adapters/sql/knowledge/extraction/extraction-store.js"
import { sqlGraphStore } from "../../adapters/sql/knowledge/graph/graph-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { graphStoreContract } from "./graph-store.js"

graphStoreContract("SQLite", () =>
  Layer.provideMerge(Layer.mergeAll(sqlGraphStore, sqlExtractionStores), baseLayer())
)
graphStoreContract("Postgres", () =>
  Layer.provideMerge(Layer.mergeAll(sqlGraphStore, sqlExtractionStores), postgresBase())
)
