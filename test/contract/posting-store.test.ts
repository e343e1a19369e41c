import * as Layer from "effect/Layer"
import { sqlPostingStore } from "../../adapters/sql/search/lexical/posting-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { postingStoreContract } from "./posting-store.js"

postingStoreContract("SQLite", () => Layer.provideMerge(sqlPostingStore, baseLayer()))
postingStoreContract("Postgres", () => Layer.provideMerge(sqlPostingStore, postgresBase()))
