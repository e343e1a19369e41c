import base from "./0001-base.js"
import jobs from "./0002-jobs.js"
import lexical from "./0003-lexical.js"
import vectors from "./0004-vectors.js"
import graph from "./0005-graph.js"

/** Every migration, by number and name; append-only. */
export const migrations = {
  "0001_base": base,
  "0002_jobs": jobs,
  "0003_lexical": lexical,
  "0004_vectors": vectors,
  "0005_graph": graph
}
