import * as Effect from "effect/Effect"
import { z } from "zod"
import { GroupName } from "../access/index.js"
import { DeleteAck, KeyId, Moment, operation, Text } from "../kernel/index.js"
import * as apiKeys from "./keys.js"
import { type ApiKey, type KeyItem, KeyPage, KeyScope, keyStates, MintedKey } from "./model.js"

/** Returns a key in list form. */
export const keyItem = (key: ApiKey): KeyItem => ({
  id: key.id,
  name: key.name,
  kind: key.kind,
  prefix: key.prefix,
  scopes: [...key.scopes],
  createdAt: key.createdAt,
  lastUsedAt: key.lastUsedAt,
  expiresAt: key.expiresAt,
  revokedAt: key.revokedAt,
  replacedBy: key.replacedBy
})

/**
 * Lists all workspace keys in one page. User keys, which may reach several workspaces, belong to the host and are not
 * listed.
 */
export const listKeys = operation({
  name: "listKeys",
  summary: "List the API keys of the workspace without their secrets, newest first.",
  scopes: ["workspace:admin"],
  effect: "read",
  input: z.object({ state: z.enum(keyStates).optional() }),
  output: KeyPage,
  faults: [],
  run: ({ state }) =>
    Effect.map(apiKeys.listKeys(state), (keys) => ({ items: keys.map(keyItem), total: keys.length }))
})

/**
 * Creates a key. InsufficientScope for a scope that the caller lacks; Conflict if the key to replace has already
 * ended.
 */
export const mintKey = operation({
  name: "mintKey",
  summary: "Create an API key within the caller's scopes; the response alone shows its secret.",
  scopes: ["workspace:admin"],
  effect: "write",
  input: z.object({
    name: Text.trim().min(1).max(200),
    scopes: z.array(KeyScope).min(1).max(9),
    expiresAt: Moment.nullish().transform((at) => at ?? null),
    access: z
      .union([z.literal("all"), z.array(GroupName).max(100)])
      .optional()
      .describe(
        "Groups whose documents it reads beside those for everybody, or all; within the caller's own."
      ),
    replaces: KeyId.optional().describe("The key whose place it takes."),
    graceSeconds: z
      .int()
      .min(0)
      .max(604_800)
      .default(0)
      .describe("How long the replaced key stays good, in seconds.")
  }),
  output: MintedKey,
  faults: ["InsufficientScope", "NotFound", "Conflict", "InvalidInput"],
  run: ({ replaces, scopes, ...wish }) =>
    apiKeys.mintKey({ ...wish, scopes: [...new Set(scopes)], replaces: replaces ?? null })
})

/** Revokes a key. Conflict for the last key that can administer the workspace. */
export const revokeKey = operation({
  name: "revokeKey",
  summary: "Revoke an API key from the next request on.",
  scopes: ["workspace:admin"],
  effect: "idempotent",
  input: z.object({ id: KeyId }),
  output: DeleteAck,
  faults: ["NotFound", "Conflict"],
  run: ({ id }) => apiKeys.revokeKey(id)
})

export { addToGroup, listGroups, removeFromGroup } from "./groups.js"
