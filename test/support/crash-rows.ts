import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { inflateRawSync } from "node:zlib"
import { hasRows, openRows, type Place, type Rows } from "./crash-database.js"
import { sha256 } from "./crash-state.js"

/** Statements that find what must not be: each row is one thing that is wrong. */
const wrongs: Readonly<Record<string, string>> = {
  "a file operation is still owed": "select kind, path from file_intent",
  "a passage of no live document": `select c.id from chunk c left join document d
    on d.workspace_id = c.workspace_id and d.id = c.document_id where d.id is null or d.deleted_at is not null`,
  "a live document without passages": `select path from document d where deleted_at is null
    and not exists (select 1 from chunk c where c.workspace_id = d.workspace_id and c.document_id = d.id)`,
  "two passages at one place": "select document_id, ordinal from chunk group by 1, 2 having count(*) > 1",
  "a live document without its bytes": `select path from document d where deleted_at is null
    and not exists (select 1 from document_content c where c.document_id = d.id)`,
  "bytes of no document":
    "select document_id from document_content where document_id not in (select id from document)",
  "a tag of no document":
    "select document_id from document_tag where document_id not in (select id from document)",
  "a segment without directory": `select id from posting_segment s
    where not exists (select 1 from posting_directory d where d.segment_id = s.id)`,
  "a directory of no segment":
    "select segment_id from posting_directory where segment_id not in (select id from posting_segment)",
  "a block of no segment":
    "select distinct segment_id from posting_block where segment_id not in (select id from posting_segment)",
  "removed passages of no segment":
    "select segment_id from posting_dead where segment_id not in (select id from posting_segment)",
  "a gap in the blocks of a segment":
    "select segment_id from posting_block group by 1 having max(ordinal) + 1 <> count(*)",
  "postings that are not as many as passages": `select postings, passages from (select
    (select coalesce(sum(chunk_count - dead_count), 0) from posting_segment) as postings,
    (select count(*) from chunk) as passages) as counts where postings <> passages`,
  "a vector of no passage": `select v.label from vector v join vector_model m
    on m.model = v.model and m.state <> 'dropped' left join chunk c on c.label = v.label and c.document_id = v.document_id
    where v.vector is not null and c.label is null`,
  "a passage without vector": `select c.label from chunk c where not exists (select 1 from vector v
    join vector_model m on m.model = v.model and m.state = 'active' where v.label = c.label and v.vector is not null)`,
  "a model that is not the active one":
    "select id, state from vector_model where state not in ('active', 'beside')",
  "a vector of no model":
    "select distinct model from vector where model not in (select model from vector_model)",
  "vectors that lag behind": `select m.document_seq, max(d.seq) from vector_model m, document d
    where m.state = 'active' group by m.document_seq having m.document_seq < max(d.seq)`,
  "a mention of no passage": `select m.document_no, m.label from mention m
    left join id_number d on d.workspace_id = m.workspace_id and d.number = m.document_no
    left join chunk c on c.label = m.label and c.document_id = d.id where c.label is null`,
  "a mention outside of its passage": `select m.document_no from mention m join chunk c on c.label = m.label
    where m.start_offset < 0 or m.end_offset > length(c.text) or m.start_offset >= m.end_offset`,
  "a mention of no live entity": `select m.entity_no from mention m
    left join id_number n on n.workspace_id = m.workspace_id and n.number = m.entity_no
    left join entity e on e.id = n.id left join entity h on h.id = e.head_id where h.id is null or h.deleted_at is not null`,
  "evidence of no live document": `select r.document_id from relation_evidence r left join document d
    on d.id = r.document_id where d.id is null or d.deleted_at is not null`,
  "evidence of no relation":
    "select relation_id from relation_evidence where relation_id not in (select id from relation)",
  "evidence in no passage": `select label from relation_evidence
    where label is not null and label not in (select label from chunk)`,
  "a count of evidence that is wrong": `select r.id from relation r where evidence_count <>
    (select count(*) from relation_evidence e where e.relation_id = r.id)`,
  "a relation that nothing carries": `select id from relation where deleted_at is null and origin = 'extraction'
    and evidence_count = 0`,
  "a relation without its entities": `select id from relation where src_id not in (select id from entity)
    or dst_id not in (select id from entity)`,
  "a relation whose end is not the head": `select r.id from relation r join entity s on s.id = r.src_id
    join entity d on d.id = r.dst_id left join entity sh on sh.id = s.head_id left join entity dh on dh.id = d.head_id
    where coalesce(r.src_head, '') <> case when s.deleted_at is null and sh.deleted_at is null then s.head_id else '' end
      or coalesce(r.dst_head, '') <> case when d.deleted_at is null and dh.deleted_at is null then d.head_id else '' end`,
  "edges other than the relations give": `select * from (select src_head as a, type as b, dst_head as c,
      sum(evidence_count + case when origin = 'extraction' then 0 else 1 end) as n from relation
      where src_head is not null and dst_head is not null and src_head <> dst_head and deleted_at is null
      group by 1, 2, 3 except select src_id, type, dst_id, mention_count from edge) as missing
    union all select * from (select src_id, type, dst_id, mention_count from edge except select src_head, type, dst_head,
      sum(evidence_count + case when origin = 'extraction' then 0 else 1 end) from relation
      where src_head is not null and dst_head is not null and src_head <> dst_head and deleted_at is null
      group by 1, 2, 3) as surplus`,
  "counts of types other than the edges give": `select * from (select entity_id, type, sum(n) as n from (
      select src_id as entity_id, type, mention_count as n from edge union all select dst_id, type, mention_count from edge)
      as ends group by 1, 2 except select entity_id, type, mention_count from edge_type) as missing
    union all select * from (select entity_id, type, mention_count from edge_type except select entity_id, type, sum(n) from (
      select src_id as entity_id, type, mention_count as n from edge union all select dst_id, type, mention_count from edge)
      as ends group by 1, 2) as surplus`,
  "a live document that extraction has not read": `select path from document where deleted_at is null
    and id not in (select document_id from graph_document)`,
  "a reading of no live document": `select document_id from graph_document
    where document_id not in (select id from document where deleted_at is null)`,
  "a claim of no live document": `select distinct c.document_no from graph_claim c
    left join id_number n on n.workspace_id = c.workspace_id and n.number = c.document_no
    left join document d on d.id = n.id and d.deleted_at is null where d.id is null`,
  "a number of what is not there": `select id from id_number where id not in (select id from entity)
    and id not in (select id from document where deleted_at is null)`,
  "work that extraction owes": `select 'stale', document_id from graph_document where stale = 1
    union all select 'undecided', key from graph_undecided`,
  "an entity whose versions and revisions differ": `select e.id, e.version from entity e where e.version <>
    (select count(*) from entity_revision r where r.entity_id = e.id) or e.version <>
    (select max(version) from entity_revision r where r.entity_id = e.id)`,
  "an entity whose versions and audit differ": `select e.id, e.version from entity e where e.version <>
    (select count(*) from audit a where a.subject_id = e.id)`,
  "a revision of no entity":
    "select entity_id from entity_revision where entity_id not in (select id from entity)",
  "an alias of no entity":
    "select entity_id from entity_alias where entity_id not in (select id from entity)",
  "two live entities of one name": `select type, name_norm from entity where deleted_at is null and merged_into is null
    group by 1, 2 having count(*) > 1`,
  "ranks that do not sum to one": `select total from (select sum(pagerank) as total from entity
    where deleted_at is null and merged_into is null) as ranks where abs(total - 1) > 1e-6`,
  "an entity without rank": `select id from entity where deleted_at is null and merged_into is null and pagerank is null`,
  "a document without its birth in the audit": `select path from document d where 1 <>
    (select count(*) from audit a where a.subject_id = d.id and a.action = 'document.create')`,
  "a document whose versions and audit differ": `select path, version from document d where d.version <>
    (select count(distinct json_extract(a.details, '$.version')) from audit a where a.subject_id = d.id)
    or d.version <> (select cast(json_extract(a.details, '$.version') as integer) from audit a
      where a.subject_id = d.id order by a.id desc limit 1)`,
  "a document whose versions are not as many as its number": `select d.path, d.version from document d where d.version <>
    (select count(*) from document_version v where v.document_id = d.id)`,
  "a present version that is not the text of its document": `select d.path from document d where not exists
    (select 1 from document_version v where v.document_id = d.id and v.version = d.version
      and v.content_hash = d.content_hash and v.verification is null)`,
  "an older version without its text": `select v.document_id, v.version from document_version v
    join document d on d.id = v.document_id where v.version < d.version and (v.verification is null
      or not exists (select 1 from document_text t where t.content_hash = v.content_hash))`,
  "a version of no document":
    "select document_id from document_version where document_id not in (select id from document)",
  "a text of no version": `select content_hash from document_text where content_hash not in
    (select content_hash from document_version where verification is not null)`,
  "a document whose verification and audit differ": `select path, verification from document d
    where verification <> coalesce((select json_extract(a.details, '$.verification.to') from audit a
      where a.subject_id = d.id and json_extract(a.details, '$.verification') is not null
      order by a.id desc limit 1), 'unverified')`,
  "a document whose last audit event says something else": `select d.path, a.action from document d
    join audit a on a.subject_id = d.id and a.id = (select max(id) from audit b where b.subject_id = d.id)
    where (a.action = 'document.delete') <> (d.deleted_at is not null)
      or json_extract(a.details, '$.path') <> d.path`,
  "an audit event of nothing": `select action, subject_id from audit where subject_id not in
    (select id from document union all select id from entity union all select id from relation
      union all select id from change_request) and action not like 'skos.%'`,
  "a concept of no entity": "select iri from concept where entity_id not in (select id from entity)",
  "an entity of a vocabulary without its concept": `select name from entity where origin = 'import'
    and id not in (select entity_id from concept)`,
  "a concept without what is above it": `select c.iri from concept c where c.iri like 'urn:crash:below:%'
    and not exists (select 1 from relation r join concept a on a.entity_id = r.dst_id where r.src_id = c.entity_id
      and r.type = 'broader' and a.iri = replace(c.iri, ':below:', ':above:'))`,
  "an import of a vocabulary that is not over":
    "select import_id, iri from vocabulary_staged union all select id, '' from vocabulary_import where next_link < total",
  "a stated relation without audit": `select id from relation r where origin <> 'extraction' and not exists
    (select 1 from audit a where a.subject_id = r.id and a.action = 'relation.create')`,
  "an approved request without its change": `select id from change_request r where status = 'approved' and not exists
    (select 1 from entity_revision v where v.entity_id = r.applied_entity_id and v.activity = 'change_request:' || r.id)`,
  "a change of a request that nobody approved": `select activity from entity_revision
    where activity like 'change_request:%' and substr(activity, 16) not in
      (select id from change_request where status = 'approved')`,
  "a request whose decision and audit differ": `select id, status from change_request r
    where (select count(*) from audit a where a.subject_id = r.id) <> case status when 'open' then 1 else 2 end
      or (status = 'open') <> (reviewed_at is null)`,
  "a job that waits, runs or is dead": `select kind, status, error from job where status not in ('succeeded', 'cancelled')`
}

