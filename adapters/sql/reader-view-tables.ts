/** Databases whose statements are rewritten. */
export type Dialect = "sqlite" | "pg"

/** A table as a caller with a view sees it. */
export interface TableView {
  readonly name: string
  readonly select: string
}

/** Makes conditions and table names for a database. */
interface Terms {
  /** The actor who calls. */
  readonly actor: string
  /** The condition that this workspace is that of a table. */
  readonly here: (table: string) => string
  /** The condition that the document with this id may be read; so may ids of other things. */
  readonly readable: (id: string) => string
  /** The condition that no document whose id stands in a text is hidden. */
  readonly namesReadable: (text: string) => string
  /** The same as `readable` for the number of a document. */
  readonly readableNumber: (number: string) => string
  /** The stored table, under whose name its view stands. */
  readonly stored: (table: string) => string
  /** The number of an id. */
  readonly numberOf: (id: string) => string
}

interface Definition {
  /** Views that it reads; they come before it. */
  readonly needs: ReadonlyArray<string>
  readonly select: (terms: Terms) => string
}

/** Rows of a table that belong to one document. */
const ofDocument = (table: string, column: string): Definition => ({
  needs: [],
  select: ({ here, readable, stored }) =>
    `select * from ${stored(table)} where ${here(table)} and ${readable(`${table}.${column}`)}`
})

/** Rows of a table that may stay hidden: what they quote has no document of its own. */
const nothingOf = (table: string): Definition => ({
  needs: [],
  select: ({ here, stored }) => `select * from ${stored(table)} where ${here(table)} and 1 = 0`
})

/** Rows of a table that quote the documents of another one. */
const quoting = (table: string, sources: string, key: string): Definition => ({
  needs: [],
  select: ({ here, readable, stored }) =>
    `select * from ${stored(table)} where ${here(table)} and not exists (select 1 from ${stored(sources)}
      where ${here(sources)} and ${sources}.${key} = ${table}.id and not ${readable(`${sources}.document_id`)})`
})

/** Claims of the name that an entity of one of several documents shares with others, and whether one is left. */
const sharedClaims = (here: Terms["here"]) =>
  `from graph_claim c where ${here("c")} and c.key = substr(entity.claim_key, 1, length(entity.claim_key) - 31)
    and c.role = 'self' and c.type = entity.claim_type`
const isHomonym = `entity.claim_key is not null and substr(entity.claim_key, length(entity.claim_key) - 30, 5) = '\ndoc_'`

/** Columns of an entity; ranks are those of the whole graph and are not shown. */
const entityColumns = (here: Terms["here"]) => `workspace_id, id, seq,
  case when ${isHomonym} and 1 = (select count(*) ${sharedClaims(here)})
    then (select min(c.name) ${sharedClaims(here)}) else name end as name, type,
  case when ${isHomonym} and 1 = (select count(*) ${sharedClaims(here)})
    then (select min(c.key) ${sharedClaims(here)}) else name_norm end as name_norm, name_key, origin, description, authority, lifecycle,
  owner_id, steward_ids, version, last_reviewed_at, next_review_at, superseded_by, editorial_note, person_fields, touched,
  claim_type, claim_key, merged_ids, merged_into, head_id, deleted_at, retired, cast(null as double precision) as pagerank,
  created_at, updated_at`

