/** A line of a text with its offsets. */
export interface Line {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** A field of front matter; the items of a list are separated by commas. */
interface Field {
  readonly key: string
  readonly value: string
  readonly start: number
  readonly end: number
}

/** Returns the fields of front matter. */
export const fieldsIn = (lines: ReadonlyArray<Line>): ReadonlyArray<Field> =>
  lines.flatMap(({ end, start, text }, at): ReadonlyArray<Field> => {
    const [, key, given = ""] = /^(\p{L}[\p{L}\p{N}_ -]{0,60}):(?:\s+(.*))?$/u.exec(text.trimEnd()) ?? []
    if (key === undefined) return []
    const value = given.trim().replace(/^#.*$/u, "")
    if (value !== "") {
      const items = /^\[(.*)\]$/u
        .exec(value)?.[1]
        ?.split(",")
        .map((one) => unquoted(one.trim()))
      return [{ key, value: items?.join(", ") ?? value, start, end }]
    }
    const below = lines.slice(at + 1)
    const length = below.findIndex((line) => !/^\s*-\s+\S/u.test(line.text))
    const listed = below.slice(0, length < 0 ? below.length : length)
    const items = listed.map((line) => unquoted(line.text.replace(/^\s*-\s+/u, "").trim()))
    return items.length === 0 ? [] : [{ key, value: items.join(", "), start, end: listed.at(-1)?.end ?? end }]
  })

/** Returns a value without the quotes around it. */
export const unquoted = (value: string): string => /^(["'])(.*)\1\s*$/u.exec(value)?.[2] ?? value
