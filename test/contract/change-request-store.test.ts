import * as Layer from "effect/Layer"
import { sqlChangeRequestStore } from "../../adapters/sql/knowledge/curation/change-request-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { changeRequestStoreContract } from "./change-request-store.js"

changeRequestStoreContract("SQLite", () => Layer.provideMerge(sqlChangeRequestStore, baseLayer()))
changeRequestStoreContract("Postgres", () => Layer.provideMerge(sqlChangeRequestStore, postgresBase()))
