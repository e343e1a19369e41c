import { z } from "zod"
import { GroupName } from "../../../../core/platform/access/index.js"
import {
  type ApiKey,
  type KeyRemains,
  KeyScope,
  keyKinds,
  type Member,
  memberRoles,
  type User
} from "../../../../core/platform/identity/index.js"
import { KeyId, SecretId, Timestamp, UserId, WorkspaceId } from "../../../../core/platform/kernel/index.js"
import { formatUsd, type MonthlyUsage } from "../../../../core/platform/models/index.js"
import { fromJson, ifReadable, ofShape, toJson, toNumber } from "../../codec.js"
import { type Cell, columnsOf, text } from "../../columns.js"

/** The columns of a key that readers look at before they read all of it. */
export interface KeyRow {
  readonly id: KeyId
  readonly kind: string
  readonly user_id: string | null
  readonly scopes: string
  readonly reaches_all: unknown
  readonly access: string | null
}

/** All columns but the scopes, which may be damaged, and the workspaces that it reaches. */
const keyColumns = columnsOf<Omit<ApiKey, "scopes" | "grant" | "access">>({
  id: text(),
  kind: text(),
  name: text(),
  prefix: text(),
  userId: text(),
  createdAt: text(),
  createdBy: text(),
  lastUsedAt: text(),
  expiresAt: text(),
  revokedAt: text(),
  replacedBy: text()
})

export const keyToRow = (key: ApiKey): Record<string, Cell> => ({
  ...keyColumns.write(key),
  scopes: toJson(key.scopes),
  access: key.access.length === 0 ? null : toJson(key.access),
  reaches_all: key.grant === "all" ? 1 : 0
})

export interface UserRow {
  readonly id: User["id"]
}

export interface MemberRow extends UserRow {
  readonly role: Member["role"]
  readonly since: string
}

const When = Timestamp.nullable()

/** Valid fields of a key; a key with other values grants nothing. */
const Key = z.object({
  id: KeyId,
  kind: z.enum(keyKinds),
  name: z.string(),
  prefix: z.string(),
  scopes: z.array(KeyScope),
  grant: z.union([z.literal("all"), z.array(WorkspaceId)]),
  userId: UserId.nullable(),
  access: z.union([z.literal("all"), z.array(GroupName)]),
  createdAt: Timestamp,
  createdBy: z.string(),
  lastUsedAt: When,
  expiresAt: When,
  revokedAt: When,
  replacedBy: KeyId.nullable()
})

const Flag = z.union([z.literal(0), z.literal(1)])

export const keyFromRow = (row: KeyRow, grants: ReadonlyArray<string>): ApiKey => {
  const what = `the key ${row.id}`
  return ofShape(Key, what, {
    ...keyColumns.read(row),
    scopes: fromJson(row.scopes),
    access: row.access === null ? [] : fromJson(row.access),
    grant: ofShape(Flag, what, toNumber(row.reaches_all)) === 1 ? "all" : grants
  })
}

/** Like `Key`, with empty values for unreadable fields. */
const Remains = z.object({
  id: KeyId,
  kind: Key.shape.kind,
  name: Key.shape.name.catch(""),
  prefix: Key.shape.prefix.catch(""),
  scopes: Key.shape.scopes.catch([]),
  grant: Key.shape.grant.catch([]),
  userId: Key.shape.userId.catch(null),
  access: Key.shape.access.catch([]),
  createdAt: Key.shape.createdAt.catch("1970-01-01T00:00:00.000Z"),
  createdBy: Key.shape.createdBy.catch(""),
  lastUsedAt: When.catch(null),
  expiresAt: When.catch(null),
  revokedAt: When.catch(null),
  replacedBy: Key.shape.replacedBy.catch(null)
})

/** Returns the readable fields of a key and whether they are all; a damaged key can still be revoked. */
export const keyRemains = (row: KeyRow, grants: ReadonlyArray<string>): KeyRemains => {
  const whole = ifReadable((one: KeyRow) => keyFromRow(one, grants), row)
  if (whole !== null) return { key: whole, isWhole: true }
  const kind = Key.shape.kind.safeParse(row.kind).data ?? (row.user_id === null ? "workspace" : "user")
  const named = grants.filter((one) => WorkspaceId.safeParse(one).success)
  const readableFields = {
    ...keyColumns.read(row),
    kind,
    scopes: ifReadable(fromJson, row.scopes),
    access: row.access === null ? [] : ifReadable(fromJson, row.access),
    grant: toNumber(row.reaches_all) === 1 ? "all" : named
  }
  return { key: ofShape(Remains, `the key ${row.id}`, readableFields), isWhole: false }
}

const KnownUser = z.object({ id: UserId, displayName: z.string(), createdAt: Timestamp })

export const userColumns = columnsOf<User>({ id: text(), displayName: text(), createdAt: text() })

export const userFromRow = (row: UserRow): User =>
  ofShape(KnownUser, `the user ${row.id}`, userColumns.read(row))

/** An unreadable role grants the least. */
const Role = z.enum(memberRoles).catch("reader")

export const roleFromRow = ({ role }: { readonly role: string }): Member["role"] => Role.parse(role)

const Membership = z.object({ role: z.enum(memberRoles), since: Timestamp })

export const memberFromRow = (row: MemberRow): Member => ({
  user: userFromRow(row),
  ...ofShape(Membership, `the member ${row.id}`, { role: row.role, since: row.since })
})

/** A row of monthly usage, with the cost as text because it may exceed a JavaScript number. */
export interface UsageRow {
  readonly input: unknown
  readonly output: unknown
  readonly cost: string | null
}

const Count = z.int().min(0)
const Cost = z.string().regex(/^\d{1,30}$/)

export const usageFromRow = ({ cost, input, output }: UsageRow): MonthlyUsage => {
  const what = "what models used in a month"
  return {
    inputTokens: ofShape(Count, what, wholeNumber(input)),
    outputTokens: ofShape(Count, what, wholeNumber(output)),
    costUsd: formatUsd(BigInt(ofShape(Cost, what, cost)))
  }
}

/** Earlier versions added up what providers reported, so a sum may be a fraction or beyond 2^53. */
const wholeNumber = (value: unknown): number => Math.min(Math.ceil(toNumber(value)), Number.MAX_SAFE_INTEGER)

export const secretIdFrom = (id: string): SecretId => ofShape(SecretId, "a credential", id)
