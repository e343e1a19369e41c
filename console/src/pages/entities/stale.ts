import type { Stale } from "../../api/hooks.js"

/** Queries that a change of an entity makes stale. */
export const entityStale: Stale = [
  "getEntity",
  "listEntities",
  "listRevisions",
  "listRelations",
  "listMentions",
  "listDuplicates",
  "listStewardship",
  "getNeighborhood",
  "getManifest",
  "getChangeRequest",
  "listChangeRequests",
  "listTrash",
  "inbox"
]
