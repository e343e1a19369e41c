import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import type { EntityListing } from "../../../../core/knowledge/entities/index.js"
import { containsText } from "../../text-filter.js"

/** Returns the condition for the entities of a list; `live` is that for live canonical ones. */
export const listedEntities = (
  sql: SqlClient.SqlClient,
  live: Fragment,
  { authority, lifecycle, ownerId, q, type }: EntityListing
): Fragment =>
  sql.and([
    ...(type === undefined ? [] : [sql`type = ${type}`]),
    sql`${live}`,
    ...(authority === undefined ? [] : [sql`authority = ${authority}`]),
    ...(lifecycle === undefined ? [] : [sql`lifecycle = ${lifecycle}`]),
    ...(ownerId === undefined ? [] : [sql`owner_id = ${ownerId}`]),
    ...(q === undefined || q.trim() === "" ? [] : [containsText(sql, ["name"], q)])
  ])

export const entityOrder = (
  sql: SqlClient.SqlClient,
  rank: Fragment,
  sort: EntityListing["sort"]
): Fragment => {
  switch (sort) {
    case "name":
      return sql`name_norm`
    case "nextReviewAt":
      return sql`case when next_review_at is null then 1 else 0 end, next_review_at, ${rank}`
    default:
      return rank
  }
}
