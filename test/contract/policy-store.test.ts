import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { policyStoreContract } from "./policy-store.js"

policyStoreContract("SQLite", () => baseLayer())
policyStoreContract("Postgres", () => postgresBase())
