import * as Effect from "effect/Effect"
import { pruneAnswers } from "../../answers/answering/index.js"
import { McpClient } from "../../connected/mcp/index.js"
import { AccessStore } from "../../platform/access/index.js"
import { record } from "../../platform/audit/index.js"
import { enqueue, jobKinds } from "../../platform/jobs/index.js"
import {
  asInvalid,
  atomically,
  Caller,
  Conflict,
  InvalidInput,
  now,
  operation,
  type SecretId,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { Models, modelRoles } from "../../platform/models/index.js"
import { keepSecret } from "../../platform/secrets/index.js"
import {
  changedChoices,
  changedServers,
  chatEnabledAfter,
  type McpServersChange,
  type ModelsChange,
  mergeChange,
  plainPart,
  Settings,
  WorkspaceChange,
  WorkspaceStore,
  withoutCredentials
} from "../../platform/workspace/index.js"
import { WorkspaceView, workspaceView } from "../overview/index.js"

/** Operation that changes the name and the settings of a workspace, with the jobs that a change requires. */
export const updateWorkspace = operation({
  name: "updateWorkspace",
  summary: "Update the name and the given settings of the workspace.",
  scopes: ["workspace:admin"],
  effect: "idempotent",
  input: WorkspaceChange,
  output: WorkspaceView,
  faults: ["InvalidInput", "Conflict", "SecretsUnavailable"],
  run: (change) =>
    Effect.gen(function* () {
      const changed = yield* atomically(apply(change))
      if (changed.forgets) yield* pruneAnswers()
      return yield* workspaceView()
    })
})

/**
 * Applies the change in one unit of work: settings, credentials, revision, audit, and the jobs for other embedding
 * and extraction models.
 */
const apply = (change: Change) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* WorkspaceStore, yield* Caller]
    const before = yield* store.get(workspace)
    const revision = yield* store.revision(workspace)
    if (change.expectRevision !== undefined && change.expectRevision !== revision)
      return yield* new Conflict({
        message: `The settings are at revision ${revision}, not ${change.expectRevision}.`
      })
    const models = yield* changeModels(workspace, before.settings.models, change.models)
    const mcpServers = yield* changeMcpServers(workspace, before.settings.mcpServers, change.mcpServers)
    const merged = Settings.safeParse({
      ...Object.fromEntries(Object.entries(before.settings)),
      ...Object.fromEntries(
        Object.entries(plainPart(change)).map(([name, value]) => [
          name,
          mergeChange(Object.entries(before.settings).find(([one]) => one === name)?.[1], value)
        ])
      ),
      models,
      mcpServers
    })
    if (!merged.success) return yield* asInvalid(merged.error)
    const settings = merged.data
    const name = change.name ?? before.name
    const isSame = name === before.name && JSON.stringify(settings) === JSON.stringify(before.settings)
    if (isSame) return { forgets: false }
    yield* store.update({ ...before, name, settings }, yield* now)
    if (JSON.stringify(settings.access) !== JSON.stringify(before.settings.access))
      yield* (yield* AccessStore).applyFolders(workspace, settings.access.folders)
    yield* eraseFormer(workspace, before.settings, settings)
    const { expectRevision: _, ...told } = change
    yield* record([{ action: "workspace.update", subjectId: workspace, details: withoutCredentials(told) }])
    if (embeddingOf(settings) !== embeddingOf(before.settings))
      yield* enqueue([{ kind: jobKinds.reembed, dedupeKey: "all" }])
    if (extractionOf(settings) !== extractionOf(before.settings))
      yield* enqueue([{ kind: jobKinds.reextract, dedupeKey: "all" }])
    return { forgets: settings.retention.answerDays < before.settings.retention.answerDays }
  })

type Change = Readonly<Record<string, unknown>> & {
  readonly name?: string | undefined
  readonly models?: ModelsChange | undefined
  readonly mcpServers?: McpServersChange | undefined
  readonly expectRevision?: number | undefined
}

