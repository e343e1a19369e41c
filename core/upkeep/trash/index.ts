/** Trash: deleted and merged items, what prevents their restore, and restoring them. */
export { RestoreAck, TrashId, TrashItem, TrashKind, TrashPage } from "./model.js"
export * as trashOperations from "./operations.js"
export { listTrash, restoreFromTrash } from "./service.js"
export * from "./store.js"
