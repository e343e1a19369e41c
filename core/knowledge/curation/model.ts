import { z } from "zod"
import { EntityId, type StateTable, Text } from "../../platform/kernel/index.js"
import {
  ChangeRequest,
  EntityAliases,
  EntityName,
  EntityType,
  entityLimits,
  RequestStatus,
  Revision
} from "../entities/index.js"

/** Reason for an action, stored with its result. */
export const Note = Text.max(4000)

/** Triggers that close a change request. */
export type RequestTrigger = "approve" | "reject" | "withdraw"

/** State transitions of a change request. */
export const requestTable: StateTable<RequestStatus, RequestTrigger> = {
  name: "Change request",
  states: RequestStatus.options,
  initial: ["open"],
  refusedWith: "NotOpen",
  triggers: {
    approve: "A reviewer of the entity accepts it.",
    reject: "A reviewer declines it.",
    withdraw: "It is taken back."
  },
  steps: [
    {
      from: "open",
      on: "approve",
      to: "approved",
      when: "The entity has neither owner nor stewards, or the caller is one of them; and the change can be applied.",
      otherwise: "409 `reviewer_required`, 409 `conflict`; it stays open.",
      also: "The change is applied, with the activity `change_request:<id>`; what a create makes is curated."
    },
    { from: "open", on: "reject", to: "rejected" },
    { from: "open", on: "withdraw", to: "withdrawn" }
  ]
}

const Description = Text.max(entityLimits.description)

/** The payload of each kind of request; other fields are rejected. */
export const Proposal = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("create"),
    payload: z.strictObject({
      name: EntityName,
      type: EntityType,
      aliases: EntityAliases.optional(),
      description: Description.optional(),
      lifecycle: z.enum(["draft", "pending_review", "published"]).optional()
    })
  }),
  z.object({
    kind: z.literal("update"),
    payload: z
      .strictObject({
        name: EntityName.optional(),
        type: EntityType.optional(),
        aliases: EntityAliases.optional(),
        description: Description.optional()
      })
      .refine((fields) => Object.values(fields).some((field) => field !== undefined), {
        message: "At least one of name, type, aliases, description is needed."
      })
  }),
  z.object({ kind: z.literal("deprecate"), payload: z.strictObject({ note: Note.optional() }) }),
  z.object({
    kind: z.literal("supersede"),
    payload: z.strictObject({ supersededBy: EntityId, note: Note.optional() })
  }),
  z.object({ kind: z.literal("delete"), payload: z.strictObject({}) })
])
export type Proposal = z.output<typeof Proposal>

/** The effect of an approval now. */
export const ChangePreview = z.object({
  diff: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })).describe("By field."),
  applicable: z.boolean().describe("Whether the caller's approval would succeed now."),
  blockedBy: z
    .string()
    .nullable()
    .describe("The code of the error that an approval would meet; null when there is none.")
})
export type ChangePreview = z.infer<typeof ChangePreview>

/** A change request with its preview and the history of the entity since. */
export const RequestReview = z.object({
  request: ChangeRequest,
  preview: ChangePreview,
  discussion: z.array(Revision).describe("Versions of the entity since the request was made, newest first.")
})
