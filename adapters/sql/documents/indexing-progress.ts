import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { DocumentStore } from "../../../core/documents/index.js"
import { toNumber } from "../codec.js"

/** Methods of the document store about a running ingest. */
export const indexingMethods = (
  sql: SqlClient.SqlClient
): Pick<DocumentStore["Type"], "noteIndexing" | "indexing"> => ({
  noteIndexing: (workspace, progress) =>
    Effect.orDie(
      progress === null
        ? sql`delete from indexing_progress where workspace_id = ${workspace}`
        : sql`insert into indexing_progress (workspace_id, done, total, holds_until)
            values (${workspace}, ${progress.done}, ${progress.total}, ${progress.until})
            on conflict (workspace_id) do update
            set done = excluded.done, total = excluded.total, holds_until = excluded.holds_until`
    ),
  indexing: (workspace, at) =>
    sql<{ done: unknown; total: unknown }>`select done, total from indexing_progress
      where workspace_id = ${workspace} and holds_until > ${at}`.pipe(
      Effect.map(([row]) =>
        Option.map(Option.fromNullable(row), ({ done, total }) => ({
          done: toNumber(done),
          total: toNumber(total)
        }))
      ),
      Effect.orDie
    )
})
