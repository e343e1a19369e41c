import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import type { DocumentListing } from "../../../../core/files/documents/index.js"
import type { WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { toNumber } from "../../codec.js"
import { dialect } from "../../dialect.js"
import { readAll } from "../../rows.js"
import { containsText } from "../../text-filter.js"
import { liveDocuments } from "./document-rows.js"

/** Returns the prefix of the paths in a folder; empty at the top. */
const prefixOf = (folder: string): string => {
  const path = folder.replace(/^\/+|\/+$/g, "")
  return path === "" ? "" : `${path}/`
}

/** Returns the rest of the path of a document `d` in a folder. */
const restIn = (sql: SqlClient.SqlClient, folder: string): Fragment =>
  sql`substr(d.path, ${sql.literal(String([...prefixOf(folder)].length + 1))})`

/** Returns the condition for live documents `d` of a list. */
export const listedDocuments = (
  sql: SqlClient.SqlClient,
  workspace: WorkspaceScope,
  { folder, q, ...filter }: DocumentListing
): Fragment =>
  sql.and([
    liveDocuments(sql, workspace, filter),
    ...(folder === undefined
      ? []
      : [
          liveDocuments(sql, workspace, { pathPrefix: prefixOf(folder) }),
          sql`${dialect(sql).placeOf}(${restIn(sql, folder)}, '/') = 0`
        ]),
    ...(q === undefined || q.trim() === "" ? [] : [containsText(sql, ["d.title", "d.path"], q)])
  ])

export const documentOrder = (sql: SqlClient.SqlClient, sort: DocumentListing["sort"]): Fragment => {
  switch (sort) {
    case "title":
      return sql`lower(d.title), d.path`
    case "updatedAt":
      return sql`d.updated_at desc, d.path`
    case "nextVerifyAt":
      return sql`case when d.next_verify_at is null then 1 else 0 end, d.next_verify_at, d.path`
    default:
      return sql`d.path`
  }
}

/** Returns the folders in a folder, with the numbers of live documents below them. */
export const foldersIn = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, folder: string) => {
  const { placeOf } = dialect(sql)
  const rest = restIn(sql, folder)
  return sql<{ name: string; n: unknown }>`select name, count(*) as n from (
      select substr(${rest}, 1, ${placeOf}(${rest}, '/') - 1) as name from document d
      where ${liveDocuments(sql, workspace, { pathPrefix: prefixOf(folder) })} and ${placeOf}(${rest}, '/') > 0
    ) as below group by name order by name`.pipe(
    readAll(({ n, name }) => ({ path: prefixOf(folder) + name, documents: toNumber(n) }))
  )
}
