export { ChunkView, HubConcept, hubConceptsMax, Manifest, MemberPage } from "./model.js"
export * as overviewOperations from "./operations.js"
export { manifest } from "./service.js"
export * from "./store.js"
