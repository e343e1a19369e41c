import * as Context from "effect/Context"

/** Whether the commit of the unit of work that is about to begin may reach the disk later. Read by the client. */
export class Unsynced extends Context.Reference<Unsynced>()("kanon/sql/Unsynced", {
  defaultValue: () => false
}) {}