/** Everything that is wrong with rows and files of a workspace at rest, one line each. */
export const wrongsOf = async (place: Place): Promise<ReadonlyArray<string>> => {
  const rows = await openRows(place)
  try {
    const damage = rows.damage()
    const wrong = damage === null ? [] : [`the database is damaged: ${damage}`]
    for (const [what, statement] of Object.entries(wrongs)) {
      const found = await rows.all(statement)
      wrong.push(...found.slice(0, 3).map((row) => `${what}: ${JSON.stringify(row)}`))
    }
    return [...wrong, ...(await filesAgainstRows(place, rows)), ...(await leftovers(place, rows))]
  } finally {
    await rows.close()
  }
}

/** Markdown files of a vault by their vault paths. */
const markdownIn = (vault: string): ReadonlyMap<string, Buffer> =>
  new Map(
    readdirSync(vault, { recursive: true, withFileTypes: true }).flatMap((entry) => {
      const full = join(entry.parentPath, entry.name)
      const path = full.slice(vault.length + 1)
      const own = path.split("/").some((part) => part.startsWith("."))
      return entry.isFile() && path.endsWith(".md") && !own ? [[path, readFileSync(full)] as const] : []
    })
  )

const filesAgainstRows = async ({ vault }: Place, rows: Rows): Promise<ReadonlyArray<string>> => {
  const files = markdownIn(vault)
  const documents = await rows.all<{
    id: string
    path: string
    content_hash: string
    bytes: Buffer | null
  }>(
    `select id, path, content_hash, bytes from document left join document_content on document_id = id
      where deleted_at is null`
  )
  const passages = await rows.all<{ text: string; path: string }>(
    "select text, path from chunk c join document d on d.id = c.document_id"
  )
  const known = new Set(documents.map(({ path }) => path))
  return [
    ...[...files.keys()].filter((path) => !known.has(path)).map((path) => `a file without document: ${path}`),
    ...documents.flatMap(({ bytes, content_hash, path }) => {
      const file = files.get(path)
      if (file === undefined) return [`a document without file: ${path}`]
      return [
        ...(sha256(file) === content_hash ? [] : [`file and row differ: ${path}`]),
        ...(bytes !== null && sha256(inflateRawSync(bytes)) === content_hash
          ? []
          : [`kept bytes differ: ${path}`])
      ]
    }),
    ...passages
      .filter(({ path, text }) => !(files.get(path)?.toString("utf8") ?? "").includes(lastLine(text)))
      .map(({ path }) => `a passage that its file does not hold: ${path}`)
  ]
}

