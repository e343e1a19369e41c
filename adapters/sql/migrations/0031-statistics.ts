import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/**
 * How many rows a table has where some large workspaces are, and how many of them share the first columns of an index.
 * Without it SQLite takes the rows of a workspace for ten, and walks along all of them rather than look ids up.
 */
const statistics: ReadonlyArray<readonly [table: string, index: string, rows: string]> = [
  ["chunk", "sqlite_autoindex_chunk_1", "1000000 250000 1"],
  ["chunk", "chunk_id", "1000000 250000 1"],
  ["chunk", "chunk_document", "1000000 250000 12 1"],
  ["vector", "sqlite_autoindex_vector_1", "1000000 250000 250000 1"],
  ["vector", "vector_seq", "1000000 250000 250000 1"],
  ["vector", "vector_document", "1000000 250000 250000 12"],
  ["vector", "vector_removed", "1000 250 250 1"],
  ["graph_document", "graph_document", "100000 25000 1"],
  ["graph_document", "graph_document_stale", "1000 250 1"],
  ["graph_document", "graph_document_unfollowed", "1000 250 1"],
  ["graph_document", "graph_document_name", "100000 25000 2"],
  ["graph_target", "graph_target", "200000 50000 5 1"],
  ["graph_target", "graph_target_document", "200000 50000 5"],
  ["graph_claim", "graph_claim", "1000000 250000 5 2 1 1 1 1"],
  ["graph_claim", "graph_claim_document", "1000000 250000 12"],
  ["graph_claim", "graph_claim_link", "100000 25000 5"],
  ["graph_claim", "graph_claim_word", "1000000 250000 5"],
  ["graph_claim", "graph_claim_subject", "10000 2500 5"],
  ["graph_surface", "graph_surface", "200000 50000 2 1"],
  ["mention", "mention", "2000000 500000 25 4 2 1"],
  ["mention", "mention_entity", "2000000 500000 20 3 2 1"],
  ["relation", "relation", "200000 50000 1"],
  ["relation", "relation_edge", "200000 50000 5 3 1"],
  ["relation", "relation_dst", "200000 50000 5"],
  ["relation", "relation_dst_head", "200000 50000 5"],
  ["relation", "relation_along", "200000 50000 5 3 2 1 1"],
  ["relation", "relation_trash", "1000 250 1 1"],
  ["relation_evidence", "relation_evidence", "300000 75000 5 2 1"],
  ["relation_evidence", "relation_evidence_relation", "300000 75000 2"]
]

/** Tells the planner how the data lie. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) => dialect(sql).tellStatistics(statistics))
