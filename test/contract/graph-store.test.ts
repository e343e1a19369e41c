import * as Layer from "effect/Layer"
import { sqlDocumentStore } from "../../adapters/sql/files/documents/document-store.js"
import { sqlEntityStore } from "../../adapters/sql/knowledge/entities/entity-store.js"
import { sqlGraphStore } from "../../adapters/sql/knowledge/graph/graph-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { graphStoreContract } from "./graph-store.js"

const stores = Layer.mergeAll(sqlGraphStore, sqlEntityStore, sqlDocumentStore)

graphStoreContract("SQLite", () => Layer.provideMerge(stores, baseLayer()))
graphStoreContract("Postgres", () => Layer.provideMerge(stores, postgresBase()))
