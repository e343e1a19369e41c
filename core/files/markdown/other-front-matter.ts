import * as Predicate from "effect/Predicate"
import { parse as parseToml } from "smol-toml"

/** Front matter of another format than YAML: its fields, or why they cannot be read. */
export interface OtherBlock {
  readonly bodyStart: number
  readonly fields: Readonly<Record<string, unknown>> | string
}

/**
 * Finds front matter in TOML (between two lines `+++`) or JSON (an object at the very beginning), as Hugo writes them.
 * Null when the file starts with neither. A text that merely starts with a brace is no front matter.
 *
 * @param maxChars Longer blocks are not read.
 */
export const otherFrontMatter = (source: string, start: number, maxChars: number): OtherBlock | null => {
  const opening = source.charAt(start)
  if (opening === "+") return tomlBlock(source, start, maxChars)
  return opening === "{" ? jsonBlock(source, start, maxChars) : null
}

const tomlBlock = (source: string, start: number, maxChars: number): OtherBlock | null => {
  const fence = /\+\+\+[ \t]*(?:\r\n|\n|\r)/y
  fence.lastIndex = start
  if (!fence.test(source)) return null
  const closing = /^\+\+\+[ \t]*$(?:\r\n|\n|\r)?/gm
  closing.lastIndex = fence.lastIndex
  const found = closing.exec(source)
  if (found === null) return null
  const bodyStart = closing.lastIndex
  const toml = source.slice(fence.lastIndex, found.index)
  if (toml.length > maxChars) return { bodyStart, fields: tooLarge(maxChars) }
  try {
    return { bodyStart, fields: parseToml(toml.replace(/\r\n?/gu, "\n")) }
  } catch (error) {
    const [reason = ""] = error instanceof Error ? error.message.split("\n") : []
    return { bodyStart, fields: `The front matter is not valid TOML: ${reason}` }
  }
}

const jsonBlock = (source: string, start: number, maxChars: number): OtherBlock | null => {
  const end = objectEnd(source, start, start + maxChars)
  if (end < 0) return null
  const rest = /[ \t]*(?:\r\n|\n|\r|$)/y
  rest.lastIndex = end
  if (!rest.test(source)) return null
  try {
    const fields: unknown = JSON.parse(source.slice(start, end))
    return Predicate.isRecord(fields) ? { bodyStart: rest.lastIndex, fields } : null
  } catch {
    return null
  }
}

/** Returns the position after the brace that closes the object; -1 when there is none before the limit. */
const objectEnd = (source: string, start: number, limit: number): number => {
  let depth = 0
  for (let at = start; at < source.length && at < limit; at++) {
    const char = source.charAt(at)
    if (char === '"') {
      for (at++; at < source.length && source.charAt(at) !== '"'; at++) if (source.charAt(at) === "\\") at++
    } else if (char === "{") depth++
    else if (char === "}" && --depth === 0) return at + 1
  }
  return -1
}

const tooLarge = (maxChars: number) => `The front matter is larger than ${maxChars / 1024} KiB.`
