import { baseLayer } from "../support/run.js"
import { auditLogContract } from "./audit-log.js"

auditLogContract("SQLite", () => baseLayer())
