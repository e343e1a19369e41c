import type { Language } from "../languages/index.js"
import { type SoughtTerm, soughtTerm, TermSet } from "./terms.js"

/** How well something covers each sought term, in order, 0 to 1. */
export type Row = ReadonlyArray<number>

/** Terms to be looked up in many sets; the result for a set is a row, in the order of the terms. */
export class TermLookup {
  private readonly rows = new Map<TermSet, Row>()
  private readonly places: ReadonlyMap<string, number>
  private readonly sought: ReadonlyArray<SoughtTerm>
  /** An empty row. Filled with fractions, so that every copy is an array of doubles from the start. */
  private readonly blank: Row

  constructor(
    terms: ReadonlyArray<string>,
    private readonly language: Language
  ) {
    this.places = new Map(terms.map((term, at) => [term, at]))
    this.sought = terms.map((term) => soughtTerm(term, language))
    this.blank = terms.map(() => 0.5).fill(0)
  }

  /** Returns the index of a term in the rows; null when it is not among the terms. */
  placeOf(term: string): number | null {
    return this.places.get(term) ?? null
  }

  /** Returns how well a set covers a term, 0 to 1. */
  match(set: TermSet, term: string): number {
    const place = this.places.get(term)
    return place === undefined ? set.match(term, this.language) : (this.rowOf(set)[place] ?? 0)
  }

  /** Returns the same for several sets treated as one. */
  matchIn(sets: ReadonlyArray<TermSet>, term: string): number {
    let [found, holders] = [0, 0]
    for (const set of sets) {
      const match = this.match(set, term)
      if (match === 1) return 1
      if (match > 0) [found, holders] = [match, holders + 1]
    }
    // When several sets cover a term in part, `TermSet` combines them.
    return holders < 2 ? found : TermSet.matchIn(sets, term, this.language)
  }

  /** Returns the coverage of each term; cached. */
  rowOf(set: TermSet): Row {
    const cached = this.rows.get(set)
    if (cached !== undefined) return cached
    const row = this.lookedUp(set, null)
    this.rows.set(set, row)
    return row
  }

  /**
   * Returns the same without caching, for callers with very many sets.
   *
   * @param within A superset; terms that it does not cover are skipped.
   */
  rowWithin(set: TermSet, within: TermSet): Row {
    return this.rows.get(set) ?? this.lookedUp(set, this.rowOf(within))
  }

  /** Returns the same for several sets treated as one. */
  rowOfAll(sets: ReadonlyArray<TermSet>): Row {
    return this.sought.map((term) => TermSet.matchSoughtIn(sets, term))
  }

  private lookedUp(set: TermSet, within: Row | null): Row {
    let row: Array<number> | undefined
    for (let at = 0; at < this.sought.length; at += 1) {
      const term = this.sought[at]
      if (term === undefined || within?.[at] === 0) continue
      const match = set.matchSought(term)
      if (match === 0) continue
      row ??= this.blank.slice()
      row[at] = match
    }
    return row ?? this.blank
  }
}
