import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import {
  Conflict,
  type EntityId,
  Ids,
  serviceLayer,
  type WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import { WorkspaceArchive } from "../../../../core/upkeep/transfer/index.js"
import { fromJson, toNumber } from "../../codec.js"
import { isUniqueViolation } from "../../errors.js"
import { rebuildEdges } from "../../knowledge/graph/edges.js"
import { inBatches } from "../../rows.js"
import { type Gather, gatherAll, gatherSound } from "./workspace-archive-pages.js"
import { archiveRecords } from "./workspace-archive-read.js"
import { recordWriter } from "./workspace-archive-write.js"

/**
 * A workspace as records, over tables.
 *
 * @param snapshotOf A client that sees one moment of the database until its scope is closed, and keeps nobody waiting.
 */
export const sqlWorkspaceArchive = (
  snapshotOf: (
    sql: SqlClient.SqlClient,
    workspace: WorkspaceScope
  ) => Effect.Effect<SqlClient.SqlClient, never, Scope.Scope>
) =>
  serviceLayer(
    WorkspaceArchive,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { sha256 } = yield* Ids
      const write = yield* recordWriter(sql)
      const records = (workspace: WorkspaceScope, gather: Gather) =>
        Stream.unwrapScoped(
          Effect.map(snapshotOf(sql, workspace), (moment) =>
            archiveRecords({ sql: moment, workspace, gather, sha256 })
          )
        )
      return {
        read: (workspace) => records(workspace, gatherAll),
        sound: (workspace, tell) => Stream.orDie(records(workspace, gatherSound(tell))),
        write: (workspace, records) =>
          write(workspace, records).pipe(
            Effect.orDie,
            Effect.catchAllDefect((defect) =>
              isUniqueViolation(defect)
                ? Effect.fail(new Conflict({ message: "an id, a name, a path or a number is taken." }))
                : Effect.die(defect)
            )
          ),
        settle: (workspace) => Effect.orDie(settle(sql, workspace)),
        dangling: (workspace) => Effect.orDie(brokenReferences(sql, workspace))
      }
    })
  )

const settle = (sql: SqlClient.SqlClient, workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const [broken] = yield* brokenReferences(sql, workspace)
    if (broken !== undefined) return Option.some(broken)
    yield* sql`update relation set evidence_count = (select count(*) from relation_evidence e
      where e.workspace_id = ${workspace} and e.relation_id = relation.id)
      where workspace_id = ${workspace}`
    const sources = yield* sql<{ src_head: EntityId }>`select distinct src_head from relation
      where workspace_id = ${workspace} and src_head is not null`
    yield* rebuildEdges(
      sql,
      workspace,
      sources.map(({ src_head }) => src_head)
    )
    return Option.none<string>()
  })

/** References between tables: table, column, the table that must hold the id, and the message when it does not. */
const references = [
  ["entity", "head_id", "entity", "An entity's head is not there."],
  ["entity", "merged_into", "entity", "What an entity was merged into is not there."],
  ["entity", "superseded_by", "entity", "What supersedes an entity is not there."],
  ["entity_revision", "entity_id", "entity", "The entity of a revision is not there."],
  ["concept", "entity_id", "entity", "The entity of a concept is not there."],
  ["relation", "src_id", "entity", "An end of a relation is not there."],
  ["relation", "dst_id", "entity", "An end of a relation is not there."],
  ["relation", "src_head", "entity", "The head of an end of a relation is not there."],
  ["relation", "dst_head", "entity", "The head of an end of a relation is not there."],
  ["relation_evidence", "relation_id", "relation", "The relation of a piece of evidence is not there."],
  ["graph_surface", "head_id", "entity", "The head that a name stands for is not there."],
  ["graph_document", "document_id", "document", "The document of an extraction is not there."],
  ["graph_document", "entity_id", "entity", "The entity that a document is about is not there."],
  ["graph_target", "target_id", "document", "A document that a reference leads to is not there."],
  ["relation_evidence", "document_id", "document", "The document of an extraction is not there."],
  ["document_version", "document_id", "document", "The document of a version is not there."],
  ["data_query_revision", "query_id", "data_query", "The query of a revision is not there."],
  ["data_call", "query_id", "data_query", "The query of a data call is not there."],
  ["data_call", "connector_id", "data_connector", "The connector of a data call is not there."],
  ["agent_version", "agent_id", "agent", "The agent of a version is not there."],
  ["agent_run", "agent_id", "agent", "The agent of a run is not there."],
  ["agent_step", "run_id", "agent_run", "The run of a step is not there."],
  ["agent_approval", "run_id", "agent_run", "The run of an approval is not there."],
  ["answer_feedback", "answer_id", "answer", "The answer of a piece of feedback is not there."],
  ["agent_feedback", "run_id", "agent_run", "The run of a piece of feedback is not there."]
] as const

