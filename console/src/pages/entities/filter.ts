import type { InputOf } from "../../api/hooks.js"

export const filterNames = ["q", "type", "authority", "lifecycle", "ownerId", "sort"] as const

/** The input of `listEntities` for filters of the address; what the operation does not know, it refuses in words. */
export const entityFilter = (
  values: Readonly<Record<(typeof filterNames)[number], string>>
): InputOf<"listEntities"> =>
  Object.fromEntries(filterNames.flatMap((name) => (values[name] === "" ? [] : [[name, values[name]]])))
