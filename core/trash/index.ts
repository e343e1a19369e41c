export { RestoreAck, TrashId, TrashItem, TrashKind, TrashPage } from "./model.js"
export * as trashOperations from "./operations.js"
export { listTrash, restoreFromTrash } from "./service.js"
export * from "./store.js"
