import * as Layer from "effect/Layer"
import { sqlContentConnectorStore } from "../../adapters/sql/connected/sources/connector-store.js"
import { sqlExternalItemStore } from "../../adapters/sql/connected/sources/item-store.js"
import { sqlSyncRunStore } from "../../adapters/sql/connected/sources/run-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { sourceStoresContract } from "./source-stores.js"

const stores = Layer.mergeAll(sqlContentConnectorStore, sqlSyncRunStore, sqlExternalItemStore)

sourceStoresContract("SQLite", () => Layer.provideMerge(stores, baseLayer()))
sourceStoresContract("Postgres", () => Layer.provideMerge(stores, postgresBase()))
