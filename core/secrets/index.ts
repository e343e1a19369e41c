/**
 * Credentials of a workspace, sealed: kept, opened where they are used, and sealed anew under another master key.
 */
export { keepSecret, openSecret, type Resealed, resealSecrets, sealsInUse } from "./service.js"
export * from "./store.js"
