/** Tables whose rows are only ever added. Servers on Postgres are granted no more; the audit trail is a chain of hashes. */
export const historyTables: ReadonlySet<string> = new Set(["audit", "entity_revision"])
