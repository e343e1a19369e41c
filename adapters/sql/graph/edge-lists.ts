import type { EdgeEnds, EdgeVisitor } from "../../../core/graph/index.js"
import type { EntityId } from "../../../core/kernel/index.js"
import { fromJson } from "../codec.js"

type TypeCount = readonly [type: string, mentionCount: number]

/** Parses a JSON list of types with mention counts. */
export const typesIn = (pairs: string | null): ReadonlyArray<TypeCount> =>
  pairs === null || pairs === "[]" ? [] : fromJson(pairs)

/** Sorts by mention count descending, then by name. */
export const strongestTypes = (types: ReadonlyArray<TypeCount>): ReadonlyArray<string> =>
  [...types].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([type]) => type)

/** Parses a text of edge ends with mention counts. */
export const endsIn = (joined: string | null): EdgeEnds =>
  (joined === null ? [] : joined.split(","))
    .map((pair) => {
      const gap = pair.indexOf(" ")
      return { id: pair.slice(0, gap) as EntityId, mentionCount: Number(pair.slice(gap + 1)) }
    })
    .sort(strongestFirst)

/** Visits the ends of such a text one by one. */
export const visitEnds = (joined: string, visit: EdgeVisitor): void => {
  for (let at = 0; at < joined.length; ) {
    const gap = joined.indexOf(" ", at)
    const comma = joined.indexOf(",", gap)
    const end = comma < 0 ? joined.length : comma
    visit(joined.slice(at, gap) as EntityId, Number(joined.slice(gap + 1, end)))
    at = end + 1
  }
}

/** Compares by mention count descending, then by the other end. */
export const strongestFirst = (a: EdgeEnds[number], b: EdgeEnds[number]): number =>
  b.mentionCount - a.mentionCount || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
