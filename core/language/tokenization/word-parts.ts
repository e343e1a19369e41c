/** Start and end offsets of a part. */
export type Slice = readonly [number, number]

/** More parts than this form a list or a path, not a code. */
export const partsMax = 6
const wholeUnitsMax = 48

/**
 * Returns the normalized form of a compound that is one code, else null. Hyphens, underscores and thousands separators
 * are removed (`KX-2041` and `KX2041` are equal), dots stay (`1.2.3` is not `12.3`). Words that are only hyphenated or
 * separated by a dot are not codes.
 */
export const compoundJoins = (text: string, parts: ReadonlyArray<Slice>): string | null => {
  const first = parts[0]
  const last = parts[parts.length - 1]
  if (
    first === undefined ||
    last === undefined ||
    parts.length > partsMax ||
    last[1] - first[0] > wholeUnitsMax
  )
    return null
  let whole = text.slice(first[0], first[1])
  let isCode = /\d/u.test(whole)
  for (let i = 1; i < parts.length; i++) {
    const before = parts[i - 1]
    const part = parts[i]
    if (before === undefined || part === undefined) return null
    const piece = text.slice(part[0], part[1])
    const joiner = text[before[1]]
    if (joiner === "." || joiner === ",") {
      if (!/\d$/u.test(whole) || !/^\d/u.test(piece)) return null
      if (joiner === "," && !/^\d{3}$/u.test(piece)) return null
    }
    if (joiner === "_" || /\d/u.test(piece)) isCode = true
    whole += joiner === "." ? `.${piece}` : piece
  }
  return isCode ? whole : null
}

/** A hyphenated word has few parts; more are a phrase (`up-to-date-ness-of-it`). */
const joinedPartsMax = 3

/**
 * Returns a hyphenated word without its hyphens (`set-up`, `gear-` and `box` on the next line); null when it has other
 * joiners or too many parts.
 */
export const hyphenJoins = (text: string, parts: ReadonlyArray<Slice>): string | null => {
  const last = parts[parts.length - 1]
  if (last === undefined || parts.length < 2 || parts.length > joinedPartsMax) return null
  if (last[1] - (parts[0]?.[0] ?? 0) > wholeUnitsMax) return null
  if (!parts.slice(0, -1).every(([, end]) => /[-\u2010\u2011]/u.test(text.charAt(end)))) return null
  return parts.map(([start, end]) => text.slice(start, end)).join("")
}

/**
 * Returns the parts of a run with case changes (`camelCase`, `HTTPServer`) or a number after letters (`KX2041`); null
 * when it is one word. A plural of capitals (`EIPs`) is one word.
 */
export const splitRun = (raw: string): ReadonlyArray<Slice> | null => {
  // Fast path for nearly all words: no capital or digit inside.
  if (raw.length > wholeUnitsMax || !/[A-Z\d]/u.test(raw)) return null
  const cuts = [...raw.matchAll(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})/gu)].map(
    ({ index }) => index
  )
  if (/^[A-Za-z]{2,}\d+$/u.test(raw)) cuts.push(raw.search(/\d/u))
  if (cuts.length === 0 || cuts.length >= partsMax) return null
  const ends = [...cuts, raw.length]
  return ends.map((end, i) => [i === 0 ? 0 : (ends[i - 1] ?? 0), end] as const)
}
