import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { answerStoreContract } from "./answer-store.js"

answerStoreContract("SQLite", () => baseLayer())
answerStoreContract("Postgres", () => postgresBase())
