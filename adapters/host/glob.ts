/**
 * Glob patterns as Git reads them: `*`, `?`, `[a-z]` and `\` within a segment, `**` across segments. Matching takes
 * time in proportion to the length of the pattern times the length of the path, whatever both are: a mismatch goes
 * back to the last `*` of a segment and to the last `**` of the path only, which suffices because what lies between
 * two of them always matches the same number of characters or segments.
 */

/** Whether a pattern matches the segments of a path. */
export type Glob = (segments: ReadonlyArray<string>) => boolean

/** Any number of segments. */
const anySegments = Symbol("**")

type SegmentPart = typeof anySegments | ReadonlyArray<Sign>
/** A sign of a segment: a character as it is, a set of them, or a wildcard. */
type Sign = string | typeof anyOne | typeof anyMany | ((character: string) => boolean)
const anyOne = Symbol("?")
const anyMany = Symbol("*")

/** Compiles a pattern. With `coversFolders` a pattern that matches a folder matches all that is in it, too. */
export const compileGlob = (pattern: string, { coversFolders = false } = {}): Glob => {
  const parts: Array<SegmentPart> = pattern
    .replace(/^\/|\/$/g, "")
    .split("/")
    .map((segment) => (segment === "**" ? anySegments : readSegment(segment)))
  // `folder/**` is what is in the folder, and not the folder itself.
  if (parts.length > 1 && parts.at(-1) === anySegments) parts.splice(-1, 0, [anyMany])
  if (coversFolders && parts.at(-1) !== anySegments) parts.push(anySegments)
  return (segments) => matches(segments, parts, anySegments, matchesSegment)
}

/** The folder that everything a pattern matches lies in, or is; empty where the pattern begins with a wildcard. */
export const literalFolder = (pattern: string): string => {
  const segments = pattern.replace(/^\/|\/$/g, "").split("/")
  const first = segments.findIndex((segment) => /[*?[\\]/.test(segment))
  return segments.slice(0, first === -1 ? undefined : first).join("/")
}

/** Matches with one point to go back to: the last wildcard, which then takes one item more. */
const matches = <Item, Part, Wildcard extends Part>(
  items: ReadonlyArray<Item>,
  parts: ReadonlyArray<Part>,
  wildcard: Wildcard,
  isMatch: (item: Item, part: Exclude<Part, Wildcard>) => boolean
): boolean => {
  let [at, part, backAt, backPart] = [0, 0, -1, -1]
  while (at < items.length) {
    const wanted = parts[part]
    const item = items[at]
    if (wanted === wildcard && part < parts.length) [backAt, backPart, part] = [at, part, part + 1]
    else if (
      part < parts.length &&
      wanted !== undefined &&
      item !== undefined &&
      isMatch(item, wanted as Exclude<Part, Wildcard>)
    )
      [at, part] = [at + 1, part + 1]
    else if (backPart === -1) return false
    else {
      if (backPart === parts.length - 1) return true
      backAt += 1
      ;[at, part] = [backAt, backPart + 1]
    }
  }
  while (parts[part] === wildcard && part < parts.length) part += 1
  return part === parts.length
}

const matchesSegment = (segment: string, signs: ReadonlyArray<Sign>): boolean =>
  matches<string, Sign, typeof anyMany>(Array.from(segment), signs, anyMany, (character, sign) =>
    sign === anyOne ? true : typeof sign === "function" ? sign(character) : sign === character
  )

const readSegment = (text: string): ReadonlyArray<Sign> => {
  const signs: Array<Sign> = []
  const characters = Array.from(text)
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? ""
    if (character === "*") {
      if (signs.at(-1) !== anyMany) signs.push(anyMany)
    } else if (character === "?") signs.push(anyOne)
    else if (character === "\\") {
      at += 1
      // A pattern that ends with a backslash matches nothing.
      signs.push(characters[at] ?? (() => false))
    } else if (character === "[") {
      const set = readSet(characters, at)
      signs.push(set.sign)
      at = set.end
    } else signs.push(character)
  }
  return signs
}

/** Reads `[a-z]`, `[!a]` or `[^a]`; one that is not closed matches nothing, as in Git. */
const readSet = (
  characters: ReadonlyArray<string>,
  start: number
): { readonly sign: (character: string) => boolean; readonly end: number } => {
  let at = start + 1
  const isNegated = characters[at] === "!" || characters[at] === "^"
  if (isNegated) at += 1
  const ranges: Array<readonly [from: string, to: string]> = []
  for (let first = true; ; first = false) {
    let from = characters[at]
    if (from === undefined) return { sign: () => false, end: characters.length }
    if (from === "]" && !first) break
    if (from === "\\") from = characters[++at] ?? "\\"
    const to = characters[at + 2]
    if (characters[at + 1] === "-" && to !== undefined && to !== "]") {
      ranges.push([from, to])
      at += 3
    } else {
      ranges.push([from, from])
      at += 1
    }
  }
  return {
    sign: (character) => ranges.some(([from, to]) => from <= character && character <= to) !== isNegated,
    end: at
  }
}