const definitions: Readonly<Record<string, Definition>> = {
  document: ofDocument("document", "id"),
  document_tag: ofDocument("document_tag", "document_id"),
  document_content: ofDocument("document_content", "document_id"),
  document_version: ofDocument("document_version", "document_id"),
  chunk: ofDocument("chunk", "document_id"),
  graph_document: ofDocument("graph_document", "document_id"),
  graph_target: {
    needs: [],
    select: ({ here, readable, stored }) =>
      `select * from ${stored("graph_target")} where ${here("graph_target")}
        and ${readable("graph_target.document_id")} and ${readable("graph_target.target_id")}`
  },
  graph_claim: {
    needs: [],
    select: ({ here, readableNumber, stored }) =>
      `select * from ${stored("graph_claim")} where ${here("graph_claim")} and ${readableNumber("graph_claim.document_no")}`
  },
  mention: {
    needs: [],
    select: ({ here, readableNumber, stored }) =>
      `select * from ${stored("mention")} where ${here("mention")} and ${readableNumber("mention.document_no")}`
  },
  // An entity of documents is one whose name stands in a readable one: as its subject, in its text, or as a claim.
  entity: {
    needs: ["graph_claim", "mention"],
    select: ({ here, numberOf, readable, stored }) =>
      `select ${entityColumns(here)} from ${stored("entity")} where ${here("entity")} and (
        entity.origin <> 'extraction' or entity.person_fields like '%"name"%'
        or (${isHomonym} and ${readable("substr(entity.claim_key, length(entity.claim_key) - 29)")})
        or exists (select 1 from mention m where ${here("m")} and m.entity_no = ${numberOf("entity.id")}
          and m.key = entity.name_key)
        or exists (select 1 from graph_claim c where ${here("c")} and c.key = entity.claim_key
          and c.name = entity.name))`
  },
  entity_alias: {
    needs: ["entity", "mention", "graph_claim"],
    select: ({ here, numberOf, stored }) =>
      `select entity_alias.* from ${stored("entity_alias")} where ${here("entity_alias")} and (
        entity_alias.extracted = 0
        or exists (select 1 from mention m where ${here("m")} and m.entity_no = ${numberOf("entity_alias.entity_id")}
          and m.key = entity_alias.alias_key)
        or exists (select 1 from entity e join graph_claim c on ${here("c")} and c.subject = e.claim_key
          where ${here("e")} and e.id = entity_alias.entity_id and c.name = entity_alias.alias))
        and exists (select 1 from entity o where ${here("o")} and o.id = entity_alias.entity_id)`
  },
  graph_surface: {
    needs: ["entity", "mention"],
    select: ({ here, stored }) =>
      `select * from ${stored("graph_surface")} where ${here("graph_surface")}
        and exists (select 1 from entity e where ${here("e")} and e.id = graph_surface.entity_id)`
  },
  relation_evidence: ofDocument("relation_evidence", "document_id"),
  relation: {
    needs: ["entity", "relation_evidence"],
    select: ({ here, stored }) =>
      `select * from (select relation.workspace_id, relation.id, relation.src_id, relation.type, relation.dst_id,
          relation.origin, relation.note, relation.src_head, relation.dst_head,
          (select count(*) from relation_evidence v where ${here("v")} and v.relation_id = relation.id) as evidence_count,
          relation.deleted_at, relation.created_at
        from ${stored("relation")} where ${here("relation")}
          and exists (select 1 from entity s where ${here("s")} and s.id = coalesce(relation.src_head, relation.src_id))
          and exists (select 1 from entity d where ${here("d")} and d.id = coalesce(relation.dst_head, relation.dst_id))
          and exists (select 1 from entity f where ${here("f")} and f.id = relation.src_id)
          and exists (select 1 from entity t where ${here("t")} and t.id = relation.dst_id)) as seen
        where seen.origin <> 'extraction' or seen.evidence_count > 0`
  },
  edge: {
    needs: ["relation"],
    select: ({ here }) =>
      `select r.workspace_id, r.src_head as src_id, r.type, r.dst_head as dst_id,
          cast(sum(r.evidence_count + case when r.origin = 'extraction' then 0 else 1 end) as integer) as mention_count
        from relation r where ${here("r")} and r.src_head is not null and r.dst_head is not null
          and r.dst_head <> r.src_head and r.deleted_at is null
        group by r.workspace_id, r.src_head, r.type, r.dst_head`
  },
  edge_type: {
    needs: ["edge"],
    select: () =>
      `select workspace_id, entity_id, type, sum(mention_count) as mention_count from (
          select workspace_id, src_id as entity_id, type, mention_count from edge
          union all select workspace_id, dst_id, type, mention_count from edge) as ends
        group by workspace_id, entity_id, type`
  },
  // Revisions written by extraction are left out: they may name things that only hidden documents mention.
  entity_revision: {
    needs: ["entity"],
    select: ({ here, stored }) =>
      `select * from ${stored("entity_revision")} where ${here("entity_revision")}
        and entity_revision.activity not like 'extraction:%'
        and exists (select 1 from entity e where ${here("e")} and e.id = entity_revision.entity_id)`
  },
  change_request: {
    needs: ["entity"],
    select: ({ here, stored }) =>
      `select * from ${stored("change_request")} where ${here("change_request")} and (change_request.entity_id is null
        or exists (select 1 from entity e where ${here("e")} and e.id = change_request.entity_id))`
  },
  contradiction: {
    needs: [],
    select: ({ here, readable, stored }) =>
      `select * from ${stored("contradiction")} where ${here("contradiction")}
        and ${readable("contradiction.first_document")} and ${readable("contradiction.second_document")}`
  },
  // Questions of others name what they know, and a model was given passages that its answer does not cite.
  answer: {
    needs: [],
    select: (terms) =>
      `${quoting("answer", "answer_source", "answer_id").select(terms)} and answer.asked_by = ${terms.actor}`
  },
  answer_source: {
    needs: ["answer"],
    select: ({ here, readable, stored }) =>
      `select * from ${stored("answer_source")} where ${here("answer_source")}
        and ${readable("answer_source.document_id")}
        and exists (select 1 from answer q where ${here("q")} and q.id = answer_source.answer_id)`
  },
  answer_feedback: {
    needs: ["answer"],
    select: ({ here, stored }) =>
      `select * from ${stored("answer_feedback")} where ${here("answer_feedback")}
        and exists (select 1 from answer q where ${here("q")} and q.id = answer_feedback.answer_id)`
  },
  // Parameters name what others asked for. A record ends with the actor, whatever its parameters say.
  data_call: {
    needs: [],
    select: ({ actor, here, stored }) => {
      const end = `'"calledBy":"' || cast(${actor} as text) || '"}'`
      return `select * from ${stored("data_call")} where ${here("data_call")}
        and substr(data_call.record, length(data_call.record) - length(${end}) + 1) = ${end}`
    }
  },
  policy_decision_source: ofDocument("policy_decision_source", "document_id"),
  // A trace names passages and things that were found and not cited; others may have found more.
  policy_decision: {
    needs: [],
    select: (terms) =>
      `${quoting("policy_decision", "policy_decision_source", "decision_id").select(terms)}
        and exists (select 1 from ${terms.stored("answer")} where ${terms.here("answer")}
          and answer.id = policy_decision.answer_id and answer.asked_by = ${terms.actor})`
  },
  answer_cache_entry: {
    needs: [],
    select: ({ here, readable, stored }) =>
      `select * from ${stored("answer_cache_entry")} where ${here("answer_cache_entry")} and not exists (
        select 1 from ${stored("answer_cache_document")} where ${here("answer_cache_document")}
          and answer_cache_document.entry_id = answer_cache_entry.id
          and not ${readable("answer_cache_document.document_id")})`
  },
  external_item: ofDocument("external_item", "document_id"),
  // Progress counts documents, and an error may name one.
  job: {
    needs: [],
    select: ({ here, readable, stored }) =>
      `select workspace_id, id, kind, subject_id, payload, status, priority, attempt, max_attempts, run_at, lease_owner,
          lease_token, lease_until, cast(null as text) as progress, cast(null as text) as error, dedupe_key, origin,
          created_at, started_at, finished_at
        from ${stored("job")} where ${here("job")} and (subject_id is null or ${readable("job.subject_id")})`
  },
  // Syncs count items and their messages name them, some of which are no documents.
  sync_run: nothingOf("sync_run"),
  sync_finding: nothingOf("sync_finding"),
  // A proposed document quotes its sources.
  proposal: {
    needs: [],
    select: ({ here, namesReadable, readable, stored }) =>
      `select * from ${stored("proposal")} where ${here("proposal")} and ${namesReadable("proposal.sources")}
        and (proposal.doc_id is null or ${readable("proposal.doc_id")})`
  },
  judgment: ofDocument("judgment", "document_id"),
  judgment_label: ofDocument("judgment_label", "document_id"),
  // An item is named by the ids of what it is about.
  inbox_mark: {
    needs: ["entity", "change_request", "contradiction", "proposal"],
    select: ({ here, namesReadable, stored }) =>
      `select * from ${stored("inbox_mark")} where ${here("inbox_mark")} and ${namesReadable("inbox_mark.item_id")}
        and (inbox_mark.item_id not like 'ent\\_%' escape '\\'
          or (exists (select 1 from entity e where ${here("e")} and e.id = substr(inbox_mark.item_id, 1, 30))
            and (length(inbox_mark.item_id) = 30 or exists (select 1 from entity p where ${here("p")}
              and p.id = substr(inbox_mark.item_id, 32, 30)))))
        and (inbox_mark.kind <> 'change_request' or exists (select 1 from change_request q where ${here("q")}
          and q.id = inbox_mark.item_id))
        and (inbox_mark.kind <> 'contradiction' or exists (select 1 from contradiction k where ${here("k")}
          and k.id = inbox_mark.item_id))
        and (inbox_mark.kind <> 'proposal' or exists (select 1 from proposal o where ${here("o")}
          and o.id = inbox_mark.item_id))`
  },
  // An evaluation searches the whole workspace.
  eval_run: nothingOf("eval_run"),
  eval_topic: nothingOf("eval_topic"),
  // A report shows what its maker could read.
  report: {
    needs: [],
    select: ({ actor, here, stored }) =>
      `select * from ${stored("report")} where ${here("report")} and report.created_by = ${actor}`
  },
  // Steps hold what tools read; others may have read more.
  agent_run: {
    needs: [],
    select: ({ actor, here, stored }) =>
      `select * from ${stored("agent_run")} where ${here("agent_run")} and agent_run.actor = ${actor}`
  },
  agent_citation: ofDocument("agent_citation", "document_id"),
  // Details of other subjects are left out: they count and name things of hidden documents too. So are events of
  // extraction, which follow changes of any document.
  audit: {
    needs: ["entity", "relation", "change_request", "contradiction"],
    select: ({ here, readable, stored }) =>
      `select workspace_id, seq, id, action, actor, activity, subject_id, at,
          case when substr(audit.subject_id, 1, 4) in ('doc_', 'ent_', 'rel_', 'ctr_', 'usr_', 'key_')
            or substr(audit.subject_id, 1, 3) in ('cr_', 'ws_') then details else '{}' end as details,
          request_id, prev_hash, hash
        from ${stored("audit")} where ${here("audit")} and ${readable("audit.subject_id")}
        and audit.activity not like 'extraction:%'
        and (audit.subject_id not like 'ent\\_%' escape '\\'
          or exists (select 1 from entity e where ${here("e")} and e.id = audit.subject_id))
        and (audit.subject_id not like 'rel\\_%' escape '\\'
          or exists (select 1 from relation r where ${here("r")} and r.id = audit.subject_id))
        and (audit.subject_id not like 'cr\\_%' escape '\\'
          or exists (select 1 from change_request q where ${here("q")} and q.id = audit.subject_id))
        and (audit.subject_id not like 'ctr\\_%' escape '\\'
          or exists (select 1 from contradiction k where ${here("k")} and k.id = audit.subject_id))`
  }
}

