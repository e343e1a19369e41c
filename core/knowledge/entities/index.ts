/** Entities: names, aliases, merges, versions with their revisions, and detection of names in texts. */

export * from "./change-request.js"
export { commitEntities, diffOf, diffOfFirst, entitiesChanged, snapshotOf } from "./commit.js"
export * from "./detect.js"
export { entityFindings, inspectEntities } from "./inspect.js"
export * from "./machine.js"
export * from "./model.js"
export * as entityOperations from "./operations.js"
export { Resolution } from "./operations.js"
export { entitiesAt } from "./past.js"
export { mayReview, refuseOthers } from "./reviewer.js"
export {
  createEntity,
  headOf,
  membersOf,
  refuseTakenName,
  resolveEntities,
  updateEntity
} from "./service.js"
export * from "./states.js"
export { stopWords } from "./stop-words.js"
export * from "./store.js"
export * from "./tokens.js"
export { isDetectable } from "./trie.js"
export * from "./view.js"
