import * as Layer from "effect/Layer"
import { sqlEntityStore } from "../../adapters/sql/knowledge/entities/entity-store.js"
import { sqlGraphStore } from "../../adapters/sql/knowledge/graph/graph-store.js"
import { sqlTrashStore } from "../../adapters/sql/upkeep/trash/trash-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { trashStoreContract } from "./trash-store.js"

const stores = Layer.mergeAll(sqlTrashStore, sqlEntityStore, sqlGraphStore)

trashStoreContract("SQLite", () => Layer.provideMerge(stores, baseLayer()))
trashStoreContract("Postgres", () => Layer.provideMerge(stores, postgresBase()))
