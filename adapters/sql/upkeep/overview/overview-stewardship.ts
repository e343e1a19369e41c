import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import type { EntityId, PageRequest, WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import type {
  EntityView,
  OverviewStore,
  StewardshipScope,
  TendedDocument,
  TendedEntity
} from "../../../../core/upkeep/overview/index.js"
import { toNumber } from "../../codec.js"
import { columnsOf, json, lenient, text } from "../../columns.js"
import { readAll } from "../../rows.js"

/** Columns of an entity in the worklist of stewards. */
const tendedColumns = columnsOf<Omit<TendedEntity, "kind" | "openRequests">>({
  id: text(),
  name: text(),
  type: text(),
  authority: text(),
  lifecycleStatus: text("lifecycle"),
  ownerId: text(),
  stewardIds: lenient(json(), []),
  lastReviewedAt: text(),
  nextReviewAt: text()
})

const dueColumns = columnsOf<Omit<TendedDocument, "kind">>({
  id: text(),
  path: text(),
  title: text(),
  verification: text(),
  verifiedBy: text(),
  verifiedAt: text(),
  nextVerifyAt: text()
})

interface Counts {
  readonly overdue: unknown
  readonly unreviewed: unknown
  readonly ownerless: unknown
  readonly contested: unknown
  readonly due: unknown
}

type Methods = Pick<OverviewStore["Type"], "tendCounts" | "entitiesToTend" | "documentsDue">

export const stewardshipMethods = (sql: SqlClient.SqlClient): Methods => {
  const live = sql.literal("e.deleted_at is null and e.merged_into is null")
  const byRank = sql.literal("coalesce(e.pagerank, -1) desc, e.name_norm, e.type, e.id")
  const columns = sql.literal(
    "e.id, e.name, e.type, e.authority, e.lifecycle, e.owner_id, e.steward_ids, e.last_reviewed_at, e.next_review_at"
  )
  const owned = ({ ownerId }: StewardshipScope): Fragment =>
    ownerId === undefined ? sql`1 = 1` : sql`e.owner_id = ${ownerId}`
  /**
   * Returns live heads with open change requests, their number and the oldest date. They are few; join them by `cross
   * join`, so that the database does not start with all entities.
   */
  const disputed = (workspace: WorkspaceScope): Fragment => sql`select t.head_id, count(*) as requests,
      min(r.id) as oldest from change_request r
      cross join entity t
    where t.workspace_id = ${workspace} and t.id = r.entity_id and r.workspace_id = ${workspace} and r.status = 'open' and r.entity_id is not null
      and t.deleted_at is null group by t.head_id`
  const whereOf = (view: Exclude<EntityView, "contested">, { at }: StewardshipScope): Fragment =>
    view === "overdue"
      ? sql`e.next_review_at < ${at}`
      : view === "never_reviewed"
        ? sql`e.last_reviewed_at is null`
        : sql`e.owner_id is null and e.steward_ids = '[]'`
  const countOf = (
    workspace: WorkspaceScope,
    view: Exclude<EntityView, "contested">,
    tended: StewardshipScope
  ) =>
    sql`(select count(*) from entity e where e.workspace_id = ${workspace} and ${live}
      and ${whereOf(view, tended)} and ${owned(tended)})`
  const dueDocuments = (workspace: WorkspaceScope, { at, ownerId }: StewardshipScope): Fragment =>
    sql`d.workspace_id = ${workspace} and d.deleted_at is null and d.next_verify_at < ${at}
      and ${ownerId === undefined ? sql`1 = 1` : sql`d.verified_by = ${ownerId}`}`
  const rowsOf = (
    workspace: WorkspaceScope,
    view: EntityView,
    tended: StewardshipScope,
    { limit, offset }: PageRequest
  ) =>
    view === "contested"
      ? sql`select ${columns} from (${disputed(workspace)}) c
          cross join entity e
        where e.workspace_id = ${workspace} and e.id = c.head_id and ${live} and ${owned(tended)} order by c.oldest, e.id limit ${limit} offset ${offset}`
      : sql`select ${columns} from entity e where e.workspace_id = ${workspace} and ${live}
          and ${whereOf(view, tended)} and ${owned(tended)}
        order by ${view === "overdue" ? sql.literal("e.next_review_at, e.id") : byRank}
        limit ${limit} offset ${offset}`

  return {
    tendCounts: (workspace, tended) =>
      sql<Counts>`select ${countOf(workspace, "overdue", tended)} as overdue,
        ${countOf(workspace, "never_reviewed", tended)} as unreviewed,
        ${tended.ownerId === undefined ? countOf(workspace, "ownerless", tended) : sql`0`} as ownerless,
        (select count(*) from (${disputed(workspace)}) c
          cross join entity e where e.workspace_id = ${workspace} and e.id = c.head_id and ${live} and ${owned(tended)}) as contested,
        (select count(*) from document d where ${dueDocuments(workspace, tended)}) as due`.pipe(
        Effect.map(([row]) => ({
          overdue: toNumber(row?.overdue),
          neverReviewed: toNumber(row?.unreviewed),
          ownerless: toNumber(row?.ownerless),
          contested: toNumber(row?.contested),
          documentsDue: toNumber(row?.due)
        })),
        Effect.orDie
      ),
    entitiesToTend: (workspace, view, tended, page) =>
      Effect.gen(function* () {
        const rows = (yield* rowsOf(workspace, view, tended, page)).map(tendedColumns.read)
        const heads = rows.map(({ id }) => id)
        const open =
          heads.length === 0
            ? []
            : yield* sql<{ head_id: EntityId; n: unknown }>`select t.head_id, count(*) as n from entity t
                join change_request r on r.workspace_id = ${workspace} and r.entity_id = t.id
                where t.workspace_id = ${workspace} and ${sql.in("t.head_id", heads)}
                  and t.deleted_at is null and r.status = 'open' group by t.head_id`
        const requests = new Map(open.map(({ head_id, n }) => [head_id, toNumber(n)]))
        return rows.map(
          (entity): TendedEntity => ({
            kind: "entity",
            ...entity,
            openRequests: requests.get(entity.id) ?? 0
          })
        )
      }).pipe(Effect.orDie),
    documentsDue: (workspace, tended, { limit, offset }) =>
      sql`select d.id, d.path, d.title, d.verification, d.verified_by, d.verified_at, d.next_verify_at
        from document d where ${dueDocuments(workspace, tended)}
        order by d.next_verify_at, d.id limit ${limit} offset ${offset}`.pipe(
        readAll((row) => ({ kind: "document" as const, ...dueColumns.read(row) }))
      )
  }
}
