import { z } from "zod"
import {
  AsOf,
  DeleteAck,
  DocumentId,
  EntityId,
  operation,
  pageLimit,
  pageOffset,
  RelationId
} from "../../platform/kernel/index.js"
import * as merging from "./merge.js"
import {
  EntityWithCuration,
  MentionPage,
  MergeResult,
  Neighborhood,
  RelationOrigin,
  RelationPage,
  RelationSaveResult,
  relationTypeMax
} from "./model.js"
import { neighborhood } from "./neighborhood.js"
import { entityAt, entityWithCuration, neighborhoodAt } from "./past.js"
import * as relations from "./relations.js"

const paging = { limit: pageLimit, offset: pageOffset }
const RelationType = z.string().trim().min(1).max(relationTypeMax)

/** Returns an entity; the editorial note is empty for callers who may not write. */
export const getEntity = operation({
  name: "getEntity",
  tool: "svc_get_entity",
  summary: "Get an entity with its curation; the id of a merged entity returns its successor.",
  scopes: ["kb:read", "runs:read"],
  effect: "read",
  input: z.object({ id: EntityId, asOf: AsOf.optional() }),
  output: EntityWithCuration,
  faults: ["NotFound", "InvalidInput"],
  run: ({ asOf, id }) => (asOf === undefined ? entityWithCuration(id) : entityAt(id, asOf))
})

/** Deletes an entity with everything merged into it; a merged id means its head. */
export const deleteEntity = operation({
  name: "deleteEntity",
  summary: "Move an entity and its relations to the trash.",
  scopes: ["kb:write"],
  effect: "idempotent",
  input: z.object({ id: EntityId }),
  output: DeleteAck,
  faults: ["NotFound", "Conflict", "ReviewerRequired"],
  run: ({ id }) => merging.deleteEntity(id)
})

/**
 * Returns the neighborhood hop by hop, at most `perHopCap` neighbours per entity and `totalCap` entities; `truncated`
 * reports that a cap was reached.
 */
export const getNeighborhood = operation({
  name: "getNeighborhood",
  tool: "svc_neighborhood",
  summary: "Get the entities related to an entity, most mentioned first.",
  scopes: ["kb:read", "runs:read"],
  effect: "read",
  input: z.object({
    id: EntityId,
    depth: z.int().min(1).max(3).default(1),
    perHopCap: z.int().min(1).max(100).default(25),
    totalCap: z.int().min(1).max(500).default(200),
    asOf: AsOf.optional()
  }),
  output: Neighborhood,
  faults: ["NotFound", "InvalidInput"],
  run: ({ asOf, id, ...caps }) =>
    asOf === undefined ? neighborhood(id, caps) : neighborhoodAt(id, asOf, caps)
})

/**
 * Merges an entity. `dryRun` performs the merge and rolls it back, so its figures are exact. InvalidTransition for a
 * retired target, ReviewerRequired where either has an owner.
 */
export const mergeEntity = operation({
  name: "mergeEntity",
  summary: "Merge an entity into another; its id refers to the other from then on.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({
    id: EntityId,
    intoId: EntityId,
    dryRun: z.boolean().default(false),
    note: z.string().max(4000).optional()
  }),
  output: MergeResult,
  faults: ["NotFound", "InvalidInput", "InvalidTransition", "Conflict", "ReviewerRequired"],
  run: ({ dryRun, id, intoId, note }) => merging.mergeEntities(id, intoId, { dryRun, note })
})

/** Creates a relation; merged ends resolve to their heads. Conflict names the relation that makes the same edge. */
export const createRelation = operation({
  name: "createRelation",
  summary: "Create a relation between two entities.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({
    srcEntityId: EntityId,
    dstEntityId: EntityId,
    type: RelationType,
    evidence: z.string().max(4000).optional()
  }),
  output: RelationSaveResult,
  faults: ["NotFound", "Conflict"],
  run: relations.createRelation
})

/** Deletes a relation; document evidence for it makes no edge until it is restored. */
export const deleteRelation = operation({
  name: "deleteRelation",
  summary: "Move a relation to the trash.",
  scopes: ["kb:write"],
  effect: "idempotent",
  input: z.object({ id: RelationId }),
  output: DeleteAck,
  faults: ["NotFound"],
  run: ({ id }) => relations.deleteRelation(id)
})

/**
 * Lists relations in id order in pages of at most 200, optionally those with an entity at either end. NotFound for an
 * unknown entity.
 */
export const listRelations = operation({
  name: "listRelations",
  summary: "List relations with the passages that support them.",
  scopes: ["kb:read", "runs:read"],
  effect: "read",
  input: z.object({
    entityId: EntityId.optional(),
    type: z.string().optional(),
    origin: RelationOrigin.optional(),
    ...paging
  }),
  output: RelationPage,
  faults: ["NotFound"],
  run: ({ entityId, limit, offset, origin, type }) =>
    relations.listRelations({ entityId, type, origin }, { limit, offset })
})

/** Lists mentions of an entity, in a document, or of the entity in the document; at least one of both is required. */
export const listMentions = operation({
  name: "listMentions",
  summary: "List the mentions of an entity, or the entities that a document mentions.",
  scopes: ["kb:read", "runs:read"],
  effect: "read",
  input: z
    .object({
      entityId: EntityId.optional().describe("Only of this entity. It or `docId` is needed."),
      docId: DocumentId.optional().describe("Only of this document. It or `entityId` is needed."),
      ...paging
    })
    .refine(({ docId, entityId }) => docId !== undefined || entityId !== undefined, {
      message: "entityId or docId is needed."
    }),
  output: MentionPage,
  faults: ["NotFound"],
  run: ({ docId, entityId, limit, offset }) =>
    relations.listMentions({ entityId, documentId: docId }, { limit, offset })
})
