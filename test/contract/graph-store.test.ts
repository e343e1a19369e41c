import * as Layer from "effect/Layer"
import { sqlGraphStore } from "../../adapters/sql/graph-store.js"
import { sqlExtractionStore } from "../../adapters/sql/graph-store-extraction.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { graphStoreContract } from "./graph-store.js"

graphStoreContract("SQLite", () =>
  Layer.provideMerge(Layer.mergeAll(sqlGraphStore, sqlExtractionStore), baseLayer())
)
graphStoreContract("Postgres", () =>
  Layer.provideMerge(Layer.mergeAll(sqlGraphStore, sqlExtractionStore), postgresBase())
)
