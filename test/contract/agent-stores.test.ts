import * as Layer from "effect/Layer"
import { sqlAgentStore } from "../../adapters/sql/work/agents/agent-store.js"
import { sqlRunStore } from "../../adapters/sql/work/agents/run-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { agentStoresContract } from "./agent-stores.js"

const stores = Layer.mergeAll(sqlAgentStore, sqlRunStore({ owner: "contract", isOwnerGone: () => false }))

agentStoresContract("SQLite", () => Layer.provideMerge(stores, baseLayer()))
agentStoresContract("Postgres", () => Layer.provideMerge(stores, postgresBase()))
