import * as Layer from "effect/Layer"
import { sqlContradictionStore } from "../../adapters/sql/answers/contradictions/contradiction-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { contradictionStoreContract } from "./contradiction-store.js"

contradictionStoreContract("SQLite", () => Layer.provideMerge(sqlContradictionStore, baseLayer()))
contradictionStoreContract("Postgres", () => Layer.provideMerge(sqlContradictionStore, postgresBase()))
