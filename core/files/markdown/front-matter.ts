import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  Parser
} from "yaml"
import { nameNorm, storableText } from "../../platform/kernel/index.js"
import { type LineValue, readLines } from "./front-matter-lines.js"
import { cutText } from "./line-scanner.js"
import { otherFrontMatter } from "./other-front-matter.js"
import { repairYaml } from "./repair-yaml.js"

/** The front matter of a document: the keys that Kanon uses, and the others as plain JSON. */
export interface FrontMatter {
  readonly title: string | null
  readonly aliases: ReadonlyArray<string>
  readonly tags: ReadonlyArray<string>
  readonly type: string | null
  /** All other keys, as plain JSON. */
  readonly other: Readonly<Record<string, unknown>>
}

/** Limits of front matter: size of the block in UTF-16 units, uses of aliases, nesting. */
const frontMatterBounds = { maxChars: 64 * 1024, maxAliases: 100, maxDepth: 20 } as const

/** A warning for the author; the document is stored nevertheless. */
interface DocumentWarning {
  readonly code: string
  readonly message: string
}

/** The front matter of a file; `bodyStart` is the UTF-16 offset at which the Markdown starts. */
interface ParsedFrontMatter {
  readonly frontMatter: FrontMatter
  readonly bodyStart: number
  readonly warnings: ReadonlyArray<DocumentWarning>
}

/** Front matter of a document without any. */
export const noFrontMatter: FrontMatter = { title: null, aliases: [], tags: [], type: null, other: {} }

/**
 * Parses the YAML between a first line `---` and the next line `---` or `...`, the TOML between two lines `+++`, or
 * a JSON object at the beginning. Total: a line of YAML that cannot be read is left out with a warning; oversized or
 * too deeply nested front matter is left out as a whole. A block that is plain text is not front matter but prose
 * between two rules, and belongs to the body.
 */
export const parseFrontMatter = (source: string): ParsedFrontMatter => {
  const start = source.startsWith("\ufeff") ? 1 : 0
  const other = otherFrontMatter(source, start, frontMatterBounds.maxChars)
  if (other !== null) return fromFields(other.fields, other.bodyStart)
  const block = locate(source, start)
  if (block === null) return { frontMatter: noFrontMatter, bodyStart: start, warnings: [] }
  const failed = (message: string): ParsedFrontMatter => ({
    frontMatter: noFrontMatter,
    bodyStart: block.bodyStart,
    warnings: [{ code: "front_matter_ignored", message }]
  })
  if (block.end - block.start > frontMatterBounds.maxChars) {
    return failed(`The front matter is larger than ${frontMatterBounds.maxChars / 1024} KiB.`)
  }
  try {
    const read = readYaml(source.slice(block.start, block.end).replace(/\r\n?/g, "\n"))
    if (typeof read === "string") return failed(read)
    if (read === null) return { frontMatter: noFrontMatter, bodyStart: start, warnings: [] }
    return { ...read, bodyStart: block.bodyStart }
  } catch (error) {
    // The YAML library throws for aliases that are unknown or expand too far.
    return failed(
      `The front matter cannot be read: ${error instanceof Error ? error.message : "unknown error"}`
    )
  }
}

/** Returns the front matter of fields that were read from TOML or JSON. */
const fromFields = (
  fields: Readonly<Record<string, unknown>> | string,
  bodyStart: number
): ParsedFrontMatter => {
  const plain = typeof fields === "string" ? undefined : toPlain(fields, 0)
  if (plain !== undefined)
    return { frontMatter: fieldsOf(plain, (key) => textsOfPlain(plain, key)), bodyStart, warnings: [] }
  const message = typeof fields === "string" ? fields : nestedTooDeep
  return { frontMatter: noFrontMatter, bodyStart, warnings: [{ code: "front_matter_ignored", message }] }
}

const nestedTooDeep = `The front matter is nested deeper than ${frontMatterBounds.maxDepth} levels.`

/** Returns the range of the YAML, or null when the file does not start with a closed block. */
const locate = (source: string, start: number) => {
  const opening = /---[ \t]*(?:\r\n|\n|\r)/y
  opening.lastIndex = start
  if (!opening.test(source)) return null
  const yamlStart = opening.lastIndex
  const closing = /^(?:---|\.\.\.)[ \t]*$(?:\r\n|\n|\r)?/gm
  closing.lastIndex = yamlStart
  const found = closing.exec(source)
  return found === null ? null : { start: yamlStart, end: found.index, bodyStart: closing.lastIndex }
}

