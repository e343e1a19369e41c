/**
 * Conflicts between sources of one answer: statements about the same subject that cannot both hold, and which of them
 * governance prefers.
 */
export { findConflicts, findConflictsInTurns } from "./conflicts.js"
export { type ConceptStanding, type DeclaredStanding, declaredStanding } from "./preference.js"
