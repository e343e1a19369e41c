import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { atomicContract } from "./atomic.js"

atomicContract("SQLite", () => baseLayer())
atomicContract("Postgres", () => postgresBase())
