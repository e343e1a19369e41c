import * as Effect from "effect/Effect"
import { z } from "zod"
import { EntityId, operation, Text, wholeNumber } from "../../platform/kernel/index.js"
import {
  Authority,
  Entity,
  EntityAliases,
  EntityListing,
  EntityName,
  EntityPage,
  EntityType,
  entityLimits,
  Lifecycle
} from "./model.js"
import * as service from "./service.js"

const Description = Text.max(entityLimits.description)

/** Lists live canonical entities; merged ones are represented by their heads. */
export const listEntities = operation({
  name: "listEntities",
  summary: "List the entities of the workspace, highest PageRank first.",
  scopes: ["kb:read", "runs:read"],
  effect: "read",
  input: EntityListing.extend({
    limit: wholeNumber().min(1).default(50).describe("Above 200 is taken as 200."),
    offset: z.int().min(0).default(0)
  }),
  output: EntityPage,
  faults: [],
  run: ({ limit, offset, ...filter }) => service.listEntities({ limit, offset }, filter)
})

/** Creates an asserted, published entity. Conflict names the live entity of this type with the name. */
export const createEntity = operation({
  name: "createEntity",
  summary: "Create an entity; later extraction finds it by its name and aliases.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({
    name: EntityName,
    type: EntityType,
    aliases: EntityAliases.optional(),
    description: Description.optional()
  }),
  output: Entity,
  faults: ["Conflict", "InvalidInput"],
  run: service.createEntity
})

/**
 * Updates the given fields; aliases replace the present list. Extraction no longer changes a field that a person has
 * set.
 */
export const updateEntity = operation({
  name: "updateEntity",
  summary: "Update the name, type, aliases or description of an entity.",
  scopes: ["kb:write"],
  effect: "idempotent",
  input: z
    .object({
      id: EntityId,
      name: EntityName.optional(),
      type: EntityType.optional(),
      aliases: EntityAliases.optional(),
      description: Description.optional(),
      editorialNote: Text.max(4000).optional().describe("For stewards: shown to those who may write."),
      expectVersion: z
        .int()
        .min(1)
        .optional()
        .describe("The version that the change is made from; 409 when the entity has another one.")
    })
    .refine(
      ({ id: _, expectVersion: __, ...fields }) => Object.values(fields).some((field) => field !== undefined),
      {
        message: "At least one of name, type, aliases, description, editorialNote is needed."
      }
    ),
  output: Entity.extend({ version: z.int().describe("Rises by one with every change.") }),
  faults: ["Conflict", "InvalidInput", "NotFound", "ReviewerRequired"],
  run: ({ aliases, description, editorialNote, expectVersion, id, name, type }) =>
    service.updateEntity(
      id,
      {
        ...(editorialNote === undefined ? {} : { editorialNote }),
        ...(name === undefined ? {} : { name }),
        ...(type === undefined ? {} : { type }),
        ...(aliases === undefined ? {} : { aliases }),
        ...(description === undefined ? {} : { description })
      },
      expectVersion
    )
})

/** Candidate entities for a name. */
export const Resolution = z.object({
  query: z.string(),
  candidates: z.array(
    z.object({
      id: EntityId,
      name: z.string(),
      type: z.string(),
      matched: z.string().describe("The name or alias that matched."),
      matchKind: z.enum(["exact", "alias", "fuzzy", "semantic"]),
      score: z.number().describe("In (0, 1], comparable within one response."),
      authority: Authority,
      lifecycleStatus: Lifecycle,
      duplicateOf: EntityId.nullable().describe("A better candidate of the same name, if there is one.")
    })
  ),
  ambiguous: z.boolean().describe("More than one candidate matches as well as the first.")
})
export type Resolution = z.infer<typeof Resolution>

/** Matches exact names first, then aliases, then similar names; an unknown name gives no candidates and no error. */
export const resolveEntities = operation({
  name: "resolveEntities",
  tool: "svc_resolve_entity",
  summary: "Find the entities that a name may refer to, best match first.",
  scopes: ["kb:read", "runs:read"],
  effect: "read",
  input: z.object({
    q: z.string().trim().min(1).max(400),
    type: z.string().optional(),
    limit: z.int().min(1).max(50).default(10)
  }),
  output: Resolution,
  faults: [],
  run: ({ limit, q, type }) =>
    Effect.map(service.resolveEntities(q, { limit, type }), (found) => ({
      query: q,
      candidates: found.map(({ entity, matchKind, matched, score }, place) => ({
        id: entity.id,
        name: entity.name,
        type: entity.type,
        matched,
        matchKind,
        score,
        authority: entity.authority,
        lifecycleStatus: entity.lifecycle,
        duplicateOf:
          found.slice(0, place).find((other) => other.entity.nameNorm === entity.nameNorm)?.entity.id ?? null
      })),
      ambiguous: found[0] !== undefined && found[1]?.score === found[0].score
    }))
})
