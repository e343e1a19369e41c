import { z } from "zod"
import { memberRoles } from "../../platform/identity/index.js"
import {
  ChangeRequestId,
  ChunkId,
  DocumentId,
  EntityId,
  operation,
  pageLimit,
  pageOffset
} from "../../platform/kernel/index.js"
import { duplicates } from "./duplicates.js"
import { DocumentLineage, DuplicatePage, StewardshipPage, StewardshipView } from "./governance-model.js"
import { documentLineage } from "./lineage.js"
import { ChunkView, Manifest, MemberPage, RequestOverview, WorkspaceView } from "./model.js"
import { changeRequest, chunk, manifest, members, stewardship, workspaceView } from "./service.js"

/** Returns the manifest; each call runs a few counts. */
export const getManifest = operation({
  name: "getManifest",
  summary: "Summarize the workspace: counts, hub concepts and staleness.",
  scopes: ["kb:read", "runs:read"],
  effect: "read",
  input: z.object({}),
  output: Manifest,
  faults: [],
  run: () => manifest()
})

/** Returns the workspace; of model credentials only whether they exist. */
export const getWorkspace = operation({
  name: "getWorkspace",
  summary: "Get the workspace with its settings, models, usage of the month and the caller's key.",
  scopes: ["kb:read", "runs:read"],
  effect: "read",
  input: z.object({}),
  output: WorkspaceView,
  faults: [],
  run: () => workspaceView()
})

/** Returns a passage with up to five neighbors of its document on each side. */
export const getChunk = operation({
  name: "getChunk",
  tool: "svc_get_chunk",
  summary: "Get a passage with its document, its neighbors and the entities it mentions.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({
    id: ChunkId,
    context: z.int().min(0).max(5).default(0).describe("How many neighbours on each side.")
  }),
  output: ChunkView,
  faults: ["NotFound"],
  run: ({ context, id }) => chunk(id, context)
})

/** Returns a change request with a present preview: `applicable` may change with the next edit of the entity. */
export const getChangeRequest = operation({
  name: "getChangeRequest",
  summary: "Get a change request with its difference to the current state and what it affects.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({ id: ChangeRequestId }),
  output: RequestOverview,
  faults: ["NotFound"],
  run: ({ id }) => changeRequest(id)
})

/** Lists members in pages of at most 200. A role is informational and grants nothing. */
export const listMembers = operation({
  name: "listMembers",
  summary: "List the members of the workspace with the entities and documents they own.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({
    role: z.enum(memberRoles).optional(),
    limit: pageLimit,
    offset: pageOffset
  }),
  output: MemberPage,
  faults: [],
  run: ({ limit, offset, role }) => members({ limit, offset }, role)
})

/** Returns the lineage of a document; see `documentLineage`. NotFound for a document in the trash. */
export const getDocumentLineage = operation({
  name: "getDocumentLineage",
  tool: "svc_document_lineage",
  summary: "Get a document's origin, verification, history and dependents.",
  scopes: ["kb:read", "runs:read"],
  effect: "read",
  input: z.object({ id: DocumentId }),
  output: DocumentLineage,
  faults: ["NotFound"],
  run: ({ id }) => documentLineage(id)
})

/** Lists one stewardship view, with the counts of all. InvalidInput for the view of ownerless items with an owner. */
export const listStewardship = operation({
  name: "listStewardship",
  summary: "List what needs a steward: overdue, unreviewed, unowned, contested or unverified items.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({
    view: StewardshipView.default("overdue"),
    ownerId: z.string().min(1).optional().describe("Only what is in this person's care."),
    limit: pageLimit,
    offset: pageOffset
  }),
  output: StewardshipPage,
  faults: ["InvalidInput"],
  run: ({ limit, offset, ownerId, view }) => stewardship(view, ownerId, { limit, offset })
})

/**
 * Lists possible duplicates with scores from 0 to 1; pairs with deprecated or superseded entities are left out,
 * because they were decided about.
 */
export const listDuplicates = operation({
  name: "listDuplicates",
  summary: "List pairs of entities that may be duplicates, with scores and reasons, without merging.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({
    id: EntityId.optional().describe("Only pairs with this entity."),
    minScore: z.number().min(0).max(1).default(0.5),
    limit: pageLimit,
    offset: pageOffset
  }),
  output: DuplicatePage,
  faults: ["NotFound"],
  run: ({ id, limit, minScore, offset }) => duplicates({ id, minScore }, { limit, offset })
})
