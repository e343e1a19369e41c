import * as Layer from "effect/Layer"
import { sqlSourceStore } from "../../adapters/sql/connected/sources/source-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { sourceStoreContract } from "./source-store.js"

const stores = sqlSourceStore

sourceStoreContract("SQLite", () => Layer.provideMerge(stores, baseLayer()))
sourceStoreContract("Postgres", () => Layer.provideMerge(stores, postgresBase()))
