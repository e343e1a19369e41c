import * as Predicate from "effect/Predicate"
import { z } from "zod"
import { Text } from "../kernel/index.js"
import { type ModelChoice, type ModelRole, modelProviders, modelRoles, ProviderUrl } from "../models/index.js"
import { McpServersChange } from "./mcp-servers.js"
import { Settings } from "./model.js"

/** Groups of settings that a change sets directly; models have their own form because of their credentials. */
const plainGroups = [
  "policy",
  "privacy",
  "answers",
  "reviewIntervalDays",
  "cacheMode",
  "caps",
  "budgets",
  "data",
  "access",
  "retention",
  "vault"
] as const
type PlainGroup = (typeof plainGroups)[number]

/** Returns the schema without defaults: a change keeps the fields that it leaves out. */
const inChange = (schema: unknown): z.ZodType => {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return inChange(schema.unwrap())
  if (schema instanceof z.ZodObject)
    return z.object(
      Object.fromEntries(
        Object.entries(schema.shape).map(([name, field]) => [name, inChange(field).optional()])
      )
    )
  return schema instanceof z.ZodType ? schema : z.never()
}

/** The part of the retrieval settings that a workspace may change: the weights of document status. */
const RetrievalChange = z.object({
  governance: inChange(Settings.shape.retrieval.unwrap().shape.governance)
    .optional()
    .describe("By what the score of a passage is multiplied for the standing of its document; 1 leaves it.")
})

/** Schemas of the groups of settings. */
const groups: Readonly<Record<string, z.ZodType>> = {
  ...Object.fromEntries(
    Object.entries(Settings.shape).flatMap(([name, schema]) =>
      plainGroups.some((one) => one === name) ? [[name, inChange(schema).optional()]] : []
    )
  ),
  retrieval: RetrievalChange.optional()
}

/** A credential, sent in a request header: visible ASCII. */
const Credential = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[\x21-\x7e]+$/, "A credential is made of visible ASCII characters.")

const choiceChange = (role: ModelRole) =>
  z
    .object({
      provider: z.enum(modelProviders[role]).optional(),
      model: z.string().trim().min(1).max(200).optional(),
      baseUrl: ProviderUrl.nullable().optional().describe("Null: the provider's own address."),
      credential: Credential.nullable()
        .optional()
        .describe(
          "Write-only; null erases it. It is erased too when provider or baseUrl change without a new one."
        ),
      enabled: z.boolean().optional()
    })
    .nullable()
    .optional()
    .describe(
      role === "chat"
        ? "Null leaves the role to what the server was given; `enabled` alone switches answers off and on."
        : "Null leaves the role to what the server was given."
    )

const Price = Settings.shape.models.unwrap().shape.prices.unwrap().valueType

/** A change of the models of a workspace. */
const ModelsChange = z.object({
  chat: choiceChange("chat"),
  judge: choiceChange("judge"),
  embedding: choiceChange("embedding"),
  reranker: choiceChange("reranker"),
  extraction: choiceChange("extraction"),
  fallbackToExtractive: z.boolean().optional(),
  prices: z
    .record(z.string().min(1).max(200), Price.nullable())
    .optional()
    .describe("US dollars per million tokens, by model; null takes a model out.")
})
/** A change of the models of a workspace; omitted fields do not change. */
export type ModelsChange = z.infer<typeof ModelsChange>

/** A change of a workspace, each part optional. */
export const WorkspaceChange = z
  .object({
    ...groups,
    name: Text.trim().min(1).max(200).optional(),
    models: ModelsChange.optional(),
    mcpServers: McpServersChange.optional(),
    expectRevision: z.int().min(1).optional().describe("Refused where another revision stands.")
  })
  .superRefine((change, context) => {
    if (Object.values(change).every((value) => value === undefined))
      context.addIssue({ code: "custom", path: [], message: "Give at least one thing to change." })
  })

type Parts<Value> =
  Value extends ReadonlyArray<unknown>
    ? Value
    : Value extends object
      ? { readonly [Name in keyof Value]?: Parts<Value[Name]> }
      : Value

/** Input form of a change. */
export type WorkspaceChangeInput = z.input<typeof WorkspaceChange> &
  Parts<Pick<z.input<typeof Settings>, PlainGroup>> & {
    readonly retrieval?: { readonly governance?: Parts<Settings["retrieval"]["governance"]> }
  }

