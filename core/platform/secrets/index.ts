/** Encrypted credentials of a workspace: storing, opening and re-encrypting them under another master key. */
export { keepSecret, openSecret, replaceSecret, resealSecrets, sealsInUse } from "./service.js"
export * from "./store.js"
