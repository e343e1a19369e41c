import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { WorkspaceId } from "../../../core/kernel/index.js"
import { guardHistory, guardNames } from "../audit/append-only.js"
import { fromJson, toBytes } from "../codec.js"
import { dialect } from "../dialect.js"
import { type RevisionRow, revisionFromRow, revisionToRow } from "../entities/revision-rows.js"
import { factsToBytes, smallToBytes, wordsFromBytes } from "../extraction/extraction-record-rows.js"
import { insertRows } from "../rows.js"

/** Rows that are rewritten at a time. */
const rowsPerPage = 500

/** What other rows or columns tell is kept once. */
export default Effect.gen(function* () {
  yield* shortRevisions
  yield* packedReadings
  yield* shortPassageIndexes
  yield* shortRelationIndexes
  yield* rankedEdges
  const sql = yield* SqlClient.SqlClient
  // What 0031 told of a table or an index went with it.
  yield* dialect(sql).tellStatistics(statistics)
})

const statistics: ReadonlyArray<readonly [table: string, index: string, rows: string]> = [
  ["graph_document", "sqlite_autoindex_graph_document_1", "100000 25000 1"],
  ["graph_document", "graph_document_stale", "1000 250 1"],
  ["graph_document", "graph_document_unfollowed", "1000 250 1"],
  ["graph_document", "graph_document_name", "100000 25000 2"],
  ["chunk", "chunk_id", "1000000 1"],
  ["chunk", "chunk_document", "1000000 12 1"],
  ["relation", "sqlite_autoindex_relation_1", "200000 50000 1"],
  ["relation", "relation_edge", "200000 50000 5 3 1"],
  ["relation", "relation_dst", "200000 5"],
  ["relation", "relation_dst_head", "200000 5"],
  ["relation", "relation_along", "200000 5 3 2 1"],
  ["relation", "relation_trash", "1000 250 1 1"]
]

/** The id of a passage or a document leads to few rows by itself: the workspace is compared at the row. */
const shortPassageIndexes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop index chunk_id`
  yield* sql`create index chunk_id on chunk (id)`
  yield* sql`drop index chunk_document`
  yield* sql`create index chunk_document on chunk (document_id, ordinal)`
})

/** Relations in the order of arrival: an index ends with a number then, and not with workspace and id. */
const shortRelationIndexes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(
    "workspace_id, id, src_id, type, dst_id, origin, note, src_head, dst_head, evidence_count, deleted_at, created_at"
  )
  yield* sql`create table relation_by_arrival (
    workspace_id text not null,
    id text not null,
    src_id text not null,
    type text not null,
    dst_id text not null,
    origin text not null,
    note text,
    src_head text,
    dst_head text,
    evidence_count integer not null,
    deleted_at text,
    created_at text not null,
    primary key (workspace_id, id)
  )`
  yield* sql`insert into relation_by_arrival (${columns}) select ${columns} from relation order by workspace_id, id`
  yield* sql`drop table relation`
  yield* sql`alter table relation_by_arrival rename to relation`
  yield* sql`create unique index relation_edge on relation (workspace_id, src_id, type, dst_id)`
  yield* sql`create index relation_dst on relation (dst_id)`
  yield* sql`create index relation_dst_head on relation (dst_head)`
  yield* sql`create index relation_along on relation (src_head, type, dst_head, deleted_at)`
  yield* sql`create index relation_trash on relation (workspace_id, deleted_at desc, id)
    where deleted_at is not null`
})

/** Edges stand in the order of rank alone: by their source they are found there too. */
const rankedEdges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { clustered, onPostgres, rankedKey } = dialect(sql)
  const rank = "workspace_id, src_id, mention_count desc, dst_id, type"
  const columns = sql.literal("workspace_id, src_id, type, dst_id, mention_count")
  yield* sql`create table edge_ranked (
    workspace_id text not null,
    src_id text not null,
    type text not null,
    dst_id text not null,
    mention_count integer not null,
    ${rankedKey(rank, "workspace_id, src_id, type, dst_id")}
  ) ${clustered}`
  yield* sql`insert into edge_ranked (${columns}) select ${columns} from edge`
  yield* sql`drop table edge`
  yield* sql`alter table edge_ranked rename to edge`
  yield* onPostgres(sql`create index edge_out on edge (${sql.literal(rank)})`)
  yield* sql`create index edge_in on edge (workspace_id, dst_id, mention_count desc, src_id, type)`
  yield* sql`create index edge_hierarchy on edge (workspace_id, src_id, type, dst_id)
    where type in ('broader', 'narrower')`
})

type KeptRevision = RevisionRow & { readonly workspace_id: WorkspaceId }

/** A revision keeps what is unusual of its snapshot, and no diff where all of it is new. */
const shortRevisions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table entity_revision_short (
    workspace_id text not null,
    entity_id text not null,
    version integer not null,
    change_kind text not null,
    snapshot text not null,
    diff text,
    activity text not null,
    changed_by text not null,
    note text,
    created_at text not null,
    primary key (workspace_id, entity_id, version)
  )`
  let after: KeptRevision | undefined
  while (true) {
    const rows: ReadonlyArray<KeptRevision> = yield* sql<KeptRevision>`select * from entity_revision
      where (workspace_id, entity_id, version) >
        (${after?.workspace_id ?? ""}, ${after?.entity_id ?? ""}, ${after?.version ?? 0})
      order by workspace_id, entity_id, version limit ${rowsPerPage}`
    if (rows.length === 0) break
    yield* insertRows(
      sql,
      "entity_revision_short",
      rows.map((row) => revisionToRow(row.workspace_id, row.entity_id, revisionFromRow(row)))
    )
    after = rows.at(-1)
  }
  yield* sql`drop table entity_revision`
  yield* sql`alter table entity_revision_short rename to entity_revision`
  // Its guards went with the table; those of other tables stay as they are.
  yield* guardHistory(sql, new Set(guardNames(sql).filter((name) => !name.startsWith("entity_revision_"))))
})

