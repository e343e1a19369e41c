import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { usageStoreContract } from "./usage-store.js"

usageStoreContract("SQLite", () => baseLayer())
usageStoreContract("Postgres", () => postgresBase())
