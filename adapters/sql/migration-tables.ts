/** The table in which the migrator records applied migrations. */
export const migrationsTable = "effect_sql_migrations"

/** The table that records which program version applied which migration last. */
export const programTable = "schema_made_by"

/**
 * Number of a migration that only a distributed database records. It is higher than those of all versions, so versions
 * that know nothing of distribution refuse the database as newer than themselves.
 */
export const distributionMark = 1_000_000
