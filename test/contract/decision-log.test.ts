import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { decisionLogContract } from "./decision-log.js"

decisionLogContract("SQLite", () => baseLayer())
decisionLogContract("Postgres", () => postgresBase())
