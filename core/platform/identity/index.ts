/** Users, memberships and API keys with their scopes: authentication and authorization per workspace. */
export { type Admitted, admit } from "./admission.js"
export {
  admitClient,
  allowClient,
  type ClientTokens,
  type ClientWish,
  clientScopes,
  exchangeCode,
  isAccessToken,
  refreshTokens,
  revokeToken
} from "./client-grants.js"
export { takeGroups } from "./groups.js"
export {
  changeRole,
  endMembership,
  invite,
  join,
  listInvitations,
  membersWithAccess,
  type NewPasskey,
  revokeInvitation,
  storePasskey,
  usableInvitation
} from "./invitations.js"
export { keyState, scopesOf } from "./key-scopes.js"
export { keyUses } from "./key-uses.js"
export { type KeyWish, mintAsHost, revokeAsHost, rotateAsHost } from "./keys.js"
export { addMember, createUser, removeMember } from "./members.js"
export * from "./model.js"
export * as identityOperations from "./operations.js"
export { keyItem } from "./operations.js"
export { callerReading, callerSeeingAs, stillReads } from "./principals.js"
export {
  type Rights,
  RoleScopes,
  rightsOfKey,
  rightsOfMember,
  rolePresets,
  type ScopesByRole,
  stillHolds
} from "./rights.js"
export {
  admitSession,
  clientRights,
  endSession,
  listSessions,
  makeLink,
  mayEndSession,
  rightsOfSession,
  type SessionAdmission,
  type SessionLimits,
  type SignedIn,
  sessionEnd,
  sessionsOfHost,
  signInByKey,
  signInByLink,
  startSession,
  workspacesOfSession
} from "./sessions.js"
export * from "./store.js"
export { createWorkspace, findWorkspace } from "./workspaces.js"
