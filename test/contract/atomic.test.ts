import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { databaseFile } from "../support/jobs.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { atomicContract } from "./atomic.js"

atomicContract("SQLite in memory", () => baseLayer())
atomicContract("SQLite in a file", () => Layer.unwrapScoped(Effect.map(databaseFile, baseLayer)))
atomicContract("Postgres", () => postgresBase())
