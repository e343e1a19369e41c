/** Trash: deleted and merged items, what prevents their restore, and restoring them. */
export { TrashId, TrashKind } from "../overview/index.js"
export { RestoreAck, TrashItem, TrashPage } from "./model.js"
export * as trashOperations from "./operations.js"
