import { z } from "zod"
import { WorkspaceId } from "../kernel/index.js"

/** Everything a workspace can set, each with its default. The one place where defaults live. */
export const Settings = z.object({
  reviewIntervalDays: z.int().min(1).max(3650).default(180),
  retrieval: z
    .object({
      /** Damping of reciprocal rank fusion. */
      rrfK: z.number().min(0).default(60),
      ftsWeight: z.number().min(0).default(1),
      /** Weight of a real embedding model's channel; the built-in vectors weigh as the query asks (0.2 to 1). */
      vectorWeight: z.number().min(0).default(1),
      /** Share of the first lexical hits in the query vector of the built-in channel. */
      seedShare: z.number().min(0).max(1).default(0.5)
    })
    .prefault({}),
  chunking: z
    .object({
      /** Most characters of a chunk, save a table row or code line that is longer. */
      maxChars: z.int().min(200).max(20_000).default(1500),
      /** Characters that two parts of one long paragraph share. */
      overlapChars: z.int().min(0).max(2000).default(150)
    })
    .prefault({}),
  models: z
    .object({
      /** The built-in extractive model may answer when there is no other or the other is down. */
      fallbackToExtractive: z.boolean().default(true)
    })
    .prefault({})
})
export type Settings = z.infer<typeof Settings>

export const Workspace = z.object({ id: WorkspaceId, name: z.string().min(1).max(200), settings: Settings })
export type Workspace = z.infer<typeof Workspace>
