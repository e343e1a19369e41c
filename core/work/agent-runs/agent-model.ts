import { z } from "zod"
import { AgentId, AgentVersionId, Text, Timestamp } from "../../platform/kernel/index.js"
import { repliedCallsMax } from "../../platform/models/index.js"
import { ApprovalPolicy, ToolEffect } from "../../platform/workspace/index.js"

const UsdText = z.string().regex(/^\d{1,9}(\.\d{1,10})?$/, "Expected a decimal number of US dollars.")
const Count = z.int().min(0)

/** Limits of texts. */
export const agentLimits = {
  name: 200,
  description: 2000,
  instructions: 20_000,
  note: 4000,
  tools: 64,
  input: 100_000
} as const

/** Slug of an agent: lower-case letters, digits and hyphens. It can never look like an id. */
export const AgentSlug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "Expected 1 to 63 lower-case letters, digits and hyphens.")

/** Origin of a tool. */
export const ToolKind = z.enum(["operation", "mcp", "function"])
export type ToolKind = z.infer<typeof ToolKind>

/** A tool as an agent's version binds it. */
export const BoundTool = z.object({
  name: z.string(),
  kind: ToolKind,
  effect: ToolEffect,
  approval: ApprovalPolicy
})
export type BoundTool = z.infer<typeof BoundTool>

/** Limits of one run; `steps` counts model calls. */
export const Budgets = z.object({
  steps: z.int().min(1).max(10_000),
  tokens: z.int().min(1).max(1_000_000_000),
  costUsd: UsdText,
  minutes: z.int().min(1).max(10_080),
  callsPerTurn: z
    .int()
    .min(1)
    .max(repliedCallsMax)
    .optional()
    .describe("Tool calls of one reply of the model that are carried out; it gets the names of the others.")
})
export type Budgets = z.infer<typeof Budgets>

/** Instructions, tools and budgets of an agent. A change of any field makes a new version. */
export const AgentBehaviour = z.object({
  instructions: z.string(),
  modelRole: z.enum(["chat"]),
  tools: z.array(BoundTool),
  budgets: Budgets.partial().describe("What is left out is the workspace's.")
})
export type AgentBehaviour = z.infer<typeof AgentBehaviour>

/** A version in the list of versions. */
export const AgentVersionInfo = z.object({
  id: AgentVersionId,
  number: z.int().min(1),
  createdAt: Timestamp,
  changedBy: z.string(),
  note: z.string().nullable()
})
export type AgentVersionInfo = z.infer<typeof AgentVersionInfo>
/** A version with what it does; never edited. */
export type AgentVersion = AgentVersionInfo & AgentBehaviour

/** An agent without its versions. */
export interface Agent {
  readonly id: AgentId
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly enabled: boolean
  readonly archived: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

/** An agent in a list. */
export const AgentItem = z.object({
  id: AgentId,
  slug: z.string(),
  name: z.string(),
  description: z.string(),
  enabled: z.boolean(),
  archived: z.boolean(),
  latestVersion: z.object({ id: AgentVersionId, number: z.int().min(1), createdAt: Timestamp }),
  lastRunAt: Timestamp.nullable()
})
export type AgentItem = z.infer<typeof AgentItem>

/** A list of agents with their number. */
export const AgentPage = z.object({ items: z.array(AgentItem), total: Count })
/** An agent with the behaviour of its latest version and the list of all its versions. */
export const AgentView = z.object({
  agent: AgentItem,
  version: AgentBehaviour.extend({ id: AgentVersionId, number: z.int().min(1) }),
  versions: z.array(AgentVersionInfo).describe("The newest first.")
})
export type AgentView = z.infer<typeof AgentView>

/** A wholly new state of an agent. */
export const AgentPut = z.object({
  slug: AgentSlug.describe(
    "The slug of the agent: 1 to 63 lower-case letters, digits and hyphens, beginning with no hyphen."
  ),
  name: Text.trim().min(1).max(agentLimits.name),
  description: Text.max(agentLimits.description).default(""),
  instructions: Text.trim().min(1).max(agentLimits.instructions),
  modelRole: z.enum(["chat"]).default("chat"),
  tools: z
    .array(z.object({ name: z.string().min(1).max(128), approval: ApprovalPolicy.optional() }))
    .max(agentLimits.tools)
    .default([]),
  budgets: Budgets.partial().default({}),
  enabled: z.boolean().default(true),
  archived: z.boolean().default(false),
  note: Text.max(agentLimits.note).optional(),
  expectVersion: z
    .int()
    .min(1)
    .optional()
    .describe("The number of the latest version; another one is a conflict.")
})
export type AgentPut = z.output<typeof AgentPut>
