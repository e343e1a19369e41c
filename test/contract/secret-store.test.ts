import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { secretStoreContract } from "./secret-store.js"

secretStoreContract("SQLite", () => baseLayer())
secretStoreContract("Postgres", () => postgresBase())