/** Returns the identity of the embedding model; the same model at another address gives the same vectors. */
const embeddingOf = ({ models: { embedding } }: Settings): string | null =>
  embedding?.enabled === true
    ? JSON.stringify([embedding.provider, embedding.model])
    : JSON.stringify(embedding === null)

/** Returns the identity of the extraction model and of the types of relations that are read. */
const extractionOf = ({ models: { extraction }, policy: { relationTypes } }: Settings): string =>
  JSON.stringify([
    extraction?.enabled === true ? [extraction.provider, extraction.model] : null,
    relationTypes
  ])

/** Returns the new model settings and stores new credentials. */
const changeModels = (
  workspace: WorkspaceScope,
  standing: Settings["models"],
  change: ModelsChange | undefined
) =>
  Effect.gen(function* () {
    if (change === undefined) return standing
    const { changed, issues } = changedChoices(standing, change)
    const { refuses = () => null } = yield* Models
    const refused = changed.flatMap(({ choice, role }) => {
      const why = choice === null || choice.baseUrl === null ? null : refuses(choice.baseUrl)
      return why === null ? [] : [{ path: ["models", role, "baseUrl"], message: `${why}.` }]
    })
    const wrong = [...issues, ...refused]
    if (wrong.length > 0)
      return yield* new InvalidInput({ issues: wrong.map((one) => ({ ...one, code: "invalid_value" })) })
    const choices = yield* Effect.forEach(changed, ({ choice, credential, role }) =>
      Effect.gen(function* () {
        if (choice === null || typeof credential === "string") return [role, choice] as const
        const secret: SecretId = yield* keepSecret(workspace, credential.set)
        return [role, { ...choice, secret }] as const
      })
    )
    const { fallbackToExtractive = standing.fallbackToExtractive, prices = {} } = change
    return {
      ...standing,
      ...Object.fromEntries(choices),
      fallbackToExtractive,
      chatEnabled: chatEnabledAfter(standing, change),
      prices: Object.fromEntries(
        Object.entries({ ...standing.prices, ...prices }).filter(([, price]) => price !== null)
      )
    }
  })

/** Returns the new MCP servers and stores new credentials. */
const changeMcpServers = (
  workspace: WorkspaceScope,
  standing: Settings["mcpServers"],
  change: McpServersChange | undefined
) =>
  Effect.gen(function* () {
    if (change === undefined) return standing
    const { changed, issues } = changedServers(standing, change)
    const { refusalOf } = yield* McpClient
    const refused = changed.flatMap(({ credentialNames, name, server }) => {
      const why = server === null ? null : refusalOf(server, credentialNames)
      return why === null
        ? []
        : [{ path: ["mcpServers", name, ...why.field], code: "not_allowed", message: `${why.message}.` }]
    })
    const wrong = [...issues, ...refused]
    if (wrong.length > 0) return yield* new InvalidInput({ issues: wrong })
    const servers = new Map(Object.entries(standing))
    for (const { credential, name, server } of changed) {
      if (server === null) servers.delete(name)
      else if (typeof credential === "string") servers.set(name, server)
      else servers.set(name, { ...server, secret: yield* keepSecret(workspace, credential.set) })
    }
    return Object.fromEntries(servers)
  })

/** Deletes credentials that no model choice and no MCP server refers to any more. */
const eraseFormer = (workspace: WorkspaceScope, before: Settings, after: Settings) =>
  Effect.gen(function* () {
    const store = (yield* WorkspaceStore).secrets
    const named = new Set(secretsOf(after))
    for (const former of secretsOf(before)) if (!named.has(former)) yield* store.remove(workspace, former)
  })

const secretsOf = ({ mcpServers, models }: Settings): ReadonlyArray<SecretId> =>
  [
    ...modelRoles.map((role) => models[role]?.secret),
    ...Object.values(mcpServers).map(({ secret }) => secret)
  ].filter((secret) => secret != null)
