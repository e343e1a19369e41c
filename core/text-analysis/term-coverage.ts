import type { Language } from "./language.js"
import { type SoughtTerm, soughtTerm, TermSet } from "./terms.js"

/** How well something carries each term that is sought, in their order, 0 to 1. */
export type Row = ReadonlyArray<number>

/** Terms that are looked for in many sets: what a set holds of each stands in a row, in their order. */
export class Sought {
  private readonly rows = new Map<TermSet, Row>()
  private readonly places: ReadonlyMap<string, number>
  private readonly sought: ReadonlyArray<SoughtTerm>
  /** A row of one that carries nothing: made of fractions, so that every copy is an array of them from the start. */
  private readonly blank: Row

  constructor(
    terms: ReadonlyArray<string>,
    private readonly language: Language
  ) {
    this.places = new Map(terms.map((term, at) => [term, at]))
    this.sought = terms.map((term) => soughtTerm(term, language))
    this.blank = terms.map(() => 0.5).fill(0)
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

  /** How well the set carries each; remembered. */
  rowOf(set: TermSet): Row {
    const held = this.rows.get(set)
    if (held !== undefined) return held
    const row = this.lookedUp(set, null)
    this.rows.set(set, row)
    return row
  }

  /**
   * The same of one of very many sets, which its asker remembers.
   *
   * @param within A set that holds all of this one: what it carries nothing of need not be looked for.
   */
  rowWithin(set: TermSet, within: TermSet): Row {
    return this.rows.get(set) ?? this.lookedUp(set, this.rowOf(within))
  }

  /** The same of several sets as if they were one. */
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
