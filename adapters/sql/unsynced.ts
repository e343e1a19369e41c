import * as Context from "effect/Context"

/** Whether the commit of the next unit of work may become durable later. Read by the client. */
export class Unsynced extends Context.Reference<Unsynced>()("kanon/sql/Unsynced", {
  defaultValue: () => false
}) {}
