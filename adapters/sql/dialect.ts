import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"

/** What a JSON text is to be; of a revision an object, or a list of one. */
export type JsonShape = "any" | "object" | "array" | "revision"

/** On Postgres, where changes of the queue are told; and what is said of a job that ended and freed no other. */
export const queueChannel = "kanon_job"
export const ofAnEnd = "over"

/** A text as JSON in which a U+0000 is no escape. */
const withPlainNul = (text: string): string =>
  `"${text
    .split("\0")
    .map((part) => JSON.stringify(part).slice(1, -1))
    .join("\0")}"`

/** Every place where the databases need different words. The only file that asks which database it is. */
export const dialect = (sql: SqlClient.SqlClient): Dialect => {
  const known = dialects.get(sql) ?? wordsOf(sql)
  dialects.set(sql, known)
  return known
}

type Dialect = ReturnType<typeof wordsOf>
/** Those of each client: asked for with many a statement. */
const dialects = new WeakMap<SqlClient.SqlClient, Dialect>()

const wordsOf = (sql: SqlClient.SqlClient) => ({
  /** What stands for the n-th bound value, from 1 on. */
  placeholder: sql.onDialectOrElse({
    sqlite: () => () => "?",
    orElse: () => (place: number) => `$${place}`
  }),
  /** Bytes as a column type. */
  blob: sql.onDialectOrElse({ sqlite: () => sql.literal("blob"), orElse: () => sql.literal("bytea") }),
  /** What the planner is to take for granted of tables; where the database counts by itself, nothing. */
  tellStatistics: (known: ReadonlyArray<readonly [table: string, index: string, rows: string]>) =>
    sql.onDialectOrElse({
      sqlite: () =>
        Effect.gen(function* () {
          // Makes the table of statistics, empty.
          yield* sql`analyze sqlite_schema`
          for (const [tbl, idx, stat] of known)
            yield* sql`insert into sqlite_stat1 ${sql.insert({ tbl, idx, stat })}`
          yield* sql`analyze sqlite_schema`
        }),
      orElse: () => Effect.void
    }),
  /** A table that is stored in the order of its primary key, where the database has such a thing. */
  clustered: sql.onDialectOrElse({
    sqlite: () => sql.literal("without rowid"),
    orElse: () => sql.literal("")
  }),
  /** The key of a clustered table that goes down in places; where no key can, a plain one, and an index has to. */
  rankedKey: (ranked: string, plain: string) =>
    sql.onDialectOrElse({
      sqlite: () => sql.literal(`primary key (${ranked})`),
      orElse: () => sql.literal(`primary key (${plain})`)
    }),
  /** Whether one statement may insert into several tables. */
  insertsTogether: sql.onDialectOrElse({ sqlite: () => false, orElse: () => true }),
  /** Now by the clock of the database, in milliseconds since 1970. */
  clockMs: sql.onDialectOrElse({
    sqlite: () => sql.literal("cast(unixepoch('subsec') * 1000 as integer)"),
    orElse: () => sql.literal("cast(extract(epoch from clock_timestamp()) * 1000 as bigint)")
  }),
  /** Texts of a group with commas between them. */
  joinedTexts: (text: string) =>
    sql.onDialectOrElse({
      sqlite: () => sql.literal(`group_concat(${text})`),
      orElse: () => sql.literal(`string_agg(${text}, ',')`)
    }),
  /** The pairs of a group as a list of JSON. */
  jsonPairs: (first: string, second: string) =>
    sql.onDialectOrElse({
      sqlite: () => sql.literal(`json_group_array(json_array(${first}, ${second}))`),
      orElse: () => sql.literal(`json_agg(json_build_array(${first}, ${second}))`)
    }),
  /** The texts as rows of one column `value`: one statement for any number of them. */
  rowsOf: (texts: ReadonlyArray<string>) =>
    sql.onDialectOrElse({
      sqlite: () => sql`json_each(${JSON.stringify(texts)})`,
      // A U+0000 stands as it is, not as an escape: what cannot be held as text is the client's affair.
      orElse: () => sql`json_array_elements_text(${`[${texts.map(withPlainNul).join(",")}]`}::json)`
    }),
  /** Whether a column of text holds what is no JSON, or no JSON of that shape. What is no text is for others to say. */
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
  /** Work that only one of the databases needs. */
  onPostgres: <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<void, E, R> =>
    sql.onDialectOrElse({ sqlite: () => Effect.void, orElse: () => Effect.asVoid(work) }),
  /**
   * Waits until no other unit of work of this workspace runs, here or in another process; until the transaction ends.
   * What a unit of work reads may so decide what it writes.
   */
  turn: (workspace: string): Effect.Effect<unknown, SqlError> =>
    sql.onDialectOrElse({
      sqlite: () => Effect.void, // It begins as the one writer.
      orElse: () => sql`select pg_advisory_xact_lock(hashtextextended(${workspace}, 0))`
    }),
  /**
   * Joins each workspace of `turn` with the few jobs that a select finds for it, as `job`. Postgres would ask the select
   * of a list once for each job of the workspace, done ones included.
   */
  firstJobs: (select: Fragment) =>
    sql.onDialectOrElse({
      sqlite: () =>
        sql`join job on job.workspace_id = turn.workspace_id and job.id in (select id from (${select}) as few)`,
      orElse: () => sql`cross join lateral (${select}) as job`
    }),
  /** Goes behind what a statement on the queue gives back: tells who watches, once a statement, when it is stored. */
  tellsQueue: sql.onDialectOrElse({
    sqlite: () => sql.literal(""),
    orElse: () => sql.literal(`, (select pg_notify('${queueChannel}', '')) as told`)
  }),
  /** The same of jobs that end, which makes others claimable only where `freesOther` holds. */
  tellsEnd: (freesOther: Fragment) =>
    sql.onDialectOrElse({
      sqlite: () => sql.literal(""),
      orElse: () =>
        sql`, pg_notify(${sql.literal(`'${queueChannel}'`)}, case when ${freesOther} then '' else ${sql.literal(`'${ofAnEnd}'`)} end) as told`
    }),
  /** How often a taker that came back short looks again. */
  claimTries: sql.onDialectOrElse({ sqlite: () => 1, orElse: () => 3 }),
  /** Lets concurrent takers pass by each other's rows. */
  skipLocked: sql.onDialectOrElse({
    sqlite: () => sql.literal(""), // One writer at a time: nobody to skip.
    orElse: () => sql.literal("for update skip locked")
  })
})
