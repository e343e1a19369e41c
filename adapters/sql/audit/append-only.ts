/**
 * Append-only tables. On Postgres, servers may not update or delete their rows; the audit trail is also a hash chain.
 */
export const historyTables: ReadonlySet<string> = new Set(["audit", "entity_revision"])
