import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { parseDocumentPath, slugPath } from "../../files/markdown/index.js"
import { record } from "../../platform/audit/index.js"
import { enqueue } from "../../platform/jobs/index.js"
import {
  atomically,
  Caller,
  Conflict,
  type ContentConnectorId,
  Ids,
  InvalidInput,
  invalid,
  now,
  traced,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { keepSecret, openSecret } from "../../platform/secrets/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import { checkConfig, isSentElsewhere, nextDue, parsedConfig } from "./configuration.js"
import type { SourceKind } from "./crawler.js"
import type { ContentConnector, LastSync } from "./model.js"
import { SourceStore, type StoredContentConnector } from "./store.js"
import { cancelSyncs, findConnector, lastSyncOf, listSyncs, syncJob } from "./syncs.js"

/** A connector as it is shown. */
const masked = (
  { checkpoint: _checkpoint, nextSyncAt: _next, secret, ...connector }: StoredContentConnector,
  lastSync: LastSync | null
): ContentConnector => ({ ...connector, hasCredential: secret !== null, lastSync })

const lastSyncs = (workspace: WorkspaceScope) =>
  Effect.map(
    Effect.flatMap(SourceStore, (runs) => runs.runs.latest(workspace)),
    (latest) => (id: ContentConnectorId) => {
      const run = latest.get(id)
      return run === undefined ? null : lastSyncOf(run)
    }
  )

/** Lists the connectors of the workspace by name. */
export const listConnectors = traced("sources.connectors")(function* (filter: {
  readonly kind?: SourceKind | undefined
  readonly enabled?: boolean | undefined
}) {
  const { workspace } = yield* Caller
  const lastSync = yield* lastSyncs(workspace)
  return (yield* (yield* SourceStore).connectors.list(workspace))
    .filter(({ enabled, kind }) => (filter.kind ?? kind) === kind && (filter.enabled ?? enabled) === enabled)
    .map((connector) => masked(connector, lastSync(connector.id)))
})

/** A connector with its newest runs. */
export const getConnector = traced("sources.connector")(function* (id: ContentConnectorId, limit: number) {
  const { workspace } = yield* Caller
  const connector = yield* findConnector(id)
  const lastSync = yield* lastSyncs(workspace)
  return { connector: masked(connector, lastSync(id)), syncs: [...(yield* listSyncs(id, limit))] }
})

export interface NewConnector {
  readonly name: string
  readonly kind: SourceKind
  readonly config?: unknown
  readonly credential?: string | undefined
  readonly schedule?: string | null | undefined
  readonly pathPrefix?: string | undefined
}

/** Makes a connector. The source is not asked: the first sync tells what is wrong with address or credential. */
export const createConnector = traced("sources.createConnector")(function* (input: NewConnector) {
  const [store, ids, at] = [(yield* SourceStore).connectors, yield* Ids, yield* now]
  const { workspace } = yield* Caller
  const config = yield* configOf(input.kind, input.config, input.credential ?? null, workspace)
  const schedule = input.schedule ?? null
  const nextSyncAt = yield* nextSync(input.kind, schedule, at)
  const pathPrefix = yield* prefixOf(input)
  yield* refuseTaken(workspace, input.name, null)
  return yield* atomically(
    Effect.gen(function* () {
      const secret = input.credential === undefined ? null : yield* keepSecret(workspace, input.credential)
      const connector: StoredContentConnector = {
        id: ids.make("contentConnector"),
        name: input.name,
        kind: input.kind,
        enabled: true,
        config,
        schedule,
        pathPrefix,
        secret,
        checkpoint: null,
        nextSyncAt,
        createdAt: at,
        updatedAt: at
      }
      if (!(yield* store.insert(workspace, connector))) yield* refuseTaken(workspace, input.name, null)
      const { id, kind, name } = connector
      const credential = secret === null ? "none" : "set"
      const details = { name, kind, config, schedule, pathPrefix, credential }
      yield* record([{ action: "content_connector.create", subjectId: id, details }])
      return masked(connector, null)
    })
  )
})

export interface ConnectorChange {
  readonly name?: string | undefined
  readonly config?: unknown
  readonly credential?: string | null | undefined
  readonly schedule?: string | null | undefined
  readonly enabled?: boolean | undefined
}

/**
 * Changes a connector. The configuration is replaced as a whole, and the next sync crawls from the start. A credential
 * is erased when it would be sent to another server or account, unless a new one comes along. Disabling cancels the
 * runs that wait or run.
 */
export const updateConnector = traced("sources.updateConnector")(function* (
  id: ContentConnectorId,
  change: ConnectorChange
) {
  const [store, { workspace }, at] = [(yield* SourceStore).connectors, yield* Caller, yield* now]
  const before = yield* findConnector(id)
  if (change.name !== undefined) yield* refuseTaken(workspace, change.name, id)
  const isConfigured = change.config !== undefined
  const given = isConfigured ? yield* parsedConfig(before.kind, change.config) : before.config
  if (given.provider !== before.config.provider)
    return yield* invalid(
      ["config", "provider"],
      "not_allowed",
      "The provider of a connector cannot be changed."
    )
  const keeps = change.credential === undefined && !isSentElsewhere(before.config, given)
  if (isConfigured || !keeps) {
    const secret = keeps ? yield* openedSecret(workspace, before) : (change.credential ?? null)
    yield* checkConfig(given, secret, workspace)
  }
  const schedule = change.schedule === undefined ? before.schedule : change.schedule
  const enabled = change.enabled ?? before.enabled
  const nextSyncAt = enabled ? yield* nextSync(before.kind, schedule, at) : null
  const changed = yield* atomically(
    Effect.gen(function* () {
      const secret = keeps
        ? before.secret
        : typeof change.credential === "string"
          ? yield* keepSecret(workspace, change.credential)
          : null
      const name = change.name ?? before.name
      const changes = { name, config: given, schedule, enabled, secret, updatedAt: at }
      const after: StoredContentConnector = { ...before, ...changes }
      const done = yield* store.replace(workspace, after, before.updatedAt)
      if (done === "name_taken") yield* refuseTaken(workspace, name, id)
      if (done !== "done")
        return yield* new Conflict({ message: "Somebody else changed the connector at the same moment." })
      const isOther = JSON.stringify(before.config) !== JSON.stringify(given)
      yield* store.setProgress(workspace, id, { nextSyncAt, ...(isOther ? { checkpoint: null } : {}) })
      if (before.secret !== null && before.secret !== secret)
        yield* (yield* WorkspaceStore).secrets.remove(workspace, before.secret)
      if (!enabled) yield* cancelSyncs(id)
      const credential = keeps ? "kept" : secret === null ? "erased" : "set"
      const details = { name, config: given, schedule, enabled, credential }
      yield* record([{ action: "content_connector.update", subjectId: id, details }])
      return after
    })
  )
  return masked(changed, (yield* lastSyncs(workspace))(id))
})

/** Deletes a connector and erases its credential. Its documents stay, or are moved to the trash by a job. */
export const deleteConnector = traced("sources.deleteConnector")(function* (
  id: ContentConnectorId,
  documents: "keep" | "trash"
) {
  const [store, runs, { workspace }] = [
    (yield* SourceStore).connectors,
    (yield* SourceStore).runs,
    yield* Caller
  ]
  yield* atomically(
    Effect.gen(function* () {
      yield* store.lock(workspace, id)
      const { name, secret } = yield* findConnector(id)
      if ((yield* runs.active(workspace, id)).length > 0)
        return yield* new Conflict({ message: "A sync of the connector is running: disable it first." })
      yield* store.remove(workspace, id, yield* now, documents === "trash")
      if (secret !== null) yield* (yield* WorkspaceStore).secrets.remove(workspace, secret)
      if (documents === "trash") yield* enqueue([syncJob(id)])
      yield* record([{ action: "content_connector.delete", subjectId: id, details: { name, documents } }])
    })
  )
  return { deleted: true, id }
})

const configOf = (kind: SourceKind, given: unknown, credential: string | null, workspace: WorkspaceScope) =>
  Effect.tap(parsedConfig(kind, given), (config) => checkConfig(config, credential, workspace))

const openedSecret = (workspace: WorkspaceScope, { secret }: StoredContentConnector) =>
  secret === null ? Effect.succeed(null) : Effect.map(openSecret(workspace, secret), Redacted.value)

const nextSync = (kind: SourceKind, schedule: string | null, at: string) => {
  if (schedule === null) return Effect.succeed(null)
  return kind === "markdown_upload"
    ? Effect.fail(invalid(["schedule"], "not_allowed", "Uploads have no schedule."))
    : nextDue(schedule, at)
}

/** The folder of the documents: as given, else the slug of the name. */
const prefixOf = ({ name, pathPrefix }: NewConnector) =>
  Effect.gen(function* () {
    const folder = (pathPrefix ?? slugPath(name, () => false).replace(/\.md$/, "")).replace(/\/+$/, "")
    const probe = parseDocumentPath(`${folder}/x.md`)
    if (Either.isRight(probe)) return probe.right.slice(0, -"/x.md".length)
    const issues = probe.left.issues.map((issue) => ({ ...issue, path: ["pathPrefix"] }))
    return yield* new InvalidInput({ issues })
  })

const refuseTaken = (workspace: WorkspaceScope, name: string, own: ContentConnectorId | null) =>
  Effect.gen(function* () {
    const holder = Option.getOrNull(yield* (yield* SourceStore).connectors.named(workspace, name))
    if (holder !== null && holder !== own)
      return yield* new Conflict({ message: "Another connector has this name." })
  })
