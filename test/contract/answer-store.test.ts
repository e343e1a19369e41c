import * as Layer from "effect/Layer"
import { sqlDocumentStore } from "../../adapters/sql/files/documents/document-store.js"
import { sqlEntityStore } from "../../adapters/sql/knowledge/entities/entity-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { answerStoreContract } from "./answer-store.js"

const stores = Layer.mergeAll(sqlDocumentStore, sqlEntityStore)

answerStoreContract("SQLite", () => Layer.provideMerge(stores, baseLayer()))
answerStoreContract("Postgres", () => Layer.provideMerge(stores, postgresBase()))
