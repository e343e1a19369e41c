/** Maximum nesting of a record. */
const depthMax = 64

/** Returns what makes a parsed JSON value invalid in a record, as a sentence, or undefined. */
export const unfitJson = (value: unknown, depth = 1): string | undefined => {
  if (typeof value === "string") return value.isWellFormed() ? undefined : "A text contains a lone surrogate."
  if (typeof value !== "object" || value === null) return undefined
  if (depth > depthMax) return `It is nested deeper than ${depthMax} levels.`
  for (const [name, member] of Object.entries(value)) {
    if (name === "__proto__") return "A member is called __proto__."
    const problem =
      (name.isWellFormed() ? undefined : "A name contains a lone surrogate.") ?? unfitJson(member, depth + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Compares by code points, which is the order of UTF-8 bytes; negative if `a` comes first. */
export const compareCodePoints = (a: string, b: string): number => {
  const shorter = Math.min(a.length, b.length)
  for (let at = 0; at < shorter; at++) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (left !== right) return rankOfUnit(left) - rankOfUnit(right)
  }
  return a.length - b.length
}

/** Ranks a UTF-16 unit by code point order, in which surrogate pairs follow U+FFFF. */
const rankOfUnit = (unit: number): number =>
  unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit
