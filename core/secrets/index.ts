export { keepSecret, openSecret, type Resealed, resealSecrets } from "./service.js"
export * from "./store.js"