/**
 * Returns the fields, a message when the YAML exceeds a limit, or null when it is not a mapping. Lines that cannot be
 * read are left out, with a warning each.
 */
const readYaml = (yaml: string) => {
  const whole = readWholeYaml(yaml)
  if (typeof whole !== "object" || whole === null || !("invalid" in whole)) return whole
  const { dropped, yaml: repaired } = repairYaml(yaml)
  const rest = readWholeYaml(repaired)
  if (rest === null || typeof rest === "string") return rest
  if ("invalid" in rest) return `The front matter is not valid YAML: ${rest.invalid}`
  const warnings = dropped.slice(0, warningsMax).map(({ line, reason }) => ({
    code: "front_matter_line",
    // The line of the fence is the first one of the file.
    message: `Line ${line + 1} of the front matter was left out: ${reason}`
  }))
  return { ...rest, warnings: [...warnings, ...rest.warnings] }
}

/** Maximum number of warnings about single lines. */
const warningsMax = 10

const readWholeYaml = (yaml: string) => {
  const lines = readLines(yaml)
  if (lines !== null) {
    const plain = Object.fromEntries([...lines].map(([name, { value }]) => [name, value]))
    return { frontMatter: fieldsOf(plain, (key) => textOfLine(lines.get(key))), warnings: [] }
  }
  const tokens = [...new Parser().parse(yaml)]
  // Checked on the flat tokens, before any recursive walk.
  if (tokens.some(tooDeep)) return nestedTooDeep
  const options = {
    schema: "core",
    resolveKnownTags: false,
    merge: false,
    uniqueKeys: false,
    prettyErrors: false
  } as const
  const [document, second] = [...new Composer(options).compose(tokens)]
  if (document === undefined) return { frontMatter: noFrontMatter, warnings: [] }
  const error = document.errors[0] ?? second?.errors[0]
  if (error !== undefined) return { invalid: error.message }
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
    return { frontMatter: noFrontMatter, warnings: [] }
  }
  if (!isMap(document.contents)) {
    return isScalar(document.contents) ? null : "The front matter is not a mapping of names to values."
  }
  const value: unknown = document.toJS({ mapAsMap: true, maxAliasCount: frontMatterBounds.maxAliases })
  const plain = toPlain(value, 0)
  if (plain === undefined) return nestedTooDeep
  return {
    frontMatter: fieldsOf(plain, (key) => textsOfNode(document, key)),
    warnings: document.warnings.slice(0, 1).map(({ message }) => ({ code: "front_matter_tag", message }))
  }
}

const tooDeep = (root: CST.Token): boolean => {
  const open: Array<readonly [CST.Token, number]> = [[root, 0]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [token, depth] = next
    if (depth > frontMatterBounds.maxDepth) return true
    if (token.type === "document" && token.value !== undefined) open.push([token.value, depth])
    if (!("items" in token)) continue
    for (const item of token.items) {
      for (const child of [item.key, item.value]) if (child) open.push([child, depth + 1])
    }
  }
  return false
}

type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** Converts to JSON; undefined when aliases nest too deeply. */
const toPlain = (value: unknown, depth: number): Json | undefined => {
  if (depth > frontMatterBounds.maxDepth) return undefined
  if (value instanceof Map) {
    const entries: Array<readonly [string, Json]> = []
    for (const [key, inner] of value) {
      const plain = toPlain(inner, depth + 1)
      const name = toPlain(key, depth + 1)
      if (plain === undefined || name === undefined) return undefined
      entries.push([typeof name === "object" ? JSON.stringify(name) : String(name), plain])
    }
    // Unlike assignment, fromEntries makes `__proto__` an ordinary field.
    return Object.fromEntries(entries)
  }
  if (Array.isArray(value)) {
    const items: Array<Json> = []
    for (const inner of value) {
      const plain = toPlain(inner, depth + 1)
      if (plain === undefined) return undefined
      items.push(plain)
    }
    return items
  }
  // Dates of TOML, as they are written there.
  if (isDate(value)) return value.toISOString()
  if (typeof value === "object" && value !== null) return toPlain(new Map(Object.entries(value)), depth)
  if (typeof value === "bigint") return String(value)
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value)
  return typeof value === "string" || typeof value === "boolean" ? value : null
}

const isDate = (value: unknown): value is { readonly toISOString: () => string } =>
  typeof value === "object" && value !== null && "toISOString" in value

/** The texts under a top-level key, as written; `isLone` when it is one value, not a list. */
interface Texts {
  readonly texts: ReadonlyArray<string>
  readonly isLone: boolean
}
const noTexts: Texts = { texts: [], isLone: false }