interface KeptReading {
  readonly workspace_id: string
  readonly document_id: string
  readonly path: string
  readonly title: string
  readonly aliases: string
  readonly name_key: string
  readonly name_type: string
  readonly entity_id: string | null
  readonly facts: string
  readonly targets: string | null
  readonly words: unknown
  readonly small: unknown
  readonly stale: number
}

/**
 * What was read of a document in half the bytes, and in the order of arrival: in a table that is stored by its key a
 * row of more than a kilobyte takes a page of its own.
 */
const packedReadings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { blob } = dialect(sql)
  yield* sql`create table graph_document_packed (
    workspace_id text not null,
    document_id text not null,
    path text not null,
    title text not null,
    aliases text not null,
    name_key text not null,
    name_type text not null,
    entity_id text,
    facts ${blob} not null,
    targets text,
    words ${blob} not null,
    small ${blob} not null,
    stale integer not null,
    primary key (workspace_id, document_id)
  )`
  let after: KeptReading | undefined
  while (true) {
    const rows: ReadonlyArray<KeptReading> = yield* sql<KeptReading>`select * from graph_document
      where (workspace_id, document_id) > (${after?.workspace_id ?? ""}, ${after?.document_id ?? ""})
      order by workspace_id, document_id limit ${rowsPerPage}`
    if (rows.length === 0) break
    yield* insertRows(
      sql,
      "graph_document_packed",
      rows.map((row) => {
        const words = wordsFromBytes(row.words)
        return {
          ...row,
          facts: factsToBytes(factsIn(row.facts)),
          words: toBytes(row.words),
          small: smallToBytes(words, wordsFromBytes(row.small))
        }
      })
    )
    after = rows.at(-1)
  }
  yield* sql`drop table graph_document`
  yield* sql`alter table graph_document_packed rename to graph_document`
  yield* sql`create index graph_document_stale on graph_document (workspace_id, document_id) where stale = 1`
  yield* sql`create index graph_document_unfollowed on graph_document (workspace_id, document_id)
    where targets is null`
  yield* sql`create index graph_document_name on graph_document (workspace_id, name_key)`
})

/** What was damaged before is nothing now, and as different from its document as it was. */
const factsIn = (text: string): Parameters<typeof factsToBytes>[0] => {
  try {
    return fromJson(text)
  } catch {
    return { references: [], tags: [], hidden: [] }
  }
}
