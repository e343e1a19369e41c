/** Counters of cached answers that a change removed, by what changed; the database maintains them. */
export const invalidationCounts = {
  byDocument: "invalidated_document",
  byEntity: "invalidated_entity",
  byPolicy: "invalidated_policy"
} as const
