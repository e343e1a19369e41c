import * as Layer from "effect/Layer"
import { sqlVectorStore } from "../../adapters/sql/search/vectors/vector-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { vectorStoreContract } from "./vector-store.js"

vectorStoreContract("sqlite", () => Layer.provideMerge(sqlVectorStore, baseLayer()))
vectorStoreContract("Postgres", () => Layer.provideMerge(sqlVectorStore, postgresBase()))
