/**
 * Descriptions of the `svc_` tools for models: when to take one, in the words in which people ask for it, and an example
 * of its arguments. The summaries of the operations are for people who read the interface.
 */
export const descriptions: Readonly<Record<string, string>> = {
  svc_query:
    'Answer a question of the user (who, what, when, how much, why) from the workspace, in claims with citations. Example: {"question": "How long are invoices kept?"}',
  svc_explain_answer:
    'Explain why an answer was given or refused: its decision with reasons and caveats. Example: {"id": "dec_01hx…"}',
  svc_check_grounding:
    'Check whether a text, draft or claim is true by the documents, statement by statement; writes nothing. Example: {"text": "Invoices are kept for 10 years."}',
  svc_list_documents:
    'List or count documents: all, of a folder, recently changed (sort updatedAt), stale or due for review (sort nextVerifyAt). Example: {"sort": "updatedAt", "limit": 20}',
  svc_get_document: 'Read a whole document as Markdown by its id. Example: {"id": "doc_01hx…"}',
  svc_create_document:
    'Create a new page with a title and a text. For one statement take remember. Example: {"title": "Crane", "content": "# Crane\\n\\nIt lifts 40 tonnes."}',
  svc_replace_document:
    'Edit, update or correct an existing page: replace its whole text. Example: {"id": "doc_01hx…", "content": "# Crane\\n\\nNew text."}',
  svc_document_lineage:
    'Show where a document comes from (source, last sync, who verified it) and which answers rest on it. Example: {"id": "doc_01hx…"}',
  svc_search:
    'Find the passages or exact sentences that say something, with snippets. Example: {"q": "gearbox oil interval", "limit": 5}',
  svc_get_chunk: 'Read a passage with the text before and after it. Example: {"id": "chk_01hx…"}',
  svc_resolve_entity:
    'Look up which person, thing or term a name, alias or abbreviation means, and get its id. Example: {"q": "Big Blue"}',
  svc_get_entity:
    'Show an entity: definition, owner, stewards, authority and lifecycle. Example: {"id": "ent_01hx…"}',
  svc_neighborhood:
    'Show what an entity is related, connected or linked to in the graph. Example: {"id": "ent_01hx…"}',
  svc_entity_history:
    'Show the history of an entity: who changed what, and when. Example: {"id": "ent_01hx…"}',
  svc_list_change_requests:
    'List change requests: open proposals that wait for approval, or decided ones. Example: {"status": "open"}',
  svc_propose_change:
    'Propose a change of an entity (rename, new definition, deprecate, supersede) for a person to approve. Example: {"kind": "deprecate", "entityId": "ent_01hx…", "payload": {}}',
  svc_list_data_queries: "List the named queries of live databases with their parameters. Example: {}",
  svc_run_data_query:
    'Run a named query for current numbers from a live database. Example: {"slug": "open-orders", "params": {"customer": "Acme"}}',
  svc_get_data_call:
    'Show the record of one execution of a query: rows, time, caller. Example: {"id": "dcl_01hx…"}',
  svc_list_agents: "List the agents that can be started. Example: {}",
  svc_start_run:
    'Start an agent on a longer task in the background. Example: {"slug": "researcher", "input": "Compare the two cranes."}',
  svc_get_run: 'Show the status, steps and result of an agent run. Example: {"id": "run_01hx…"}'
}
