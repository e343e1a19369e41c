/** Deepest nesting of a record. */
const depthMax = 64

/** What a parsed JSON value holds that no record may hold, as a sentence; undefined when there is nothing. */
export const unfitJson = (value: unknown, depth = 1): string | undefined => {
  if (typeof value === "string") return value.isWellFormed() ? undefined : "A text holds a lone surrogate."
  if (typeof value !== "object" || value === null) return undefined
  if (depth > depthMax) return `It is nested deeper than ${depthMax} levels.`
  for (const [name, member] of Object.entries(value)) {
    if (name === "__proto__") return "A member is called __proto__."
    const problem =
      (name.isWellFormed() ? undefined : "A name holds a lone surrogate.") ?? unfitJson(member, depth + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Order by code points, which is the order of the UTF-8 bytes: negative when `a` comes first. */
export const compareCodePoints = (a: string, b: string): number => {
  const shorter = Math.min(a.length, b.length)
  for (let at = 0; at < shorter; at++) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (left !== right) return rankOfUnit(left) - rankOfUnit(right)
  }
  return a.length - b.length
}

/** UTF-16 puts surrogates before U+E000, code points put what they spell behind U+FFFF. */
const rankOfUnit = (unit: number): number =>
  unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit
