import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import { groupBy, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import type { TrashEntry, TrashId, TrashKind, TrashStore } from "../../../../core/upkeep/overview/index.js"
import { toNumber } from "../../codec.js"
import { inBatches, pageOf } from "../../rows.js"

/** Position of an item in the list. */
type Place = Pick<TrashEntry, "id" | "kind" | "deletedAt">
/** Data of an item from its own table. */
type Facts = Pick<TrashEntry, "label" | "blockedBy" | "carried">

interface RelationRow {
  readonly id: TrashId
  readonly label: string
  readonly origin: string
  readonly evidence_count: unknown
  readonly src_blocked: string | null
  readonly dst_blocked: string | null
  readonly equal: string | null
}

/** The audit action that puts each kind into the trash. */
const deeds: Readonly<Record<TrashKind, string>> = {
  document: "document.delete",
  entity: "entity.delete",
  relation: "relation.delete",
  merged_entity: "entity.merge"
}
const kinds: ReadonlyArray<TrashKind> = ["document", "entity", "relation", "merged_entity"]

export const trash: Effect.Effect<TrashStore, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const tables: Readonly<Record<TrashKind, Fragment>> = {
    document: sql.literal("document t where t.deleted_at is not null"),
    entity: sql.literal("entity t where t.deleted_at is not null and t.retired = 0"),
    relation: sql.literal("relation t where t.deleted_at is not null"),
    // Compared with a constant, because a planner without statistics then uses the small index.
    merged_entity: sql.literal("entity t where t.merged_into > '' and t.deleted_at is null")
  }
  // The time of a merge is that of its revision.
  const mergedAt = (workspace: WorkspaceScope) => sql`coalesce((select r.created_at from entity_revision r
      where r.workspace_id = ${workspace} and r.entity_id = t.id and r.change_kind = 'merge'
      order by r.version desc limit 1), t.updated_at)`

  const places = (workspace: WorkspaceScope, kind: TrashKind) =>
    sql`select t.id as id, ${sql.literal(`'${kind}'`)} as kind,
          ${kind === "merged_entity" ? mergedAt(workspace) : sql.literal("t.deleted_at")} as deleted_at
        from ${tables[kind]} and t.workspace_id = ${workspace}`

  const count = (workspace: WorkspaceScope, kind: TrashKind) =>
    Effect.map(
      sql<{ n: unknown }>`select count(*) as n from ${tables[kind]} and t.workspace_id = ${workspace}`,
      (rows) => toNumber(rows[0]?.n)
    )

  const documents = (workspace: WorkspaceScope, ids: ReadonlyArray<TrashId>) =>
    sql<{ id: TrashId; label: string; blocked_by: string | null }>`
        select d.id, d.path as label, live.id as blocked_by from document d
        left join document live on live.workspace_id = ${workspace} and live.path_key = d.path_key
          and live.deleted_at is null
        where d.workspace_id = ${workspace} and ${sql.in("d.id", ids)}`

  const entities = (workspace: WorkspaceScope, ids: ReadonlyArray<TrashId>) =>
    sql<{ id: TrashId; label: string; blocked_by: string | null }>`
        select e.id, e.name as label, live.id as blocked_by from entity e
        left join entity live on live.workspace_id = ${workspace} and live.type = e.type
          and live.name_norm = e.name_norm and live.deleted_at is null and live.merged_into is null
        where e.workspace_id = ${workspace} and ${sql.in("e.id", ids)}`

  /** Returns what blocks an end: its deleted head, or the entity that took the name of one retired by extraction. */
  const blocking = (workspace: WorkspaceScope, head: "sh" | "dh") =>
    sql`case when ${sql(`${head}.deleted_at`)} is null then null
        when ${sql(`${head}.retired`)} = 0 then ${sql(`${head}.id`)}
        else (select live.id from entity live where live.workspace_id = ${workspace}
          and live.type = ${sql(`${head}.type`)} and live.name_norm = ${sql(`${head}.name_norm`)}
          and live.deleted_at is null and live.merged_into is null) end`

  const relations = (workspace: WorkspaceScope, ids: ReadonlyArray<TrashId>) =>
    sql<RelationRow>`
        select r.id, s.name || ' ' || r.type || ' ' || d.name as label, r.origin, r.evidence_count,
          ${blocking(workspace, "sh")} as src_blocked, ${blocking(workspace, "dh")} as dst_blocked,
          (select min(o.id) from relation o where o.workspace_id = ${workspace} and o.src_head = s.head_id
            and o.type = r.type and o.dst_head = d.head_id and o.src_head <> o.dst_head
            and o.deleted_at is null) as equal
        from relation r
        join entity s on s.workspace_id = ${workspace} and s.id = r.src_id
        join entity d on d.workspace_id = ${workspace} and d.id = r.dst_id
        join entity sh on sh.workspace_id = ${workspace} and sh.id = s.head_id
        join entity dh on dh.workspace_id = ${workspace} and dh.id = d.head_id
        where r.workspace_id = ${workspace} and ${sql.in("r.id", ids)}`

  const factsOf = (workspace: WorkspaceScope, page: ReadonlyArray<Place>) =>
    Effect.gen(function* () {
      const byKind = groupBy(page, ({ kind }) => (kind === "merged_entity" ? "entity" : kind))
      const idsOf = (kind: Exclude<TrashKind, "merged_entity">) =>
        (byKind.get(kind) ?? []).map(({ id }) => id)
      const named = [
        ...(yield* inBatches(idsOf("document"), (ids) => documents(workspace, ids))),
        ...(yield* inBatches(idsOf("entity"), (ids) => entities(workspace, ids)))
      ].map(({ blocked_by, id, label }): readonly [TrashId, Facts] => [
        id,
        { label, blockedBy: blocked_by, carried: true }
      ])
      const drawn = (yield* inBatches(idsOf("relation"), (ids) => relations(workspace, ids))).map(
        ({
          dst_blocked,
          equal,
          evidence_count,
          id,
          label,
          origin,
          src_blocked
        }): readonly [TrashId, Facts] => [
          id,
          {
            label,
            blockedBy: src_blocked ?? dst_blocked ?? equal,
            carried: origin !== "extraction" || toNumber(evidence_count) > 0
          }
        ]
      )
      return new Map([...named, ...drawn])
    })

  /** Returns the actors of the last deleting audit event of each item, if known. */
  const doersOf = (workspace: WorkspaceScope, page: ReadonlyArray<Place>) =>
    Effect.map(
      inBatches(
        page.map(({ id }) => id),
        (ids) => sql<{ id: string; subject_id: string; action: string; actor: string }>`
            select id, subject_id, action, actor from audit where workspace_id = ${workspace}
              and ${sql.in("subject_id", ids)} and ${sql.in("action", Object.values(deeds))}`
      ),
      // Sorted here, because a database might scan the whole trail for an order.
      (rows) =>
        new Map(
          [...rows]
            .sort((a, b) => (a.id < b.id ? -1 : 1))
            .map(({ action, actor, subject_id }) => [`${action} ${subject_id}`, actor])
        )
    )

  return {
    list: (workspace, kind, { limit, offset }) =>
      Effect.gen(function* () {
        const wantedKinds = kind === undefined ? kinds : [kind]
        const [first, ...others] = wantedKinds.map((one) => places(workspace, one))
        const union = others.reduce((all, one) => sql`${all} union all ${one}`, first ?? sql``)
        const rows = yield* sql<{ id: TrashId; kind: TrashKind; deleted_at: string }>`${union}
            order by deleted_at desc, id limit ${limit} offset ${offset}`
        const page = rows.map(({ deleted_at, ...row }): Place => ({ ...row, deletedAt: deleted_at }))
        const [facts, doers] = [yield* factsOf(workspace, page), yield* doersOf(workspace, page)]
        const items = page.map(
          (place): TrashEntry => ({
            ...place,
            // A relation without ends has no label; the doctor reports it.
            ...(facts.get(place.id) ?? { label: place.id, blockedBy: null, carried: false }),
            deletedBy: doers.get(`${deeds[place.kind]} ${place.id}`) ?? null
          })
        )
        const counts = Effect.forEach(wantedKinds, (one) => count(workspace, one))
        return yield* pageOf(
          { limit, offset },
          Effect.succeed(items),
          Effect.map(counts, (each) => each.reduce((sum, one) => sum + one, 0))
        )
      }).pipe(Effect.orDie)
  }
})
