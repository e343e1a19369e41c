import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { record } from "../../platform/audit/index.js"
import {
  asInvalid,
  atomically,
  Caller,
  Conflict,
  type DataConnectorId,
  Ids,
  InvalidInput,
  NotFound,
  now,
  traced,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { keepSecret, openSecret } from "../../platform/secrets/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import { type DataTarget, LiveDatabases } from "./live-databases.js"
import {
  type ConnectorLimits,
  type ConnectorProbe,
  type ConnectorSettings,
  type DataConnector,
  type DataConnectorKind,
  ServerSettings,
  SqliteSettings
} from "./model.js"
import { LiveDataStore, type StoredConnector } from "./store.js"

/** A connector as it is shown. */
const masked = ({ secret, ...connector }: StoredConnector): DataConnector => ({
  ...connector,
  hasCredential: secret !== null
})

export const findConnector = (workspace: WorkspaceScope, id: DataConnectorId) =>
  Effect.gen(function* () {
    const found = yield* (yield* LiveDataStore).connectors.find(workspace, id)
    return Option.getOrNull(found) ?? (yield* new NotFound({ what: "connector" }))
  })

/** Every connector of the workspace, by name. Opens no connection. */
export const listConnectors = traced("livedata.connectors")(function* () {
  const { workspace } = yield* Caller
  return (yield* (yield* LiveDataStore).connectors.list(workspace)).map(masked)
})

export interface NewConnector {
  readonly name: string
  readonly kind: DataConnectorKind
  readonly settings: unknown
  readonly credential?: string | undefined
  readonly limits?: ConnectorLimits | undefined
  readonly probe: boolean
}

/**
 * Makes a connector. It is tried first, unless that is not wanted: one that fails is stored disabled. Conflict where
 * another one has the name, InvalidInput where the host does not allow such a database.
 */
export const createConnector = traced("livedata.createConnector")(function* (input: NewConnector) {
  const [store, ids, { workspace }, at] = [
    (yield* LiveDataStore).connectors,
    yield* Ids,
    yield* Caller,
    yield* now
  ]
  const settings = yield* settingsOf(input.kind, input.settings)
  yield* refuseTaken(workspace, input.name, null)
  const id = ids.make("dataConnector")
  const target = targetOf({ id, kind: input.kind, settings, updatedAt: at }, input.credential ?? null)
  const probe = input.probe ? yield* (yield* LiveDatabases).probe(workspace, target) : null
  yield* warnOfRights(input.name, probe)
  return yield* atomically(
    Effect.gen(function* () {
      const secret = input.credential === undefined ? null : yield* keepSecret(workspace, input.credential)
      const connector: StoredConnector = {
        id,
        name: input.name,
        kind: input.kind,
        enabled: probe?.ok ?? true,
        settings,
        limits: input.limits ?? {},
        secret,
        createdAt: at,
        updatedAt: at
      }
      if (!(yield* store.insert(workspace, connector))) yield* refuseTaken(workspace, input.name, null)
      const { kind, name } = connector
      const configuration = { name, kind, settings, limits: connector.limits, enabled: connector.enabled }
      const credential = secret === null ? "none" : "set"
      yield* record([
        { action: "data_connector.create", subjectId: id, details: { ...configuration, credential, probe } }
      ])
      return { ...masked(connector), probe }
    })
  )
})

export interface ConnectorChange {
  readonly name?: string | undefined
  readonly settings?: unknown
  readonly credential?: string | null | undefined
  readonly limits?: ConnectorLimits | undefined
  readonly enabled?: boolean | undefined
  readonly probe?: boolean | undefined
}

/**
 * Changes a connector: limits are merged, settings replaced. A credential goes where its owner sent it: with another
 * server, account or weaker encryption it is erased, unless a new one comes along. What changes how the database is
 * reached is tried, and one that fails is disabled.
 */
export const updateConnector = traced("livedata.updateConnector")(function* (
  id: DataConnectorId,
  change: ConnectorChange
) {
  const [store, databases, { workspace }] = [
    (yield* LiveDataStore).connectors,
    yield* LiveDatabases,
    yield* Caller
  ]
  const before = yield* findConnector(workspace, id)
  const settings =
    change.settings === undefined ? before.settings : yield* settingsOf(before.kind, change.settings)
  if (change.name !== undefined) yield* refuseTaken(workspace, change.name, id)
  const isSent = isSentElsewhere(before.settings, settings)
  const keepsCredential = change.credential === undefined && !isSent
  const plain =
    change.credential ??
    (keepsCredential && before.secret !== null
      ? Redacted.value(yield* openSecret(workspace, before.secret))
      : null)
  const at = yield* now
  const reaches = change.settings !== undefined || change.credential !== undefined || change.enabled === true
  const target = targetOf({ ...before, settings, updatedAt: at }, plain)
  const probe = (change.probe ?? reaches) ? yield* databases.probe(workspace, target) : null
  yield* warnOfRights(change.name ?? before.name, probe)
  const changed = yield* atomically(
    Effect.gen(function* () {
      const secret = keepsCredential
        ? before.secret
        : typeof change.credential === "string"
          ? yield* keepSecret(workspace, change.credential)
          : null
      const wanted = change.enabled ?? before.enabled
      const after: StoredConnector = {
        ...before,
        name: change.name ?? before.name,
        settings,
        limits: { ...before.limits, ...change.limits },
        enabled: wanted && (probe?.ok ?? true),
        secret,
        updatedAt: at
      }
      if (isSame(before, after)) return before
      const done = yield* store.replace(workspace, after, before.updatedAt)
      if (done === "name_taken") yield* refuseTaken(workspace, after.name, id)
      if (done !== "done")
        return yield* new Conflict({ message: "Somebody else changed the connector at the same moment." })
      if (before.secret !== null && before.secret !== secret)
        yield* (yield* WorkspaceStore).secrets.remove(workspace, before.secret)
      const { enabled, limits, name } = after
      const credential = keepsCredential ? "kept" : secret === null ? "erased" : "set"
      yield* record([
        {
          action: "data_connector.update",
          subjectId: id,
          details: { name, settings, limits, enabled, credential, probe }
        }
      ])
      return after
    })
  )
  if (changed !== before) yield* databases.close(workspace, id)
  return { ...masked(changed), probe }
})

/** Deletes a connector: its credential is erased, its queries answer that it is disabled, its calls stay. */
export const deleteConnector = traced("livedata.deleteConnector")(function* (id: DataConnectorId) {
  const [store, { workspace }] = [(yield* LiveDataStore).connectors, yield* Caller]
  yield* atomically(
    Effect.gen(function* () {
      const { name, secret } = yield* findConnector(workspace, id)
      yield* store.remove(workspace, id, yield* now)
      if (secret !== null) yield* (yield* WorkspaceStore).secrets.remove(workspace, secret)
      yield* record([{ action: "data_connector.delete", subjectId: id, details: { name } }])
    })
  )
  yield* (yield* LiveDatabases).close(workspace, id)
  return { deleted: true, id }
})

/** Settings as their kind wants them, if the host allows them; what is wrong is told under `settings`. */
const settingsOf = (kind: DataConnectorKind, given: unknown) =>
  Effect.gen(function* () {
    const read = (kind === "sqlite" ? SqliteSettings : ServerSettings).safeParse(given)
    if (!read.success) {
      const { issues } = asInvalid(read.error)
      return yield* new InvalidInput({
        issues: issues.map((issue) => ({ ...issue, path: ["settings", ...issue.path] }))
      })
    }
    const refusal = yield* (yield* LiveDatabases).refusalOf(kind, read.data)
    if (refusal === null) return read.data
    const field = kind === "sqlite" ? "path" : "host"
    return yield* new InvalidInput({
      issues: [{ path: ["settings", field], code: "not_allowed", message: refusal }]
    })
  })

const refuseTaken = (workspace: WorkspaceScope, name: string, own: DataConnectorId | null) =>
  Effect.gen(function* () {
    const holder = Option.getOrNull(yield* (yield* LiveDataStore).connectors.named(workspace, name))
    if (holder !== null && holder !== own)
      return yield* new Conflict({ message: "Another connector has this name." })
  })

const isSentElsewhere = (before: ConnectorSettings, after: ConnectorSettings): boolean => {
  if (!("host" in before) || !("host" in after)) return false
  const isWeaker = after.tls !== before.tls && after.tls !== "verify"
  return before.host !== after.host || before.port !== after.port || before.user !== after.user || isWeaker
}

const isSame = (before: StoredConnector, after: StoredConnector): boolean =>
  JSON.stringify({ ...before, updatedAt: "" }) === JSON.stringify({ ...after, updatedAt: "" })

const warnOfRights = (name: string, probe: ConnectorProbe | null) =>
  probe?.ok === true && !probe.readOnlyProven
    ? Effect.logWarning(
        `The account of the connector "${name}" can do more than read: ${probe.message ?? ""}`
      )
    : Effect.void

/** A database to ask, with its credential opened. */
export const openTarget = (workspace: WorkspaceScope, connector: StoredConnector) =>
  Effect.gen(function* () {
    const plain =
      connector.secret === null ? null : Redacted.value(yield* openSecret(workspace, connector.secret))
    return targetOf(connector, plain)
  })

const targetOf = (
  { id, kind, settings, updatedAt }: Pick<StoredConnector, "id" | "kind" | "settings" | "updatedAt">,
  credential: string | null
): DataTarget => ({
  id,
  version: updatedAt,
  kind,
  settings,
  credential: credential === null ? null : Redacted.make(credential)
})
