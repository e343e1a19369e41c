/** What was deleted or merged away, what stands in the way of its return, and bringing it back. */
export { RestoreAck, TrashId, TrashItem, TrashKind, TrashPage } from "./model.js"
export * as trashOperations from "./operations.js"
export { listTrash, restoreFromTrash } from "./service.js"
export * from "./store.js"
