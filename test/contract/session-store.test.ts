import * as Layer from "effect/Layer"
import { sqlIdentityStore } from "../../adapters/sql/platform/identity/identity-store.js"
import { sqlSessionStore } from "../../adapters/sql/platform/identity/session-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { sessionStoreContract } from "./session-store.js"

const stores = Layer.merge(sqlIdentityStore, sqlSessionStore)

sessionStoreContract("SQLite", () => Layer.provideMerge(stores, baseLayer()))
sessionStoreContract("Postgres", () => Layer.provideMerge(stores, postgresBase()))