/** The same where a number refers. */
const numberedReferences = [
  ["mention", "entity_no", "entity", "The entity of a mention is not there."],
  ["graph_claim", "document_no", "document", "The document of an extraction is not there."],
  ["mention", "document_no", "document", "The document of an extraction is not there."]
] as const

/** Returns a sentence for each kind of missing reference and of duplicate. */
const brokenReferences = (sql: SqlClient.SqlClient, workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const broken: Array<string> = []
    for (const [table, column, target, sentence] of references) {
      const found = yield* sql<{ id: string }>`select t.${sql(column)} as id from ${sql(table)} t
        where t.workspace_id = ${workspace} and t.${sql(column)} is not null and not exists (
          select 1 from ${sql(target)} o where o.workspace_id = ${workspace} and o.id = t.${sql(column)}
        ) limit 1`
      if (found[0] !== undefined) broken.push(`${sentence} (${table}.${column} ${found[0].id})`)
    }
    for (const [table, column, target, sentence] of numberedReferences) {
      const found = yield* sql<{ id: string }>`select n.id from id_number n
        where n.workspace_id = ${workspace}
          and not exists (select 1 from ${sql(target)} o where o.workspace_id = ${workspace} and o.id = n.id)
          and exists (select 1 from ${sql(table)} t
            where t.workspace_id = ${workspace} and t.${sql(column)} = n.number) limit 1`
      if (found[0] !== undefined) broken.push(`${sentence} (${table}.${column} ${found[0].id})`)
    }
    const places = yield* sql<{ n: unknown; d: unknown }>`select count(seq) as n, count(distinct seq) as d
      from document where workspace_id = ${workspace}
      union all select count(seq), count(distinct seq) from entity where workspace_id = ${workspace}`
    if (places.some(({ d, n }) => toNumber(d) !== toNumber(n)))
      broken.push("Two changes have one place in the feed.")
    const [passages] = yield* sql<{ n: unknown; d: unknown }>`select count(id) as n, count(distinct id) as d
      from chunk where workspace_id = ${workspace}`
    if (toNumber(passages?.d) !== toNumber(passages?.n)) broken.push("Two passages have one id.")
    const others = [yield* brokenVersion(sql, workspace), yield* brokenMerge(sql, workspace)]
    return [...broken, ...others.flatMap(Option.toArray)]
  })

/** Each document has its present version, and each older version its text, and no text is there for nothing. */
const brokenVersion = (sql: SqlClient.SqlClient, workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const [present] = yield* sql<{
      id: string
    }>`select d.id from document d where d.workspace_id = ${workspace}
      and not exists (select 1 from document_version v where v.workspace_id = ${workspace}
        and v.document_id = d.id and v.version = d.version and v.content_hash = d.content_hash
        and v.verification is null) limit 1`
    if (present !== undefined)
      return Option.some(`The present version of a document is not there. (${present.id})`)
    const [astray] = yield* sql<{ id: string }>`select v.document_id as id from document_version v
      join document d on d.workspace_id = ${workspace} and d.id = v.document_id
      where v.workspace_id = ${workspace} and (v.version > d.version
        or v.version < d.version and (v.verification is null or not exists (select 1 from document_text t
          where t.workspace_id = ${workspace} and t.content_hash = v.content_hash))) limit 1`
    if (astray !== undefined) return Option.some(`A version has no text, or never was. (${astray.id})`)
    const [unused] = yield* sql<{ content_hash: string }>`select t.content_hash from document_text t
      where t.workspace_id = ${workspace} and not exists (select 1 from document_version v
        where v.workspace_id = ${workspace} and v.content_hash = t.content_hash
        and v.verification is not null) limit 1`
    return unused === undefined
      ? Option.none<string>()
      : Option.some(`No version names a text. (${unused.content_hash})`)
  })

/** Entities list what was merged into them; what they list must be there and say the same. */
const brokenMerge = (sql: SqlClient.SqlClient, workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const heads = yield* sql<{ merged_ids: string }>`select merged_ids from entity
      where workspace_id = ${workspace} and merged_ids <> '[]'`
    const listed = heads.flatMap(({ merged_ids }) => fromJson<ReadonlyArray<EntityId>>(merged_ids))
    const known = yield* inBatches(
      listed,
      (batch) =>
        sql<{
          id: EntityId
        }>`select id from entity where workspace_id = ${workspace} and ${sql.in("id", batch)}`
    )
    const ids = new Set(known.map(({ id }) => id))
    const missing = listed.find((id) => !ids.has(id))
    return missing === undefined
      ? Option.none<string>()
      : Option.some(`An entity that was merged into another one is not there. (${missing})`)
  })
