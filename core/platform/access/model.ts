import { z } from "zod"

/** A member or a group that a list of readers names. */
export const Principal = z
  .string()
  .max(210)
  .regex(
    /^(?:user:usr_[0-9a-z]{26}|group:[^\s\p{C}](?:[^\p{C}]{0,198}[^\s\p{C}])?)$/u,
    "A principal is user:usr_… or group:NAME."
  )

/** The name of a group, of at most 200 characters. */
export const GroupName = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => Principal.safeParse(`group:${name}`).success, "A name without blanks around it.")

/** A list of readers; an empty one names nobody. */
export const Readers = z.array(Principal).max(200)

/** Who may read a document: null for everybody in the workspace. */
export const DocumentAccess = z.object({ read: z.array(Principal) }).nullable()
export type DocumentAccess = z.infer<typeof DocumentAccess>

/** A rule for all documents whose path a pattern matches; a folder means everything in it. */
export const FolderRule = z.object({
  path: z.string().min(1).max(1024).describe("A glob such as hr/** or reports/*/draft-*.md."),
  read: Readers
})
export type FolderRule = z.infer<typeof FolderRule>

/** Rules of a workspace; the longest pattern that matches counts. */
export const FolderRules = z.array(FolderRule).max(500)

/** Why a document has the readers that it has. */
export const AccessExplanation = z.object({
  access: DocumentAccess,
  own: z
    .object({ read: z.array(Principal).nullable() })
    .nullable()
    .describe("Set for this document; null where it follows its source and folder."),
  source: z
    .array(Principal)
    .nullable()
    .describe("Readers that the connector named; null where it named none."),
  folder: FolderRule.nullable().describe("The rule of settings.access.folders that matches.")
})
export type AccessExplanation = z.infer<typeof AccessExplanation>

/** The principal of a member. */
export const userPrincipal = (user: string): string => `user:${user}`

/** The principal of a group. */
export const groupPrincipal = (name: string): string => `group:${name}`
