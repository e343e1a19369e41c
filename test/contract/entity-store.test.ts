import * as Layer from "effect/Layer"
import { sqlEntityStore } from "../../adapters/sql/knowledge/entities/entity-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { entityStoreContract } from "./entity-store.js"

entityStoreContract("SQLite", () => Layer.provideMerge(sqlEntityStore, baseLayer()))
entityStoreContract("Postgres", () => Layer.provideMerge(sqlEntityStore, postgresBase()))
