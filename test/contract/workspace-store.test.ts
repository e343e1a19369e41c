import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { workspaceStoreContract } from "./workspace-store.js"

workspaceStoreContract("SQLite", () => baseLayer())
workspaceStoreContract("Postgres", () => postgresBase())
