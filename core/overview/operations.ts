import { z } from "zod"
import { memberRoles } from "../identity/index.js"
import { ChunkId, operation } from "../kernel/index.js"
import { ChunkView, Manifest, MemberPage } from "./model.js"
import { chunk, manifest, members } from "./service.js"

export const getManifest = operation({
  name: "getManifest",
  summary: "What the workspace holds: counts, hub concepts, staleness. Computed per request; asks no model.",
  scopes: ["kb:read", "runs:read"],
  effect: "read",
  input: z.object({}),
  output: Manifest,
  faults: [],
  run: () => manifest()
})

export const getChunk = operation({
  name: "getChunk",
  summary: "One passage with the document it stands in, its neighbours and what it mentions.",
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

export const listMembers = operation({
  name: "listMembers",
  summary: "The members of the workspace, with what they look after.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({
    role: z.enum(memberRoles).optional(),
    limit: z
      .int()
      .default(50)
      .transform((limit) => Math.min(Math.max(limit, 1), 200))
      .describe("1 to 200, clamped."),
    offset: z.int().min(0).default(0)
  }),
  output: MemberPage,
  faults: [],
  run: ({ limit, offset, role }) => members({ limit, offset }, role)
})
