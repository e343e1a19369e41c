import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  changeRole,
  endMembership,
  type Invitation,
  invite,
  listInvitations,
  memberRoles,
  membersWithAccess,
  revokeAsHost,
  revokeInvitation
} from "../../core/platform/identity/index.js"
import {
  scopes as allScopes,
  DeleteAck,
  InvitationId,
  KeyId,
  NotFound,
  operation,
  Timestamp,
  UserId
} from "../../core/platform/kernel/index.js"
import { type Row, row } from "../catalog/row.js"

// Members of the workspace for its administrators: roles, invitations, and the user keys of members.

const scopes = ["workspace:admin"] as const
const Role = z.enum(memberRoles)

const list = operation({
  name: "listMemberAccess",
  summary: "List the members of the workspace with when they were last seen and how they can sign in.",
  scopes,
  effect: "read",
  input: z.object({}),
  output: z.object({
    items: z.array(
      z.object({
        id: UserId,
        displayName: z.string(),
        role: Role,
        scopes: z.array(z.enum(allScopes)),
        since: Timestamp,
        lastSeenAt: Timestamp.nullable(),
        passkeys: z.int(),
        logins: z.int(),
        keys: z.array(z.object({ id: KeyId, name: z.string(), prefix: z.string() }))
      })
    )
  }),
  faults: [],
  run: () =>
    Effect.map(membersWithAccess, (items) => ({
      items: items.map((item) => ({
        ...item,
        scopes: [...item.scopes],
        keys: item.keys.map(({ id, name, prefix }) => ({ id, name, prefix }))
      }))
    }))
})

const change = operation({
  name: "changeMemberRole",
  summary: "Change the role of a member from their next request on.",
  scopes,
  effect: "idempotent",
  input: z.object({ id: UserId, role: Role }),
  output: z.object({ id: UserId, role: Role }),
  faults: ["NotFound", "Conflict"],
  run: ({ id, role }) => Effect.as(changeRole(id, role), { id, role })
})

const remove = operation({
  name: "removeMember",
  summary: "End a membership. Sessions and keys of the member lose the workspace at once.",
  scopes,
  effect: "idempotent",
  input: z.object({ id: UserId }),
  output: DeleteAck,
  faults: ["NotFound", "Conflict"],
  run: ({ id }) => Effect.as(endMembership(id), { deleted: true, id })
})

const revokeKey = operation({
  name: "revokeMemberKey",
  summary: "Revoke a user key of a member.",
  scopes,
  effect: "idempotent",
  input: z.object({ id: UserId, keyId: KeyId }),
  output: DeleteAck,
  faults: ["NotFound", "Conflict"],
  run: ({ id, keyId }) =>
    Effect.gen(function* () {
      const member = (yield* membersWithAccess).find((one) => one.id === id)
      if (member?.keys.some((key) => key.id === keyId) !== true) return yield* new NotFound({ what: "key" })
      yield* revokeAsHost(keyId)
      return { deleted: true, id: keyId }
    })
})

const InvitationShape = z.object({
  id: InvitationId,
  role: Role,
  userId: UserId.nullable(),
  createdBy: z.string(),
  createdAt: Timestamp,
  expiresAt: Timestamp
})

const itemOf = ({ createdAt, createdBy, expiresAt, id, role, userId }: Invitation) => ({
  id,
  role,
  userId,
  createdBy,
  createdAt,
  expiresAt
})

const make = operation({
  name: "inviteMember",
  summary:
    "Make an invitation that is good once within seven days, or a link for a member without a passkey.",
  scopes,
  effect: "write",
  input: z.object({ role: Role.default("member"), userId: UserId.optional() }),
  output: InvitationShape.extend({ token: z.string() }),
  faults: ["NotFound", "Conflict"],
  run: ({ role, userId }) =>
    Effect.map(invite(role, userId ?? null), ({ invitation, token }) => ({ ...itemOf(invitation), token }))
})

const invitations = operation({
  name: "listInvitations",
  summary: "List the invitations that can still be used, newest first.",
  scopes,
  effect: "read",
  input: z.object({}),
  output: z.object({ items: z.array(InvitationShape) }),
  faults: [],
  run: () => Effect.map(listInvitations, (items) => ({ items: items.map(itemOf) }))
})

const revoke = operation({
  name: "revokeInvitation",
  summary: "Revoke an invitation that was not used.",
  scopes,
  effect: "idempotent",
  input: z.object({ id: InvitationId }),
  output: DeleteAck,
  faults: ["NotFound"],
  run: ({ id }) => Effect.as(revokeInvitation(id), { deleted: true, id })
})

export const memberRows: ReadonlyArray<Row> = [
  row(list, "GET", "/console/members"),
  row(change, "PATCH", "/console/members/{id}"),
  row(remove, "DELETE", "/console/members/{id}"),
  row(revokeKey, "DELETE", "/console/members/{id}/keys/{keyId}"),
  row(make, "POST", "/console/invitations", { status: 201 }),
  row(invitations, "GET", "/console/invitations"),
  row(revoke, "DELETE", "/console/invitations/{id}")
]
