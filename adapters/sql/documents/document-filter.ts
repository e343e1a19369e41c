import type * as SqlClient from "@effect/sql/SqlClient"
import type { DocumentFilter } from "../../../core/documents/index.js"
import { nameNorm, type WorkspaceScope } from "../../../core/kernel/index.js"

/** Returns the condition for live documents `d` of a workspace that match the filter. */
export const liveDocuments = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, filter: DocumentFilter) =>
  sql.and([
    sql`d.workspace_id = ${workspace}`,
    sql`d.deleted_at is null`,
    ...(filter.pathPrefix === undefined || filter.pathPrefix === ""
      ? []
      : [sql`d.path >= ${filter.pathPrefix} and d.path < ${`${filter.pathPrefix}\u{10ffff}`}`]),
    ...(filter.verification === undefined ? [] : [sql`d.verification = ${filter.verification}`]),
    ...(filter.tag === undefined ? [] : [hasTag(sql, nameNorm(filter.tag.replace(/^#/u, "")))])
  ])

/** A tag finds its nested ones, too: `area` also finds `area/part`. `0` is the character after the slash. */
const hasTag = (sql: SqlClient.SqlClient, tag: string) =>
  sql`exists (select 1 from document_tag t where t.workspace_id = d.workspace_id
      and (t.tag = ${tag} or (t.tag >= ${`${tag}/`} and t.tag < ${`${tag}0`})) and t.document_id = d.id)`
