import * as Layer from "effect/Layer"
import { sqlEvalStore } from "../../adapters/sql/work/evaluation/eval-store.js"
import { sqlJudgmentStore } from "../../adapters/sql/work/evaluation/judgment-store.js"
import { sqlReportStore } from "../../adapters/sql/work/evaluation/report-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { evaluationStoresContract } from "./evaluation-stores.js"

const stores = Layer.mergeAll(sqlJudgmentStore, sqlEvalStore, sqlReportStore)

evaluationStoresContract("SQLite", () => Layer.provideMerge(stores, baseLayer()))
evaluationStoresContract("Postgres", () => Layer.provideMerge(stores, postgresBase()))
