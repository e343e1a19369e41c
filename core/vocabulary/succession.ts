import type { Concept } from "./model.js"

/** Sorts concepts so that a replaced one comes after its replacement: only a published concept can be a successor. */
export const replacedFirst = (concepts: ReadonlyArray<Concept>): ReadonlyArray<Concept> => {
  const byName = new Map(concepts.map((one) => [one.iri, one]))
  const replaced = new Map<string, Array<string>>()
  for (const { iri, replacedBy } of concepts)
    if (replacedBy !== null) replaced.set(replacedBy, [...(replaced.get(replacedBy) ?? []), iri])
  const placed = new Set<string>()
  const order: Array<Concept> = []
  for (const { iri } of concepts) {
    const open = [iri]
    const seen = new Set(open)
    for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
      const next = (replaced.get(last) ?? []).find((one) => !placed.has(one) && !seen.has(one))
      if (next !== undefined) {
        open.push(next)
        seen.add(next)
        continue
      }
      open.pop()
      const found = byName.get(last)
      if (found !== undefined && !placed.has(last)) order.push(found)
      placed.add(last)
    }
  }
  return order
}
