import { z } from "zod"
import type { Issue } from "./fault.js"

/** Whether every disk, database and export can store a text: well-formed Unicode without NUL. */
export const isStorableText = (text: string): boolean => text.isWellFormed() && !text.includes("\0")

/** Text of a caller. A NUL or a lone surrogate is refused, since the caller can correct it. */
export const Text = z.string().refine(isStorableText, {
  error: "Expected text without NUL and lone surrogates."
})

/** Returns text of a file or a model with U+FFFD in place of each NUL and lone surrogate. */
export const storableText = (text: string): string =>
  isStorableText(text) ? text : text.toWellFormed().replaceAll("\0", "\ufffd")

/** Returns a JSON value with each string and key in it changed. */
export const mapTexts = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === "string") return change(value)
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [change(key), mapTexts(one, change)]))
}

/**
 * Escapes in JSON what would act on a terminal or change the direction of writing: C1 controls and bidirectional
 * controls. Parsing gives the same value.
 */
export const escapeControls = (json: string): string =>
  json.replace(hiddenControls, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Serialises a value for terminals and exports; see `escapeControls`. */
export const visibleJson = (value: unknown): string => escapeControls(JSON.stringify(value))

/** Removes the same characters from text that has no escapes. */
export const withoutControls = (text: string): string => text.replace(hiddenControls, "")

const hiddenControls = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Number of issues that are reported at most. */
const issuesMax = 20

/** Returns an issue for each string and key of a value, at any depth, that cannot be stored. */
export const unstorableTexts = (input: unknown): ReadonlyArray<Issue> => {
  const issues: Array<Issue> = []
  const seen = new WeakSet<object>()
  const report = (at: Place | null): void => {
    issues.push({ path: pathOf(at), code: "invalid_text", message: invalidTextMessage })
  }
  const pending: Array<readonly [value: unknown, at: Place | null]> = [[input, null]]
  for (let one = pending.pop(); one !== undefined && issues.length < issuesMax; one = pending.pop()) {
    const [value, at] = one
    if (typeof value === "string") {
      if (!isStorableText(value)) report(at)
    } else if (
      typeof value === "object" &&
      value !== null &&
      !ArrayBuffer.isView(value) &&
      !seen.has(value)
    ) {
      // Embedded callers may pass cyclic values.
      seen.add(value)
      const entries = Array.isArray(value) ? value.entries() : Object.entries(value)
      for (const [key, child] of entries) {
        const place: Place = { parent: at, key }
        if (typeof key === "string" && !isStorableText(key)) report(place)
        if (typeof child === "string" || typeof child === "object") pending.push([child, place])
      }
    }
  }
  return issues
}

const invalidTextMessage = "The text holds a NUL or a lone surrogate."

/** A place in a value; the path is built only for an issue. */
interface Place {
  readonly parent: Place | null
  readonly key: string | number
}

const pathOf = (at: Place | null): ReadonlyArray<string | number> => {
  const path: Array<string | number> = []
  for (let here = at; here !== null; here = here.parent)
    path.unshift(typeof here.key === "string" ? storableText(here.key) : here.key)
  return path
}

/**
 * Returns the canonical JSON text of a value (RFC 8785): members sorted by name in UTF-16 order, no blanks, numbers
 * and strings as ECMAScript writes them. Members without a value are left out.
 */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`)
  return `{${members.join(",")}}`
}
