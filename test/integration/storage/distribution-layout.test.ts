import pg from "pg"
import { beforeAll, describe, expect, it } from "vitest"
import {
  distributedTables,
  distributedVectorTables,
  localTables
} from "../../../adapters/postgres/distribution-layout.js"
import { hostReadableTables, hostTables } from "../../../adapters/postgres/row-level-security.js"
import { dropDatabase, makeMigrated } from "../../support/postgres.js"
import { distributionFaults, loadGrammar } from "../../support/statement-shapes.js"

beforeAll(loadGrammar)

describe("the layout of a distributed database", () => {
  it("names each table of the migrations once, as distributed or as local", async () => {
    const url = await makeMigrated()
    const client = new pg.Client(url)
    await client.connect()
    try {
      const { rows } = await client.query<{ name: string }>(
        `select relname as name from pg_class where relnamespace = 'public'::regnamespace
          and relkind in ('r', 'p') and not relispartition order by 1`
      )
      const beside = new Set<string>(distributedVectorTables)
      const named = [...distributedTables, ...localTables].sort()
      expect(named).toEqual(rows.map(({ name }) => name).filter((name) => !beside.has(name)))
      expect(new Set(named).size).toBe(named.length)
    } finally {
      await client.end()
      await dropDatabase(url)
    }
  })

  it("keeps what is read before a workspace is known on the coordinator", () => {
    const local = new Set<string>(localTables)
    expect([...hostTables, ...hostReadableTables].filter((name) => !local.has(name))).toEqual([])
  })
})

describe("the check of statements", () => {
  const faults = (text: string) => distributionFaults(text).length

  it("lets pass what binds each distributed table to a workspace, and anything of local tables", () => {
    for (const text of [
      "select * from chunk where workspace_id = $1 and id = $2",
      "select * from chunk c join document d on d.workspace_id = $1 and d.id = c.document_id where c.workspace_id = $1",
      "select * from chunk c left join document d on d.workspace_id = $1 and d.id = c.document_id where c.workspace_id = $1",
      "select (select count(*) from edge where workspace_id = current_setting('kanon.workspace')) from job",
      "update entity set seq = 1 where workspace_id = cast($1 as text) and id = $2 returning id",
      "insert into counter (workspace_id, name, value) values ($1, $2, 1) on conflict do nothing",
      "insert into edge (workspace_id, src_id) select workspace_id, src_head from relation where workspace_id = $1",
      "with few as (select id from entity where workspace_id = $1) select id from few",
      "update job set status = 'queued' where status = 'running' returning id"
    ])
      expect([text, distributionFaults(text)]).toEqual([text, []])
  })

  it("refuses a reference that is bound by a join, by an outer row, or not at all", () => {
    for (const text of [
      "select * from chunk",
      "select * from chunk where workspace_id = $1 or id = $2",
      "select * from chunk where workspace_id <> $1",
      "select * from chunk c join document d on d.workspace_id = c.workspace_id where c.workspace_id = $1",
      "select * from chunk c left join document d on c.workspace_id = $1 and d.workspace_id = $1",
      "select * from chunk c where c.workspace_id = $1 and exists (select 1 from document d where d.workspace_id = c.workspace_id)",
      "select * from chunk c, document d where workspace_id = $1",
      "delete from edge where src_id in (select id from entity where workspace_id = $1)",
      "update relation set seq = e.n from edge e where relation.workspace_id = $1",
      "insert into edge (workspace_id, src_id) select $1, src_head from relation where workspace_id = $1",
      "insert into edge (src_id) values ($1)"
    ])
      expect([text, faults(text) > 0]).toEqual([text, true])
  })

  it("refuses a subquery and a notification in what a change of a distributed table returns", () => {
    const insert = "insert into counter (workspace_id, name, value) values ($1, $2, 1) returning"
    expect(faults(`${insert} exists (select 1 from edge where workspace_id = $1)`)).toBe(1)
    expect(faults(`${insert} pg_notify('a', 'b')`)).toBe(1)
  })
})
