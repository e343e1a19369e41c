/**
 * Where sources of one answer contradict each other: statements that speak of the same and cannot both be right, and
 * which of the two governance prefers.
 */
export { findConflicts } from "./conflicts.js"
export { type ConceptStanding, type DeclaredStanding, declaredStanding } from "./preference.js"
