import { type Damage, orchard, orchardNo, run } from "./harm.js"

/** Every kind of damage to entities and the graph. */
export const graphDamages: ReadonlyArray<Damage> = [
  [
    "row_unreadable",
    "lists of entities that are no JSON, and states that there are not",
    run(
      "update entity set steward_ids = '[', person_fields = 'x', merged_ids = '' where name = 'Master Bo'",
      "update entity set authority = 'divine', lifecycle = 'new', origin = 'elsewhere' where name = 'Mistress Ada'"
    )
  ],
  [
    "row_unreadable",
    "a workspace whose number is gone, by which much is kept",
    run("update workspace set number = null")
  ],
  [
    "graph_unattended",
    "a graph that is behind, and no job",
    run("update graph_state set document_cursor = 1")
  ],
  [
    "graph_cursor_ahead",
    "a graph that believes to be further",
    run("update graph_state set document_cursor = 100000")
  ],
  [
    "graph_rows_stray",
    "mentions of nobody",
    run(
      "insert into mention select number, 4001, 1, 0, 3, 4002, 'x', 1, null from workspace",
      "insert into graph_claim select number, 4001, 1, 'x', 'tag', 'concept', 'X', '', null, 0, 0 from workspace"
    )
  ],
  [
    "graph_rows_stray",
    "mentions and claims whose numbers say nothing any more",
    run(
      `delete from id_number where id = ${orchard}`,
      "delete from id_number where id > 'ent_' and number % 2 = 0"
    )
  ],
  [
    "graph_rows_stray",
    "a run that none can follow",
    run(
      "update extraction_run set number = 2147483647 where number = (select max(number) from extraction_run)"
    )
  ],
  ["graph_rows_stray", "runs that are gone", run("delete from extraction_run")],
  ["graph_rows_stray", "runs of what are no jobs", run("update extraction_run set job_id = 'x' || number")],
  [
    "row_unreadable",
    "texts where bytes belong",
    run(
      `update graph_document set words = 'x', small = 'y' where document_id = ${orchard}`,
      `update document_content set bytes = 'x' where document_id = ${orchard}`,
      "update vector set vector = 'x' where label = 1",
      "update vector_artefact set bytes = 'x'"
    )
  ],
  [
    "readings_differ",
    "a reading that is gone",
    run(`delete from graph_document where document_id = ${orchard}`)
  ],
  [
    "readings_differ",
    "a reading with other facts",
    run(
      `update graph_document set facts = (select g.facts from graph_document g where g.path = 'quarry.md') where document_id = ${orchard}`
    )
  ],
  [
    "readings_differ",
    "claims that are gone",
    run(`delete from graph_claim where document_no = ${orchardNo} and role = 'tag'`)
  ],
  [
    "readings_differ",
    "a claim that stands twice",
    run(
      `insert into graph_claim select workspace_id, document_no, ordinal + 1000, key, role, type, name, subject,
        word_hash, prose_count, heading_count from graph_claim where document_no = ${orchardNo} and role <> 'link'`,
      `insert into graph_claim select workspace_id, document_no, ordinal + 2000, key, role, type, name, subject,
        word_hash, prose_count, heading_count from graph_claim where document_no = ${orchardNo} and role = 'link'`
    )
  ],
  [
    "names_differ",
    "an entity that no document names",
    run(
      "update entity set claim_key = 'nobody says this', name = 'X', name_norm = 'x', name_key = 'x' where name = 'Selborne Estate'"
    )
  ],
  [
    "names_differ",
    "entities that documents call something else",
    run(
      "update entity set claim_key = 'something else' where name = 'Selborne Estate'",
      "update entity set claim_type = 'x' where name = 'site'"
    )
  ],
  [
    "surfaces_differ",
    "a surface that is gone",
    run("delete from graph_surface where key = (select min(key) from graph_surface)")
  ],
  ["mentions_differ", "mentions that are gone", run(`delete from mention where document_no = ${orchardNo}`)],
  [
    "relations_differ",
    "evidence that is gone",
    run(`delete from relation_evidence where document_id = ${orchard}`)
  ],
  [
    "relations_differ",
    "evidence at a place that none can have",
    run(`update relation_evidence set ordinal = -1 where ordinal = 0 and document_id = ${orchard}`)
  ],
  [
    "relations_differ",
    "evidence at a place beyond all that there can be",
    run(`update relation_evidence set ordinal = 2147483648 where ordinal = 0 and document_id = ${orchard}`)
  ],
  ["relations_differ", "a relation that counts wrongly", run("update relation set evidence_count = 40")],
  ["edges_differ", "edges that are gone", run("delete from edge where type = 'tagged'")],
  [
    "edges_differ",
    "types of edges that are counted wrongly",
    run("update edge_type set mention_count = mention_count + 1 where type = 'tagged'")
  ],
  ["ranks_differ", "ranks that were never computed", run("update entity set pagerank = null")],
  [
    "entity_unrevised",
    "a name that no revision tells of",
    run("update entity set description = 'Somebody else.' where name = 'Master Bo'")
  ],
  [
    "entity_unrevised",
    "an entity that was merged into what is none",
    run("update entity set merged_into = 'x', superseded_by = 'y' where name = 'Master Bo'")
  ],
  ["entity_unrevised", "aliases that are gone", run("delete from entity_alias where alias = 'Ada'")],
  [
    "entity_id_impossible",
    "an entity whose id somebody made up",
    run("update entity set id = 'nonsense' where name = 'Mistress Ada'")
  ],
  [
    "entity_lost",
    "an entity that is gone",
    run("delete from entity where name = 'Mistress Ada'", "delete from entity_alias where alias = 'Ada'")
  ],
  [
    "entity_lost",
    "an entity that is under an id of nobody",
    run("update entity set id = 'ent_00000000000000000000000000' where name = 'Mistress Ada'")
  ],
  [
    "entity_head_differs",
    "an entity that counts as another",
    run(
      "update entity set head_id = (select id from entity where name = 'Mistress Ada') where name = 'Master Bo'"
    )
  ],
  [
    "entity_misfiled",
    "an entity that is not found by its name",
    run("update entity set name_key = 'x' where name = 'Master Bo'")
  ],
  [
    "entity_aliases_stray",
    "aliases of nobody",
    run(
      "insert into entity_alias select workspace_id, 'ent_x', 'x', 'X', 'x', 0 from (select id as workspace_id from workspace)"
    )
  ]
]
