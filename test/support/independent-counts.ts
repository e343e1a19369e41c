import { expect } from "vitest"
import { Manifest } from "../../core/upkeep/overview/index.js"
import type { ClockedServer } from "./clocked-server.js"

type Rows = Pick<ClockedServer, "rows">

/** The one number, called `n`, that a statement gives. */
export const count = ({ rows }: Rows, statement: string, ...values: ReadonlyArray<string | number>): number =>
  rows<{ readonly n: number }>(statement, ...values)[0]?.n ?? Number.NaN

/** How often there is each `value`, as the `n` of a statement says. */
export const tally = ({ rows }: Rows, statement: string, ...values: ReadonlyArray<string | number>) =>
  Object.fromEntries(
    rows<{ readonly value: string; readonly n: number }>(statement, ...values).map(({ n, value }) => [
      value,
      n
    ])
  )

export const live = "deleted_at is null and merged_into is null"

/** Relations as they were stated, with the heads of both ends looked up anew. */
const edges = `select distinct a.head_id as src, r.type, b.head_id as dst from relation r
  join entity a on a.id = r.src_id join entity src on src.id = a.head_id
  join entity b on b.id = r.dst_id join entity dst on dst.id = b.head_id
  where r.deleted_at is null and a.deleted_at is null and b.deleted_at is null
    and src.deleted_at is null and dst.deleted_at is null and a.head_id <> b.head_id`
const places = `select distinct document_no, label, start_offset from mention m
  join id_number n on n.workspace_id = m.workspace_id and n.number = m.entity_no
  join entity e on e.id = n.id where e.head_id = ? and e.deleted_at is null`

/**
 * Holds every number of the manifest against statements that read nothing which Kanon keeps in order to count:
 * neither edges nor heads of relations.
 */
export const manifestOf = async (server: ClockedServer): Promise<Manifest> => {
  const { body, status } = await server.call("GET", "/manifest")
  expect(status).toBe(200)
  const manifest = Manifest.parse(body)
  const { counts, hubConcepts, staleness } = manifest
  const byOf = (column: string) =>
    tally(server, `select ${column} as value, count(*) as n from entity where ${live} group by 1`)
  expect({
    ...counts,
    byAuthority: present(counts.byAuthority),
    byLifecycle: present(counts.byLifecycle),
    documentsByVerification: present(counts.documentsByVerification)
  }).toEqual({
    documents: count(server, "select count(*) as n from document where deleted_at is null"),
    chunks: count(
      server,
      "select count(*) as n from chunk where document_id in (select id from document where deleted_at is null)"
    ),
    entities: count(server, `select count(*) as n from entity where ${live}`),
    relations: count(server, `select count(*) as n from (${edges})`),
    entitiesByType: byOf("type"),
    relationsByType: tally(server, `select type as value, count(*) as n from (${edges}) group by 1`),
    byAuthority: byOf("authority"),
    byLifecycle: byOf("lifecycle"),
    documentsByVerification: tally(
      server,
      "select verification as value, count(*) as n from document where deleted_at is null group by 1"
    )
  })
  expect(staleness).toEqual({
    overdueReviews: count(
      server,
      `select count(*) as n from entity where ${live} and next_review_at < ?`,
      manifest.generatedAt
    ),
    neverReviewed: count(
      server,
      `select count(*) as n from entity where ${live} and last_reviewed_at is null`
    )
  })
  expect(hubConcepts).toEqual(hubsOf(server))
  return manifest
}

const present = (counts: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0))

interface HubRow {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly summary: string
  readonly authority: string
  readonly lifecycleStatus: string
  readonly version: number
  readonly lastReviewedAt: string | null
  readonly ownerId: string | null
}

/** The 25 published concepts that most others lead to, then those that are mentioned most. */
const hubsOf = (server: Rows) =>
  server
    .rows<HubRow>(
      `select id, name, type, coalesce(description, '') as summary, authority, lifecycle as lifecycleStatus, version,
        last_reviewed_at as lastReviewedAt, owner_id as ownerId from entity
        where ${live} and lifecycle = 'published' and id in (select dst from (${edges}))`
    )
    .map((row) => ({
      ...row,
      inDegree: count(server, `select count(*) as n from (${edges}) where dst = ?`, row.id),
      outDegree: 0,
      mentionCount: count(server, `select count(*) as n from (${places})`, row.id)
    }))
    .sort((a, b) => b.inDegree - a.inDegree || b.mentionCount - a.mentionCount || (a.id < b.id ? -1 : 1))
    .slice(0, 25)
    .map((hub) => ({
      ...hub,
      outDegree: count(server, `select count(*) as n from (${edges}) where src = ?`, hub.id)
    }))