const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1) ?? ""

/** Temporary files of the vector index that its next writing has not removed. */
const forgotten = (folder: string): ReadonlyArray<string> => {
  if (!existsSync(folder)) return []
  const written = (path: string) => statSync(path).mtimeMs
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap(({ name, parentPath }) => {
    const manifest = join(parentPath, "manifest.json")
    if (!name.endsWith(".tmp") || !existsSync(manifest)) return []
    return written(manifest) > written(join(parentPath, name)) ? [name] : []
  })
}

/** Temporary files, and files in the trash of documents that are not in it. */
const leftovers = async ({ data, vault }: Place, rows: Rows): Promise<ReadonlyArray<string>> => {
  const below = (folder: string) =>
    existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : []
  const deleted = await rows.all<{ id: string }>("select id from document where deleted_at is not null")
  const trashed = new Set(deleted.map(({ id }) => `${id}.md`))
  return [
    ...below(join(vault, ".kanon", "staged")).map((name) => `a temporary file: ${name}`),
    ...below(join(vault, ".kanon", "trash"))
      .filter((name) => !trashed.has(name))
      .map((name) => `a file in the trash of a live document: ${name}`),
    ...forgotten(join(data, "vectors")).map((name) => `a temporary file: ${name}`)
  ]
}

/** Counts the repairs due at the next start: pending file operations, and temporary files without an owner. */
export const owedIn = async (place: Place): Promise<number> => {
  if (!hasRows(place)) return 0
  const rows = await openRows(place)
  try {
    const sources = await rows.all<{ source: string | null }>("select source from file_intent")
    const owned = new Set(sources.map(({ source }) => source))
    const folder = join(place.vault, ".kanon", "staged")
    const staged = existsSync(folder) ? readdirSync(folder) : []
    return sources.length + staged.filter((name) => !owned.has(name)).length
  } catch {
    // Killed while the tables were made: no document can be owed anything.
    return 0
  } finally {
    await rows.close()
  }
}
