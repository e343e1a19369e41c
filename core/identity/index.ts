/** Users, memberships and API keys with their scopes: authentication and authorization per workspace. */
export { keyState, scopesOf } from "./key-scopes.js"
export { keyUses } from "./key-uses.js"
export * from "./model.js"
export * as identityOperations from "./operations.js"
export { keyItem } from "./operations.js"
export {
  type Admitted,
  addMember,
  admit,
  createUser,
  isStillAdmitted,
  type KeyWish,
  mintAsHost,
  removeMember,
  revokeAsHost,
  rotateAsHost
} from "./service.js"
export * from "./store.js"
export { createWorkspace, findWorkspace } from "./workspaces.js"
