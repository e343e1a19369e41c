import type { DocumentId } from "../../platform/kernel/index.js"
import { nameNorm } from "../../platform/kernel/index.js"

/** Front matter keys whose values tell documents of one name apart, the best first. */
const tellingKeys = [
  "company",
  "organization",
  "organisation",
  "employer",
  "client",
  "customer",
  "team",
  "department",
  "project",
  "product",
  "role",
  "city",
  "country",
  "location",
  "version",
  "year"
]
const valueMax = 60

/** Returns what may tell a document from others of its name: its path, and telling values of its front matter. */
export const qualifierOf = (path: string, other: Readonly<Record<string, unknown>>): string => {
  const byKey = new Map(Object.entries(other).map(([key, value]) => [key.toLowerCase(), value]))
  const values = tellingKeys.flatMap((key) => {
    const value = byKey.get(key)
    const text = typeof value === "string" || typeof value === "number" ? String(value) : ""
    const line = text.replace(/\s+/gu, " ").trim()
    return line === "" || line.length > valueMax ? [] : [[key, line] as const]
  })
  return JSON.stringify([path, Object.fromEntries(values)])
}

interface Qualifier {
  readonly path: string
  readonly values: Readonly<Record<string, unknown>>
}

const readQualifier = (text: string): Qualifier => {
  try {
    const read: unknown = JSON.parse(text)
    if (Array.isArray(read) && typeof read[0] === "string") return { path: read[0], values: { ...read[1] } }
  } catch {
    // Text of another form tells nothing.
  }
  return { path: "", values: {} }
}

interface Homonym {
  readonly documentId: DocumentId
  readonly name: string
  /** Text that distinguishes the document from others of its name, as `qualifierOf` returns it. */
  readonly subject: string
}

/**
 * Returns the names of documents that share one, in path order: with the first value of their front matter that all of
 * them have and that differs, else with the nearest folder that differs, else with the path.
 */
export const qualifiedNames = (homonyms: ReadonlyArray<Homonym>) => {
  const read = homonyms
    .map((one) => ({ ...one, ...readQualifier(one.subject) }))
    .sort((a, b) => compare(a.path, b.path) || compare(a.documentId, b.documentId))
  const telling = tellingKeys.find((key) =>
    areDistinct(read.map(({ values }) => (values[key] === undefined ? null : String(values[key]))))
  )
  const folders = read.map(({ path }) => path.split("/").slice(0, -1).reverse())
  const depth =
    folders[0]?.findIndex((_, at) => areDistinct(folders.map((folder) => folder[at] ?? null))) ?? -1
  return read.map(({ documentId, name, path, values }, place) => {
    const folder = folders[place]?.[Math.max(0, depth)]
    const stem = path.replace(/\.[a-z]+$/iu, "")
    const qualifiers = [
      ...(telling === undefined ? [] : [String(values[telling])]),
      ...(depth < 0 || folder === undefined ? [] : [folder]),
      stem,
      `${stem}, ${documentId}`
    ]
    const [first = stem, ...others] = qualifiers.map((qualifier) => `${name} (${qualifier})`.slice(-nameMax))
    const names: readonly [string, ...ReadonlyArray<string>] = [first, ...others]
    return { documentId, name, names }
  })
}

const nameMax = 400

const areDistinct = (texts: ReadonlyArray<string | null>): boolean =>
  texts.every((text) => text !== null) &&
  new Set(texts.map((text) => nameNorm(text ?? ""))).size === texts.length

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
