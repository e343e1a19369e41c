import type { WarningCounter } from "./import-warnings.js"
import { rdf, skos, words } from "./words.js"

/** Collects the RDF lists of ordered collections. */
export const listing = (notKept: WarningCounter) => {
  /** The first node of each collection's list, and for each list node its item and the next node. */
  const lists = new Map<string, string>()
  const [first, rest] = [new Map<string, string>(), new Map<string, string>()]
  return {
    /** Records a statement; returns whether it is about lists. */
    link: (subject: string, predicate: string, target: string): boolean => {
      if (predicate === `${skos}memberList`) {
        if (lists.has(subject) && lists.get(subject) !== target) notKept.add(predicate, "one_only", subject)
        lists.set(subject, target)
      } else if (predicate === words.first) first.set(subject, target)
      else if (predicate === words.rest) rest.set(subject, target)
      else return false
      return true
    },
    heads: (): Iterable<string> => lists.keys(),
    /** Returns the items of a collection in order, without duplicates. */
    items: (collection: string): ReadonlyArray<string> => {
      const items = new Set<string>()
      const seen = new Set([`${rdf}nil`])
      for (let at = lists.get(collection); at !== undefined && !seen.has(at); at = rest.get(at)) {
        seen.add(at)
        const item = first.get(at)
        if (item !== undefined) items.add(item)
      }
      return [...items]
    }
  }
}
