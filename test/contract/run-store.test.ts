import * as Layer from "effect/Layer"
import { sqlRunStore } from "../../adapters/sql/work/agents/run-store.js"
import { sqliteRunSignals } from "../../adapters/sqlite/run-signals.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { runStoreContract } from "./run-store.js"

const stores = sqlRunStore({ owner: "contract", isOwnerGone: () => false, signals: sqliteRunSignals })

runStoreContract("SQLite", () => Layer.provideMerge(stores, baseLayer()))
runStoreContract("Postgres", () => Layer.provideMerge(stores, postgresBase()))
