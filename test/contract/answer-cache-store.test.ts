import * as Layer from "effect/Layer"
import { sqlAnswerCacheStore } from "../../adapters/sql/answers/answer-cache/answer-cache-store.js"
import { sqlDocumentStore } from "../../adapters/sql/files/documents/document-store.js"
import { sqlEntityStore } from "../../adapters/sql/knowledge/entities/entity-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { answerCacheStoreContract } from "./answer-cache-store.js"

const stores = Layer.mergeAll(sqlAnswerCacheStore, sqlDocumentStore, sqlEntityStore)

answerCacheStoreContract("SQLite", () => Layer.provideMerge(stores, baseLayer()))
answerCacheStoreContract("Postgres", () => Layer.provideMerge(stores, postgresBase()))