/** Returns the part of a change that is applied directly to settings. */
export const plainPart = (change: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(change).filter(([name]) => Object.hasOwn(groups, name)))

/** Merges a change into the present value: objects field by field, everything else is replaced. */
export const mergeChange = (standing: unknown, change: unknown): unknown => {
  if (change === undefined) return standing
  if (!Predicate.isRecord(standing) || !Predicate.isRecord(change)) return change
  const names = [...new Set([...Object.keys(standing), ...Object.keys(change)])]
  return Object.fromEntries(names.map((name) => [name, mergeChange(standing[name], change[name])]))
}

/**
 * Whether a workspace answers at all after a change: `enabled: false` without a chosen model switches every chat model
 * off, and any other change of the choice switches them on.
 */
export const chatEnabledAfter = (standing: Settings["models"], { chat }: ModelsChange): boolean =>
  chat === undefined ? standing.chatEnabled : !isSwitch(standing.chat, chat) || chat?.enabled !== false

/** Whether a change is about `enabled` alone, where there is no choice to change. */
const isSwitch = (standing: ModelChoice | null, given: NonNullable<ModelsChange["chat"]> | null): boolean =>
  standing === null && given !== null && given.provider === undefined && given.model === undefined

/** Change to the credential of a role. */
export type CredentialStep = "keep" | "erase" | { readonly set: string }

/** The model choice of a role after a change, and what happens to its credential. */
export interface ChangedChoice {
  readonly role: ModelRole
  /** The choice without the id of a new credential, which exists only once it is stored. */
  readonly choice: (Omit<ModelChoice, "provider"> & { readonly provider: string }) | null
  readonly credential: CredentialStep
}

/** The reason why a model choice is invalid. */
export interface ChoiceIssue {
  readonly path: ReadonlyArray<string>
  readonly message: string
}

/**
 * Returns the choices that a change affects. If the provider or the address changes, the old credential is erased
 * unless a new one is given, so that it is never sent to a host its owner did not choose.
 */
export const changedChoices = (
  standing: Settings["models"],
  change: ModelsChange
): { readonly changed: ReadonlyArray<ChangedChoice>; readonly issues: ReadonlyArray<ChoiceIssue> } => {
  const changed: Array<ChangedChoice> = []
  const issues: Array<ChoiceIssue> = []
  for (const role of modelRoles) {
    const given = change[role]
    if (given === undefined) continue
    const before = standing[role]
    const { chat = null } = change
    if (role === "chat" && isSwitch(standing.chat, chat) && chat?.enabled !== undefined) continue
    if (given === null) {
      changed.push({ role, choice: null, credential: "erase" })
      continue
    }
    const provider = given.provider ?? before?.provider
    const model = given.model ?? before?.model
    for (const [name, value] of [
      ["provider", provider],
      ["model", model]
    ] as const)
      if (value === undefined)
        issues.push({ path: ["models", role, name], message: `A model choice requires ${name}.` })
    if (provider === undefined || model === undefined) continue
    const baseUrl = given.baseUrl === undefined ? (before?.baseUrl ?? null) : given.baseUrl
    if (provider === "openai-compatible" && baseUrl === null)
      issues.push({
        path: ["models", role, "baseUrl"],
        message: "baseUrl is required for a compatible server."
      })
    const moved = before !== null && (before.provider !== provider || before.baseUrl !== baseUrl)
    const credential: CredentialStep =
      typeof given.credential === "string"
        ? { set: given.credential }
        : given.credential === null || moved
          ? "erase"
          : "keep"
    const secret = credential === "keep" ? (before?.secret ?? null) : null
    const enabled = given.enabled ?? before?.enabled ?? true
    changed.push({ role, choice: { provider, model, baseUrl, enabled, secret }, credential })
  }
  return { changed, issues }
}

/** Returns the change for the audit trail: whether a credential was set, never its value. */
export const withoutCredentials = (
  change: Readonly<Record<string, unknown>>
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(change).map(([name, value]) => [
      name,
      name === "credential"
        ? value === null
          ? "erased"
          : "set"
        : Predicate.isRecord(value)
          ? withoutCredentials(value)
          : value
    ])
  )
