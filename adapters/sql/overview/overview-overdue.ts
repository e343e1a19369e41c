import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { type Overdue, type OverviewStore, overdueActions } from "../../../core/overview/index.js"

/** Returns what is due for review and not yet recorded, with one index per table. */
export const overdueMethods = (sql: SqlClient.SqlClient): Pick<OverviewStore["Type"], "untoldOverdue"> => ({
  untoldOverdue: (workspace, at, limit) =>
    Effect.gen(function* () {
      const documents =
        yield* sql<Overdue>`select d.id as "subjectId", 'document' as kind, d.next_verify_at as "dueAt"
        from document d where d.workspace_id = ${workspace} and d.deleted_at is null and d.next_verify_at < ${at}
          and not exists (select 1 from audit a where a.workspace_id = d.workspace_id and a.subject_id = d.id
            and a.action = ${overdueActions.document} and a.at >= d.next_verify_at)
        order by d.next_verify_at, d.id limit ${limit}`
      const entities =
        yield* sql<Overdue>`select e.id as "subjectId", 'entity' as kind, e.next_review_at as "dueAt"
        from entity e where e.workspace_id = ${workspace} and e.deleted_at is null and e.merged_into is null
          and e.next_review_at is not null and e.next_review_at < ${at}
          and not exists (select 1 from audit a where a.workspace_id = e.workspace_id and a.subject_id = e.id
            and a.action = ${overdueActions.entity} and a.at >= e.next_review_at)
        order by e.next_review_at, e.id limit ${limit - documents.length}`
      return [...documents, ...entities]
    }).pipe(Effect.orDie)
})
