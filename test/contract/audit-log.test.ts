import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { auditLogContract } from "./audit-log.js"

auditLogContract("SQLite", () => baseLayer())
auditLogContract("Postgres", () => postgresBase())
