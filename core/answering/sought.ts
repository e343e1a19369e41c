import type { Language } from "./language.js"
import { TermSet } from "./terms.js"

/** Terms that are looked for in many sets: what a set holds of each stands in a row, in their order. */
export class Sought {
  private readonly terms: ReadonlyArray<string>

  constructor(
    terms: ReadonlyArray<string>,
    private readonly language: Language
  ) {
    this.terms = terms
  }

  /** How well the set carries each, 0 to 1. */
  rowOf(set: TermSet): Float64Array {
    const row = new Float64Array(this.terms.length)
    for (let at = 0; at < row.length; at += 1) row[at] = set.match(this.terms[at] ?? "", this.language)
    return row
  }

  /** The same of several sets as if they were one. */
  rowOfAll(sets: ReadonlyArray<TermSet>): Float64Array {
    return Float64Array.from(this.terms, (term) => TermSet.matchIn(sets, term, this.language))
  }
}
