import * as Layer from "effect/Layer"
import { sqlLiveDataStore } from "../../adapters/sql/connected/livedata/live-data-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { liveDataStoreContract } from "./live-data-store.js"

const stores = sqlLiveDataStore

liveDataStoreContract("SQLite", () => Layer.provideMerge(stores, baseLayer()))
liveDataStoreContract("Postgres", () => Layer.provideMerge(stores, postgresBase()))
