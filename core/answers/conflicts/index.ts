/**
 * Conflicts between sources of one answer: statements about the same subject that cannot both hold, and which of them
 * governance prefers.
 */
export { codesApart, statesCode } from "./codes-apart.js"
export { type Disagreement, disagreementOf } from "./compare.js"
export { findConflicts, findConflictsInTurns } from "./conflicts.js"
export { numbersApart } from "./numbers-apart.js"
export { type ConceptStanding, type DeclaredStanding, declaredStanding } from "./preference.js"
export { type Statement, statementsOf } from "./statements.js"
