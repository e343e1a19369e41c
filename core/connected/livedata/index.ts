/**
 * Governed live data: connectors to databases, named read-only queries with typed parameters, and a record of every
 * execution. The guard, the session and the account each keep a query from changing anything.
 */

export { type BoundCall, type BoundEntity, boundCalls } from "./bindings.js"
export { functionRefusal, isAllowedFunction, isListedRelation, relationRefusal } from "./functions.js"
export { isSign, isWord, type Token, tokenize } from "./lexer.js"
export * from "./live-databases.js"
export * from "./model.js"
export { type AllowLists, mysqlRefusal } from "./mysql-guard.js"
export { livedataOperations } from "./operations.js"
export { readParams } from "./parameters.js"
export { execute, pruneDataRows } from "./run.js"
export {
  type BoundValue,
  type CompiledStatement,
  compileStatement,
  near,
  type ParamValue
} from "./statement.js"
export * from "./store.js"