/** Returns the tables with views that a statement names. */
export const viewedTables = (text: string): ReadonlyArray<string> => [...new Set(text.match(pattern) ?? [])]

const pattern = new RegExp(`(?<![.\\w])(?:${Object.keys(definitions).join("|")})(?!\\w)`, "g")

/** Returns the views of these tables, each after those that it reads. */
export const tableViews = (tables: ReadonlyArray<string>, dialect: Dialect): ReadonlyArray<TableView> => {
  const terms = termsOf(dialect)
  const made = new Map<string, string>()
  const add = (name: string): void => {
    const definition = definitions[name]
    if (definition === undefined || made.has(name)) return
    for (const needed of definition.needs) add(needed)
    made.set(name, definition.select(terms))
  }
  for (const table of tables) add(table)
  return [...made].map(([name, select]) => ({ name, select }))
}

const termsOf = (dialect: Dialect): Terms => {
  const [workspace, lists, actor] = ["@viewed_workspace", "@viewed_lists", "@viewed_actor"]
  const here = (table: string) => `${table}.workspace_id = ${workspace}`
  const among =
    dialect === "sqlite"
      ? `(select value from json_each(${lists}))`
      : `(select value from json_array_elements_text(${lists}::json))`
  const denied = (where: string, from = "") =>
    `not exists (select 1 from ${from}document_access a where ${here("a")} and ${where}
      and a.list_id is not null and a.list_id not in ${among})`
  return {
    actor,
    here,
    readable: (id) => denied(`a.document_id = ${id}`),
    namesReadable: (text) => denied(`${text} like '%' || a.document_id || '%'`),
    readableNumber: (number) =>
      denied(
        `n.workspace_id = ${workspace} and n.number = ${number} and a.document_id = n.id`,
        "id_number n cross join "
      ),
    // A view of SQLite that reads its own name would be circular.
    stored: (table) => (dialect === "sqlite" ? `main.${table} as ${table}` : table),
    numberOf: (id) => `(select n.number from id_number n where ${here("n")} and n.id = ${id})`
  }
}
