import * as Layer from "effect/Layer"
import { sqlDocumentStore } from "../../adapters/sql/files/documents/document-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { documentStoreContract } from "./document-store.js"

documentStoreContract("SQLite", () => Layer.provideMerge(sqlDocumentStore, baseLayer()))
documentStoreContract("Postgres", () => Layer.provideMerge(sqlDocumentStore, postgresBase()))
