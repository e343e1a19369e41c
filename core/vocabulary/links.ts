import type { Concept } from "./model.js"

/** A link of a concept with its relation type; null for its successor, which is no relation. */
export interface Link {
  readonly target: string
  readonly type: LinkType | null
}
export type LinkType = "broader" | "related"

export const linksOf = ({ broader, related, replacedBy }: Concept): ReadonlyArray<Link> => [
  ...broader.map((target): Link => ({ target, type: "broader" })),
  ...related.map((target): Link => ({ target, type: "related" })),
  ...(replacedBy === null ? [] : [{ target: replacedBy, type: null }])
]
