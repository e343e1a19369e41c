import { z } from "zod"
import {
  DataCall,
  DataConnector,
  DataConnectorKind,
  DataQuery,
  DataRow
} from "../../connected/livedata/index.js"
import { When } from "./record-fields.js"

/** A connector to a live database, without its credential; its own kind is called `database` here. */
export const DataConnectorRecord = DataConnector.omit({ kind: true, hasCredential: true })
  .extend({ kind: z.literal("data_connector"), database: DataConnectorKind, deletedAt: When })
  .strict()

/** A revision of a named query with its bindings. */
export const DataQueryRecord = DataQuery.extend({
  kind: z.literal("data_query"),
  activity: z.string(),
  changedBy: z.string()
}).strict()

/** An execution of a named query, with its rows as long as they are kept. */
export const DataCallRecord = DataCall.extend({
  kind: z.literal("data_call"),
  kept: z.strictObject({ columns: z.array(z.string()), rows: z.array(DataRow) }).nullable()
}).strict()
