import * as Layer from "effect/Layer"
import { sqlEntityStore } from "../../adapters/sql/knowledge/entities/entity-store.js"
import { sqlGraphStore } from "../../adapters/sql/knowledge/graph/graph-store.js"
import { sqlOverviewStore } from "../../adapters/sql/upkeep/overview/overview-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { overviewStoreContract } from "./overview-store.js"

const stores = Layer.mergeAll(sqlOverviewStore, sqlEntityStore, sqlGraphStore)

overviewStoreContract("SQLite", () => Layer.provideMerge(stores, baseLayer()))
overviewStoreContract("Postgres", () => Layer.provideMerge(stores, postgresBase()))