const textOfLine = (line: LineValue | undefined): Texts =>
  line === undefined || line.value === null ? noTexts : { texts: [line.text], isLone: true }

const textsOfNode = (document: Document, key: string): Texts => ({
  texts: scalarTexts(document, key),
  isLone: isScalar(document.get(key, true))
})

const textsOfPlain = (plain: Json, key: string): Texts => {
  const value =
    plain !== null && typeof plain === "object"
      ? Object.entries(plain).find(([name]) => name === key)?.[1]
      : null
  return { texts: scalarsIn(value), isLone: !Array.isArray(value) }
}

const scalarsIn = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(scalarsIn)
  return value === null || value === undefined || typeof value === "object" ? [] : [String(value)]
}

const fieldsOf = (plain: Json, textsOf: (key: string) => Texts): FrontMatter => {
  const entries = plain !== null && typeof plain === "object" ? Object.entries(plain) : []
  const known = new Map<string, string>()
  for (const [name, spellings] of Object.entries(spellingsOf)) {
    const key = entries.map(([key]) => key).find((key) => spellings.includes(key.toLowerCase()))
    if (key !== undefined) known.set(name, key)
  }
  const found = (name: string): Texts => {
    const key = known.get(name)
    const given = key === undefined ? noTexts : textsOf(key)
    return { ...given, texts: given.texts.map(storableText) }
  }
  const used = new Set(known.values())
  return {
    title: line(found("title").texts[0] ?? "", 500),
    aliases: distinct(listed(found("aliases"))),
    tags: distinct(listed(found("tags")).flatMap(tagsIn)),
    type: line(found("type").texts[0] ?? "", 200),
    other: Object.fromEntries(
      entries.filter(([key]) => !used.has(key)).map(([key, value]) => [storableText(key), storable(value)])
    )
  }
}

/** Escapes of YAML and JSON can give characters that nothing can store. */
const storable = (value: Json): Json =>
  typeof value === "string"
    ? storableText(value)
    : isList(value)
      ? value.map(storable)
      : typeof value === "object" && value !== null
        ? Object.fromEntries(
            Object.entries(value).map(([key, inner]): [string, Json] => [storableText(key), storable(inner)])
          )
        : value

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

const spellingsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  title: ["title"],
  aliases: ["aliases", "alias"],
  tags: ["tags", "tag"],
  type: ["type"]
}

/**
 * Returns every scalar under a top-level key as written: `1.10`, `007` and `2024-01-02` are names there, not numbers.
 * Nested lists are flattened (`[[name]]` is a list in a list in YAML); mappings are skipped.
 */
const scalarTexts = (document: Document, key: string): ReadonlyArray<string> => {
  const texts: Array<string> = []
  const visit = (node: unknown): void => {
    const target = isAlias(node) ? node.resolve(document) : node
    if (isScalar(target)) {
      if (target.value === null) return
      texts.push(typeof target.value === "string" ? target.value : (target.source ?? String(target.value)))
    } else if (isCollection(target) && !isMap(target)) {
      for (const item of target.items) if (!isPair(item)) visit(item)
    }
  }
  if (isMap(document.contents)) {
    // The last of duplicate keys counts, as in the plain value.
    const pair = document.contents.items.findLast(
      (item) => isScalar(item.key) && String(item.key.value) === key
    )
    visit(pair?.value)
  }
  return texts
}

/** A single string is split at commas; an element of a list is taken whole. */
const listed = ({ isLone, texts }: Texts): ReadonlyArray<string> =>
  isLone ? texts.flatMap((text) => text.split(",")) : texts

/** `#one #two` gives two tags; `#one` and `one` are equal. */
const tagsIn = (text: string): ReadonlyArray<string> => {
  const words = text.trim().split(/\s+/)
  return (words.every((word) => word.startsWith("#")) ? words : [text.trim()]).map((word) =>
    word.replace(/^#+/, "")
  )
}

/** Returns one line of bounded length, or null when nothing is left. */
const line = (text: string, maxChars: number): string | null => {
  const folded = cutText(text.replace(/\s+/g, " ").trim(), maxChars)
  return folded === "" ? null : folded
}

/** Returns distinct texts in order of first appearance, compared as names. */
const distinct = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const seen = new Map<string, string>()
  for (const text of texts) {
    const cut = line(text, 200)
    if (cut === null) continue
    const norm = nameNorm(cut)
    if (norm !== "" && !seen.has(norm)) seen.set(norm, cut)
  }
  return [...seen.values()]
}
