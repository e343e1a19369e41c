/**
 * Who vouches for an entity, who looks after it and how far it has come; and changes that are proposed and approved.
 */
export {
  ChangeRequest,
  Proposal,
  RequestKind,
  RequestReview,
  RequestStatus,
  requestTable
} from "./model.js"
export * as curationOperations from "./operations.js"
export { previewRequest } from "./preview.js"
export { proposeChange, requestsDecided } from "./requests.js"
export { deprecate } from "./service.js"
export * from "./store.js"
