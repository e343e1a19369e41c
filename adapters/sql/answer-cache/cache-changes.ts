import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { invalidationCounts } from "../../../core/answer-cache/index.js"
import { dialect } from "../dialect.js"

/** Groups of settings that every answer follows, and how long answers may be kept. */
const followed = ["policy", "models", "retrieval", "chunking", "retention"]

/**
 * Has the database itself forget cached answers with the first change of what they rest on, in the same transaction: no
 * writer can forget to, now or later. The place of a row in its feed of changes rises with each of them, and with
 * nothing else.
 */
export const forgetWithChanges = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const { differInSettings, forgetting } = dialect(sql)
    for (const [table, counter] of [
      ["document", invalidationCounts.byDocument],
      ["entity", invalidationCounts.byEntity]
    ] as const)
      for (const [event, row, moment] of [
        ["update", "new", "update of seq"],
        ["delete", "old", "delete"]
      ] as const) {
        const resting = `answer_cache_${table} r where r.workspace_id = ${row}.workspace_id and r.${table}_id = ${row}.id`
        yield* forgetting({
          name: `${table}_${event}_forgets_answers`,
          on: `${moment} on ${table}`,
          when: event === "update" ? "new.seq <> old.seq" : null,
          workspace: `${row}.workspace_id`,
          entries: `id in (select r.entry_id from ${resting})`,
          counter
        })
      }
    yield* forgetting({
      name: "workspace_update_forgets_answers",
      on: "update of settings on workspace",
      when: differInSettings(followed),
      workspace: "new.id",
      entries: null,
      counter: invalidationCounts.byPolicy
    })
  })
