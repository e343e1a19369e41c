import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import { distributionMark, migrationsTable } from "./migration-tables.js"

/** Expected shape of a JSON text; `revision` is an object, or a list of one. */
export type JsonShape = "any" | "object" | "array" | "revision"

/**
 * Postgres notification channel for queue changes, and the payload for a job that ended without making others
 * claimable.
 */
export const queueChannel = "kanon_job"
export const ofAnEnd = "over"

/** Advisory lock for the first workspace: "first" in ASCII. */
const firstLockKey = 0x6669727374

/** Replaces JSON escapes of U+0000 by the character itself. */
const withPlainNul = (text: string): string =>
  `"${text
    .split("\0")
    .map((part) => JSON.stringify(part).slice(1, -1))
    .join("\0")}"`

/** Returns the SQL that differs between the databases. No other file depends on which database it is. */
export const dialect = (sql: SqlClient.SqlClient): Dialect => {
  const known = dialects.get(sql) ?? wordsOf(sql)
  dialects.set(sql, known)
  return known
}

/** Clients of a database that is distributed over several servers by Citus. */
const distributed = new WeakSet<SqlClient.SqlClient>()

/** Declares the database of a client as distributed, before the first use of its dialect. */
export const markDistributed = (sql: SqlClient.SqlClient): void => void distributed.add(sql)
export const isDistributed = (sql: SqlClient.SqlClient): boolean => distributed.has(sql)

/**
 * Clause that evaluates a select of functions at the coordinator, whichever node of a distributed database is asked:
 * `from` one row of a table that is there alone. Empty on other databases.
 */
export const atCoordinator = (sql: SqlClient.SqlClient): Fragment =>
  isDistributed(sql)
    ? sql`from ${sql(migrationsTable)} where migration_id = ${distributionMark}`
    : sql.literal("")

type Dialect = ReturnType<typeof wordsOf>
/** Cached per client, because many statements use it. */
const dialects = new WeakMap<SqlClient.SqlClient, Dialect>()

