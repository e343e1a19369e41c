import type { Language } from "./language.js"
import { TermSet } from "./terms.js"

/** Terms that are looked for in many sets: what a set holds of each stands in a row, in their order. */
export class Sought {
  private readonly rows = new Map<TermSet, Float64Array>()

  constructor(
    private readonly terms: ReadonlyArray<string>,
    private readonly language: Language
  ) {}

  /**
   * How well the set carries each, 0 to 1.
   *
   * @param within A set that holds all of this one: what it carries nothing of need not be looked for.
   */
  rowOf(set: TermSet, within?: TermSet): Float64Array {
    const held = this.rows.get(set)
    if (held !== undefined) return held
    const row = new Float64Array(this.terms.length)
    const places = within === undefined ? null : this.rowOf(within)
    for (let at = 0; at < row.length; at += 1)
      if (places === null || places[at] !== 0) row[at] = set.match(this.terms[at] ?? "", this.language)
    this.rows.set(set, row)
    return row
  }

  /** The same of several sets as if they were one. */
  rowOfAll(sets: ReadonlyArray<TermSet>): Float64Array {
    return Float64Array.from(this.terms, (term) => TermSet.matchIn(sets, term, this.language))
  }
}
