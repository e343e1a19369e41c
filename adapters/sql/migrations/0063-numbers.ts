import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/**
 * Numbers in the place of ids, where ids were most of a row and of each entry of its indexes. A workspace has one,
 * given to it when it is made; documents and entities have one from when they are first mentioned, or claim a name.
 * Numbers are of one database, and leave it in no export.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* dialect(sql).numberWorkspaces
  yield* sql`create unique index workspace_number on workspace (number)`
  yield* ids
  yield* mentions
  yield* claims
  yield* dialect(sql).tellStatistics(statistics)
})

const ids = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { clustered } = dialect(sql)
  yield* sql`create table id_number (
    workspace_no integer not null,
    id text not null,
    number integer not null,
    primary key (workspace_no, id)
  ) ${clustered}`
  yield* sql`insert into id_number (workspace_no, id, number)
    select w.number, used.id, row_number() over (partition by w.number order by used.id) from (
      select workspace_id, document_id as id from mention
      union select workspace_id, entity_id from mention
      union select workspace_id, document_id from graph_claim
    ) as used join workspace w on w.id = used.workspace_id`
  yield* sql`create unique index id_number_number on id_number (workspace_no, number)`
  yield* sql`insert into counter (workspace_id, name, value)
    select w.id, 'id_number', max(n.number) from id_number n join workspace w on w.number = n.workspace_no
    group by w.id`
})

const mentions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { clustered } = dialect(sql)
  yield* sql`create table mention_numbered (
    workspace_no integer not null,
    document_no integer not null,
    label integer not null,
    start_offset integer not null,
    end_offset integer not null,
    entity_no integer not null,
    key text not null,
    confidence double precision not null,
    run integer,
    primary key (workspace_no, document_no, label, start_offset, entity_no)
  ) ${clustered}`
  yield* sql`insert into mention_numbered (workspace_no, document_no, label, start_offset, end_offset, entity_no,
      key, confidence, run)
    select w.number, d.number, m.label, m.start_offset, m.end_offset, e.number, m.key, m.confidence, m.run
    from mention m join workspace w on w.id = m.workspace_id
      join id_number d on d.workspace_no = w.number and d.id = m.document_id
      join id_number e on e.workspace_no = w.number and e.id = m.entity_id
    order by w.number, d.number, m.label, m.start_offset, e.number`
  yield* takePlace("mention")
  yield* sql`create index mention_entity on mention (workspace_no, entity_no, document_no, label, start_offset)`
})

/** A document's claims lie together, in the order in which they came: what else finds them needs the place alone. */
const claims = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { clustered } = dialect(sql)
  yield* sql`create table graph_claim_numbered (
    workspace_no integer not null,
    document_no integer not null,
    ordinal integer not null,
    key text not null,
    role text not null,
    type text not null,
    name text not null,
    subject text not null,
    word_hash bigint,
    prose_count integer not null,
    heading_count integer not null,
    primary key (workspace_no, document_no, ordinal)
  ) ${clustered}`
  yield* sql`insert into graph_claim_numbered (workspace_no, document_no, ordinal, key, role, type, name, subject,
      word_hash, prose_count, heading_count)
    select w.number, d.number,
      row_number() over (partition by w.number, d.number order by c.key, c.role, c.type, c.name, c.subject),
      c.key, c.role, c.type, c.name, c.subject, c.word_hash, c.prose_count, c.heading_count
    from graph_claim c join workspace w on w.id = c.workspace_id
      join id_number d on d.workspace_no = w.number and d.id = c.document_id
    order by 1, 2, 3`
  yield* takePlace("graph_claim")
  yield* sql`create index graph_claim_key on graph_claim (workspace_no, key)`
  yield* sql`create index graph_claim_word on graph_claim (workspace_no, word_hash)
    where role = 'term' and word_hash is not null`
  yield* sql`create index graph_claim_subject on graph_claim (workspace_no, subject) where subject <> ''`
})

/** Puts a table in the place of the one that it was filled from. */
const takePlace = (table: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const made = `${table}_numbered`
    yield* sql`drop table ${sql(table)}`
    yield* sql`alter table ${sql(made)} rename to ${sql(table)}`
    yield* dialect(sql).onPostgres(sql`alter index ${sql(`${made}_pkey`)} rename to ${sql(`${table}_pkey`)}`)
  })

/** As in 0031, for the tables as they are now. */
const statistics: ReadonlyArray<readonly [table: string, index: string, rows: string]> = [
  ["id_number", "id_number", "300000 75000 1"],
  ["id_number", "id_number_number", "300000 75000 1"],
  ["mention", "mention", "2000000 500000 25 4 2 1"],
  ["mention", "mention_entity", "2000000 500000 20 3 2 1"],
  ["graph_claim", "graph_claim", "1000000 250000 12 1"],
  ["graph_claim", "graph_claim_key", "1000000 250000 5"],
  ["graph_claim", "graph_claim_word", "1000000 250000 5"],
  ["graph_claim", "graph_claim_subject", "10000 2500 5"]
]