const wordsOf = (sql: SqlClient.SqlClient) => ({
  /** Returns the placeholder of the n-th bound value, from 1. */
  placeholder: sql.onDialectOrElse({
    sqlite: () => () => "?",
    orElse: () => (place: number) => `$${place}`
  }),
  /** Column type for bytes. */
  blob: sql.onDialectOrElse({ sqlite: () => sql.literal("blob"), orElse: () => sql.literal("bytea") }),
  /** Sets fixed statistics for the planner; does nothing if the database collects its own. */
  tellStatistics: (known: ReadonlyArray<readonly [table: string, index: string, rows: string]>) =>
    sql.onDialectOrElse({
      sqlite: () =>
        Effect.gen(function* () {
          // Creates the empty statistics table.
          yield* sql`analyze sqlite_schema`
          for (const [tbl, idx, stat] of known)
            yield* sql`insert into sqlite_stat1 ${sql.insert({ tbl, idx, stat })}`
          yield* sql`analyze sqlite_schema`
        }),
      orElse: () => Effect.void
    }),
  /** Function that returns the place of a text within another, from 1; 0 where it is not. */
  placeOf: sql.onDialectOrElse({ sqlite: () => sql.literal("instr"), orElse: () => sql.literal("strpos") }),
  /** Clause that stores a table in primary key order, if supported. */
  clustered: sql.onDialectOrElse({
    sqlite: () => sql.literal("without rowid"),
    orElse: () => sql.literal("")
  }),
  /**
   * Returns a key with descending columns for a clustered table, or the plain key where descending keys are not
   * supported and an index is needed.
   */
  rankedKey: (ranked: string, plain: string) =>
    sql.onDialectOrElse({
      sqlite: () => sql.literal(`primary key (${ranked})`),
      orElse: () => sql.literal(`primary key (${plain})`)
    }),
  /**
   * Waits, until the unit of work ends, for others that make the first workspace of an empty database: where units of
   * work are not serial, two would both find none.
   */
  turnOfFirst: sql.onDialectOrElse({
    sqlite: () => Effect.void,
    orElse: () => Effect.asVoid(sql`select pg_advisory_xact_lock(${firstLockKey}) ${atCoordinator(sql)}`)
  }),
  /** Whether one statement can insert into several tables. */
  insertsTogether: sql.onDialectOrElse({ sqlite: () => false, orElse: () => true }),
  /** The database's time in milliseconds since 1970. */
  clockMs: sql.onDialectOrElse({
    sqlite: () => sql.literal("cast(unixepoch('subsec') * 1000 as integer)"),
    orElse: () => sql.literal("cast(extract(epoch from clock_timestamp()) * 1000 as bigint)")
  }),
  /** Aggregates texts, separated by commas. */
  joinedTexts: (text: string) =>
    sql.onDialectOrElse({
      sqlite: () => sql.literal(`group_concat(${text})`),
      orElse: () => sql.literal(`string_agg(${text}, ',')`)
    }),
  /** Aggregates pairs as a JSON list. */
  jsonPairs: (first: string, second: string) =>
    sql.onDialectOrElse({
      sqlite: () => sql.literal(`json_group_array(json_array(${first}, ${second}))`),
      orElse: () => sql.literal(`json_agg(json_build_array(${first}, ${second}))`)
    }),
  /** Returns the texts as rows with a column `value`, in one statement of constant text. */
  rowsOf: (texts: ReadonlyArray<string>) =>
    sql.onDialectOrElse({
      sqlite: () => sql`json_each(${JSON.stringify(texts)})`,
      // U+0000 is passed unescaped; the client encodes what the database cannot hold.
      orElse: () => sql`json_array_elements_text(${`[${texts.map(withPlainNul).join(",")}]`}::json)`
    }),
  /** Returns a condition for text columns that are not JSON of the given shape. */
  isNoJson: (column: string, shape: JsonShape) => {
    const is = (type: string, first: string, valid: string, isText: string) =>
      sql.literal(
        `(case when ${column} is null or not ${isText} then 1 = 0 when not ${valid} then 1 = 1 else ${
          shape === "any"
            ? "1 = 0"
            : shape === "revision"
              ? `coalesce(${first}, ${type}) <> 'object'`
              : `${type} <> '${shape}'`
        } end)`
      )
    return sql.onDialectOrElse({
      sqlite: () =>
        is(
          `json_type(${column})`,
          `json_type(${column}, '$[0]')`,
          `json_valid(${column})`,
          `typeof(${column}) = 'text'`
        ),
      orElse: () =>
        is(
          `json_typeof(${column}::json)`,
          `json_typeof(${column}::json -> 0)`,
          `kanon_is_json(${column})`,
          "1 = 1"
        )
    })
  },
  /** Runs work on Postgres only. */
  onPostgres: <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<void, E, R> =>
    sql.onDialectOrElse({ sqlite: () => Effect.void, orElse: () => Effect.asVoid(work) }),
  /**
   * Takes the workspace lock until the transaction ends, across all processes, so that reads within a unit of work
   * stay valid for its writes. With `idleMs` the database ends a transaction that does nothing for so long, so that a
   * process that was stopped in the middle of one does not hold up the workspace.
   */
  turn: (workspace: string, idleMs?: number): Effect.Effect<unknown, SqlError> =>
    sql.onDialectOrElse({
      sqlite: () => Effect.void, // It begins as the one writer.
      orElse: () => {
        const lock = sql`pg_advisory_xact_lock(hashtextextended(${workspace}, 0))`
        const limit = sql`select set_config('idle_in_transaction_session_timeout', ${String(idleMs)}, true)`
        // On a distributed database the lock is taken at the shard of the workspace, whichever node is asked.
        const atShard = sql`select ${lock} from (select count(*) from content_change
          where workspace_id = ${workspace}) as shard`
        if (isDistributed(sql)) return idleMs === undefined ? atShard : Effect.zipRight(limit, atShard)
        return idleMs === undefined ? sql`select ${lock}` : sql`${limit}, ${lock}`
      }
    }),
  /**
   * Joins each workspace of `turn` with the first few jobs of a select, as `job`. Postgres would otherwise evaluate
   * the select once per job, including finished ones.
   */
  firstJobs: (select: Fragment) =>
    sql.onDialectOrElse({
      sqlite: () =>
        sql`join job on job.workspace_id = turn.workspace_id and job.id in (select id from (${select}) as few)`,
      orElse: () => sql`cross join lateral (${select}) as job`
    }),
  /**
   * Clause after a statement that changes the queue: notifies watchers once on commit. A distributed database refuses
   * it, so the signals of the queue notify there.
   */
  tellsQueue: sql.onDialectOrElse({
    sqlite: () => sql.literal(""),
    orElse: () =>
      isDistributed(sql)
        ? sql.literal("")
        : sql.literal(`, (select pg_notify('${queueChannel}', '')) as told`)
  }),
  /** The same for jobs that end, which makes others claimable only if `freesOther` holds. */
  tellsEnd: (freesOther: Fragment) =>
    sql.onDialectOrElse({
      sqlite: () => sql.literal(""),
      orElse: () =>
        isDistributed(sql)
          ? sql.literal("")
          : sql`, pg_notify(${sql.literal(`'${queueChannel}'`)}, case when ${freesOther} then '' else ${sql.literal(`'${ofAnEnd}'`)} end) as told`
    }),
  /** Number of attempts of a claim that came back short. */
  claimTries: sql.onDialectOrElse({ sqlite: () => 1, orElse: () => 3 }),
  /** Clause that lets concurrent claims skip each other's rows. */
  skipLocked: sql.onDialectOrElse({
    sqlite: () => sql.literal(""), // One writer at a time: nobody to skip.
    orElse: () => sql.literal("for update skip locked")
  })
})
