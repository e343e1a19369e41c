import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"

/** A trigger that refuses. All of it is text of ours. */
export interface Guard {
  readonly name: string
  readonly table: string
  readonly event: "insert" | "update" | "delete"
  /** Refuses only where this holds of `old` and `new`. */
  readonly when?: string
  readonly message: string
}

/** A kind of statement on a table whose rows are counted. All of it is text of ours. */
interface Counted {
  readonly table: string
  readonly event: "insert" | "update" | "delete"
  /** The column that names the workspace. */
  readonly workspaceColumn: string
}

/** A trigger that forgets cached answers. All of it is text of ours. */
interface Forgetting {
  readonly name: string
  /** Moment and table. */
  readonly on: string
  /** Only where this holds of `old` and `new`; null for each row. */
  readonly when: string | null
  /** The column that names the workspace. */
  readonly workspace: string
  /** Which entries; null for all of the workspace. */
  readonly entries: string | null
  /** The count that they are added to. */
  readonly counter: string
}

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
  /** Whether one statement may insert into several tables. */
  insertsTogether: sql.onDialectOrElse({ sqlite: () => false, orElse: () => true }),
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
  /** Whether a column of text holds what is no JSON. */
  isNoJson: (column: string) =>
    sql.onDialectOrElse({
      sqlite: () => sql`json_valid(${sql(column)}) = 0`,
      orElse: () => sql`not kanon_is_json(${sql(column)})`
    }),
  /**
   * A number that is another one whenever rows that are counted were written in a workspace; null where that is not
   * known.
   */
  contentChanges: (workspace: string) =>
    Effect.map(
      sql<{ changes: number }>`select changes from content_change where workspace_id = ${workspace}`,
      ([row]): string | null => (row === undefined ? null : String(row.changes))
    ),
  /** Counts the rows of a table that one kind of statement writes. */
  counted: ({ event, table, workspaceColumn }: Counted) =>
    sql.onDialectOrElse({
      sqlite: () => {
        const workspace = `${event === "delete" ? "old" : "new"}.${workspaceColumn}`
        // No upsert: within a trigger it does as the statement around it was told to.
        return sql.unsafe(`create trigger ${table}_${event}_counted after ${event} on ${table} for each row begin
          insert into content_change (workspace_id, changes) select ${workspace}, 0
            where not exists (select 1 from content_change where workspace_id = ${workspace});
          update content_change set changes = changes + 1 where workspace_id = ${workspace};
        end`)
      },
      // Once a statement, however many rows it writes. `changed` are those rows, as the trigger is told them.
      orElse: () =>
        sql.unsafe(`create or replace trigger ${table}_${event}_counted after ${event} on ${table}
          referencing ${event === "delete" ? "old" : "new"} table as changed
          for each statement execute function kanon_count_${workspaceColumn}()`)
    }),
  /** The same in the place of a trigger of `counted`, for rows of a workspace that has a count. */
  countedInPlace: ({ event, table, workspaceColumn }: Counted) =>
    sql.onDialectOrElse({
      sqlite: () =>
        Effect.zipRight(
          sql.unsafe(`drop trigger if exists ${table}_${event}_counted`),
          sql.unsafe(`create trigger ${table}_${event}_counted after ${event} on ${table} for each row begin
            update content_change set changes = changes + 1
              where workspace_id = ${event === "delete" ? "old" : "new"}.${workspaceColumn};
          end`)
        ),
      orElse: () => Effect.void
    }),
  /** What counting stands on, by the column that names the workspace. */
  prepareCounting: (workspaceColumn: string) =>
    sql.onDialectOrElse({
      sqlite: () => Effect.void,
      // A new number is drawn, once a transaction: it is like no earlier one, not even after a restore. The setting
      // that says so ends with the transaction, and is undone with a savepoint.
      orElse: () =>
        sql.unsafe(`create or replace function kanon_count_${workspaceColumn}() returns trigger language plpgsql as '
          declare written text;
          begin
            for written in select ${workspaceColumn} from changed group by ${workspaceColumn} loop
              continue when current_setting(''kanon.counted'', true) = written;
              insert into content_change (workspace_id, changes)
                values (written, floor(random() * 9007199254740991)::bigint)
                on conflict (workspace_id) do update set changes = excluded.changes;
              perform set_config(''kanon.counted'', written, true);
            end loop;
            return null;
          end'`)
    }),
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
  /** What has the database itself refuse to change or remove a row. */
  guard: ({ event, message, name, table, when }: Guard) => {
    const before = `create trigger ${name} before ${event} on ${table} for each row`
    return sql.onDialectOrElse({
      sqlite: () =>
        sql.unsafe(
          `${before} ${when === undefined ? "" : `when ${when}`} begin select raise(abort, '${message}'); end`
        ),
      // The function is one for all of them: it raises what it is given.
      orElse: () =>
        sql.unsafe(
          `${before} ${when === undefined ? "" : `when (${when})`} execute function kanon_refuse('${message}')`
        )
    })
  },
  /**
   * What guards stand on. SQLite's `insert or replace` removes a row without asking those of removal, so there an
   * insert is guarded too.
   */
  guards: sql.onDialectOrElse({
    sqlite: () => ({ prepare: Effect.void, replaces: true }),
    orElse: () => ({
      prepare: Effect.asVoid(
        sql`create or replace function kanon_refuse() returns trigger language plpgsql
          as 'begin raise exception ''%'', tg_argv[0]; end'`
      ),
      replaces: false
    })
  }),
  /** Whether rows of `workspace` differ in one of these groups of settings, or hold what cannot be read. */
  differInSettings: (groups: ReadonlyArray<string>): string =>
    sql.onDialectOrElse({
      sqlite: () => {
        const parts = groups.map(
          (group) =>
            `json_extract(old.settings, '$.${group}') is not json_extract(new.settings, '$.${group}')`
        )
        return `case when json_valid(old.settings) and json_valid(new.settings) then ${parts.join(" or ")} else 1 end`
      },
      orElse: () => {
        const parts = groups.map(
          (group) => `old.settings::jsonb -> '${group}' is distinct from new.settings::jsonb -> '${group}'`
        )
        return `case when kanon_is_json(old.settings) and kanon_is_json(new.settings) then ${parts.join(" or ")} else true end`
      }
    }),
  /** Has the database itself forget cached answers and count them. */
  forgetting: ({ counter, entries, name, on, when, workspace }: Forgetting) => {
    const which = `workspace_id = ${workspace}${entries === null ? "" : ` and ${entries}`}`
    return sql.onDialectOrElse({
      sqlite: () => {
        const some = `exists (select 1 from answer_cache_entry where ${which})`
        return sql.unsafe(`create trigger ${name} after ${on} for each row
          when ${when === null ? "" : `(${when}) and `}${some} begin
            insert into answer_cache_count (workspace_id, name, value) select ${workspace}, '${counter}', 0
              where not exists (select 1 from answer_cache_count where workspace_id = ${workspace} and name = '${counter}');
            update answer_cache_count set value = value + (select count(*) from answer_cache_entry where ${which})
              where workspace_id = ${workspace} and name = '${counter}';
            delete from answer_cache_entry where ${which};
          end`)
      },
      orElse: () =>
        Effect.zipRight(
          sql.unsafe(`create function kanon_${name}() returns trigger language plpgsql as $$
            declare gone bigint;
            begin
              ${when === null ? "" : `if not (${when}) then return null; end if;`}
              delete from answer_cache_entry where ${which};
              get diagnostics gone = row_count;
              if gone > 0 then
                insert into answer_cache_count (workspace_id, name, value) values (${workspace}, '${counter}', gone)
                  on conflict (workspace_id, name)
                  do update set value = answer_cache_count.value + excluded.value;
              end if;
              return null;
            end $$`),
          sql.unsafe(`create trigger ${name} after ${on} for each row execute function kanon_${name}()`)
        )
    })
  },
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
