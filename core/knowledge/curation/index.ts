/** Curation: authority, ownership and lifecycle of entities, and change requests. */
export {
  Proposal,
  RequestReview,
  requestTable
} from "./model.js"
export * as curationOperations from "./operations.js"
export { previewRequest } from "./preview.js"
export { proposeChange, requestsDecided } from "./requests.js"
export { deprecate } from "./service.js"
