import * as Effect from "effect/Effect"
import { type EntityRecord, EntityStore, newRecord } from "../../core/knowledge/entities/index.js"
import { GraphStore, type Relation } from "../../core/knowledge/graph/index.js"
import { type ApiKey, IdentityStore } from "../../core/platform/identity/index.js"
import { Ids, type WorkspaceScope } from "../../core/platform/kernel/index.js"
import { lawsAt } from "./workspace.js"

/** Puts an entity into the store as it is given, with one revision. */
export const putEntity = (
  scope: WorkspaceScope,
  name: string,
  change: Partial<EntityRecord> = {},
  revised: {
    readonly changeKind?: "create" | "merge" | "certify"
    readonly note?: string
    readonly at?: string
  } = {}
) =>
  Effect.gen(function* () {
    const [ids, store] = [yield* Ids, yield* EntityStore]
    const given = {
      id: ids.make("entity"),
      name,
      type: "thing",
      origin: "manual",
      authority: "asserted"
    } as const
    const after = newRecord({ ...given, ...change }, lawsAt)
    const revision = {
      changeKind: revised.changeKind ?? "create",
      diff: {},
      snapshot: {},
      activity: "ui",
      changedBy: "ann",
      note: revised.note ?? null,
      createdAt: revised.at ?? lawsAt
    }
    yield* store.commit(scope, [{ before: null, after, revision }])
    return after
  })

/** Puts a relation between two heads into the store. */
export const putRelation = (
  scope: WorkspaceScope,
  src: EntityRecord["id"],
  type: string,
  dst: EntityRecord["id"],
  change: Partial<Relation> = {}
) =>
  Effect.gen(function* () {
    const [ids, graph] = [yield* Ids, yield* GraphStore]
    const relation: Relation = {
      id: ids.make("relation"),
      srcId: src,
      type,
      dstId: dst,
      origin: "manual",
      note: null,
      srcHead: src,
      dstHead: dst,
      evidenceCount: 0,
      deletedAt: null,
      createdAt: lawsAt,
      ...change
    }
    yield* graph.saveRelation(scope, relation)
    return relation
  })

/** Puts a person into the store, a member of the workspace, and a key of the workspace by the same name. */
export const putHolders = (scope: WorkspaceScope, name: string, change: Partial<ApiKey> = {}) =>
  Effect.gen(function* () {
    const [ids, identity] = [yield* Ids, yield* IdentityStore]
    const user = { id: ids.make("user"), displayName: name, createdAt: lawsAt }
    yield* identity.insertUser(user)
    yield* identity.putMember(scope, user.id, "member", lawsAt)
    const key: ApiKey = {
      id: ids.make("key"),
      kind: "workspace",
      name,
      prefix: `kn_${name}`,
      scopes: ["kb:read"],
      grant: [scope],
      userId: null,
      access: [],
      createdAt: lawsAt,
      createdBy: "local",
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      replacedBy: null,
      ...change
    }
    yield* identity.insertKey(key, `hash of ${name}`)
    return { user, key }
  })
