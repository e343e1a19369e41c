import * as Layer from "effect/Layer"
import { sqlEntityStore } from "../../adapters/sql/entity-store.js"
import { sqlGraphStore } from "../../adapters/sql/graph-store.js"
import { sqlTrashStore } from "../../adapters/sql/trash-store.js"
import { baseLayer } from "../support/run.js"
import { trashStoreContract } from "./trash-store.js"

trashStoreContract("SQLite", () =>
  Layer.provideMerge(Layer.mergeAll(sqlTrashStore, sqlEntityStore, sqlGraphStore), baseLayer())
)
