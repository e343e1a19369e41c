import type { Language } from "./language.js"
import { TermSet } from "./terms.js"

/** Terms that are looked for in many sets: what a set holds of each stands in a row, in their order. */
export class Sought {
  private readonly rows = new Map<TermSet, Float64Array>()
  private readonly places: ReadonlyMap<string, number>

  constructor(
    private readonly terms: ReadonlyArray<string>,
    private readonly language: Language
  ) {
    this.places = new Map(terms.map((term, at) => [term, at]))
  }

  /** Where a term stands in the rows; null of one that is not looked for. */
  placeOf(term: string): number | null {
    return this.places.get(term) ?? null
  }

  /** How well a set carries a term, 0 to 1. */
  match(set: TermSet, term: string): number {
    const place = this.places.get(term)
    return place === undefined ? set.match(term, this.language) : (this.rowOf(set)[place] ?? 0)
  }

  /** The same of several sets as if they were one. */
  matchIn(sets: ReadonlyArray<TermSet>, term: string): number {
    let [found, holders] = [0, 0]
    for (const set of sets) {
      const match = this.match(set, term)
      if (match === 1) return 1
      if (match > 0) [found, holders] = [match, holders + 1]
    }
    // How what several carry in part counts together is told by the sets themselves.
    return holders < 2 ? found : TermSet.matchIn(sets, term, this.language)
  }

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
