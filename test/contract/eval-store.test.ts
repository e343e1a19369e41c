import * as Layer from "effect/Layer"
import { sqlEvalStore } from "../../adapters/sql/work/evaluation/eval-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { evalStoreContract } from "./eval-store.js"

evalStoreContract("SQLite", () => Layer.provideMerge(sqlEvalStore, baseLayer()))
evalStoreContract("Postgres", () => Layer.provideMerge(sqlEvalStore, postgresBase()))
