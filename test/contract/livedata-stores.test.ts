import * as Layer from "effect/Layer"
import { sqlDataCallStore } from "../../adapters/sql/connected/livedata/call-store.js"
import { sqlDataConnectorStore } from "../../adapters/sql/connected/livedata/connector-store.js"
import { sqlDataQueryStore } from "../../adapters/sql/connected/livedata/query-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { livedataStoresContract } from "./livedata-stores.js"

const stores = Layer.mergeAll(sqlDataConnectorStore, sqlDataQueryStore, sqlDataCallStore)

livedataStoresContract("SQLite", () => Layer.provideMerge(stores, baseLayer()))
livedataStoresContract("Postgres", () => Layer.provideMerge(stores, postgresBase()))
