// Marks of the inbox, and the changes by others that it shows to owners and stewards.
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { ForeignChange, InboxMark, InboxStore } from "../../../../core/upkeep/overview/index.js"
import { columnsOf, number, text } from "../../columns.js"
import { done, inBatches, readAll } from "../../rows.js"

const columns = columnsOf<InboxMark>({
  kind: text(),
  itemId: text(),
  state: text(),
  assignedTo: text(),
  waitedSince: text(),
  markedBy: text(),
  updatedAt: text()
})

export const inboxMarkFromRow = columns.read
export const inboxMarkToRow = columns.write

const changeColumns = columnsOf<ForeignChange>({
  entityId: text(),
  name: text(),
  authority: text(),
  version: number(),
  changeKind: text(),
  changedBy: text(),
  createdAt: text()
})

/** Keeps marks of the inbox in SQL. */
export const inbox: Effect.Effect<InboxStore, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    marksOf: (workspace, itemIds) =>
      inBatches(itemIds, (batch) =>
        sql`select * from inbox_mark where workspace_id = ${workspace} and ${sql.in("item_id", batch)}`.pipe(
          readAll(inboxMarkFromRow)
        )
      ),
    rejected: (workspace, kind) =>
      sql<{ item_id: string }>`select item_id from inbox_mark where workspace_id = ${workspace}
          and kind = ${kind} and state = 'rejected'`.pipe(readAll((row) => row.item_id)),
    mark: (workspace, mark) =>
      done(sql`insert into inbox_mark ${sql.insert({ workspace_id: workspace, ...inboxMarkToRow(mark) })}
          on conflict (workspace_id, kind, item_id) do update set state = excluded.state,
            assigned_to = excluded.assigned_to, waited_since = excluded.waited_since,
            marked_by = excluded.marked_by, updated_at = excluded.updated_at`),
    foreignChanges: (workspace, { limit, person, since }) => {
      // Ids of people hold no quotation marks, so one in quotation marks is a whole item of the list.
      const kept = sql`workspace_id = ${workspace} and (owner_id = ${person}
          or steward_ids like ${`%${JSON.stringify(person)}%`}) and deleted_at is null and merged_into is null`
      return sql`select e.id as entity_id, e.name, e.authority, r.version, r.change_kind, r.changed_by, r.created_at
          from (select id, name, authority from entity where ${kept}) e
          join entity_revision r on r.workspace_id = ${workspace} and r.entity_id = e.id
          where r.created_at >= ${since} and r.changed_by <> ${person} and r.change_kind <> 'set_owner'
            and r.activity not like 'extraction%' and r.activity not like 'change_request:%'
            and not exists (select 1 from entity_revision o where o.workspace_id = ${workspace}
              and o.entity_id = e.id and o.version > r.version and (o.change_kind = 'set_owner'
                or (o.changed_by <> ${person} and o.activity not like 'extraction%'
                  and o.activity not like 'change_request:%')))
          order by r.created_at desc, e.id limit ${limit}`.pipe(readAll(changeColumns.read))
    }
  }
})
