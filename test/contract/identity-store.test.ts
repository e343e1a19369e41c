import * as Layer from "effect/Layer"
import { sqlIdentityStore } from "../../adapters/sql/platform/identity/identity-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { identityStoreContract } from "./identity-store.js"

identityStoreContract("SQLite", () => Layer.provideMerge(sqlIdentityStore, baseLayer()))
identityStoreContract("Postgres", () => Layer.provideMerge(sqlIdentityStore, postgresBase()))
