import type {
  ListResourcesResult,
  ReadResourceResult,
  ResourceTemplateType
} from "@modelcontextprotocol/server"
import { operations } from "../../core/operations.js"
import { type CallerShape, mayCall } from "../../core/platform/kernel/index.js"
import { catalog } from "../catalog/index.js"
import type { Row } from "../catalog/row.js"
import { documentUri } from "./addresses.js"

const markdown = "text/markdown"
const json = "application/json"

const manifestUri = "svc://workspace/manifest"

/** The kinds of resources and their operations; a URI matches exactly, with at most one id. */
const fixed = [
  { uri: manifestUri, name: "manifest", title: "What the workspace holds", operation: "getManifest" }
]
const templates = [
  {
    prefix: documentUri(""),
    name: "document",
    title: "A document as Markdown",
    operation: "getDocument",
    mimeType: markdown
  },
  {
    prefix: "svc://entities/",
    name: "entity",
    title: "An entity with its curation",
    operation: "getEntity",
    mimeType: json
  }
]

const rowNamed = (name: string): Row => {
  const row = catalog.find(({ operation }) => operation.name === name)
  if (row === undefined) throw new RangeError(`The catalog has no ${name}.`)
  return row
}

type Scopes = CallerShape["scopes"]

/** Documents on one page of `resources/list`. */
const pageSize = 100

/** The call that gives a page of documents, and where the page begins; null for a cursor that is none of ours. */
export const pageAt = (
  cursor: string | undefined
): { readonly row: Row; readonly input: { readonly limit: number; readonly offset: number } } | null => {
  const offset = cursor === undefined ? 0 : /^\d{1,9}$/u.test(cursor) ? Number(cursor) : null
  return offset === null ? null : { row: rowNamed("listDocuments"), input: { limit: pageSize, offset } }
}

/** Whether a caller sees the documents in the list. */
export const maySeeDocuments = (scopes: Scopes): boolean => mayCall(operations.listDocuments, scopes)

/** What stands before the documents of the first page. */
export const fixedResources = (scopes: Scopes): ListResourcesResult["resources"] =>
  fixed
    .filter(({ operation }) => mayCall(rowNamed(operation).operation, scopes))
    .map(({ name, title, uri }) => ({ uri, name, title, mimeType: json }))

/** A page of documents as resources, with the cursor of the next one. */
export const documentResources = (result: unknown): ListResourcesResult => {
  const { items, offset, total } = operations.listDocuments.output.parse(result)
  const next = offset + items.length
  return {
    resources: items.map(({ id, path, title, updatedAt }) => ({
      uri: documentUri(id),
      name: path,
      title,
      mimeType: markdown,
      annotations: { lastModified: updatedAt }
    })),
    ...(items.length > 0 && next < total ? { nextCursor: String(next) } : {})
  }
}

/** The templates of the resources that a caller may read. */
export const resourceTemplates = (scopes: Scopes): Array<ResourceTemplateType> =>
  templates
    .filter(({ operation }) => mayCall(rowNamed(operation).operation, scopes))
    .map(({ mimeType, name, prefix, title }) => ({ uriTemplate: `${prefix}{id}`, name, title, mimeType }))

/** The call that reads a resource; undefined for a URI that names none. */
export const resourceAt = (uri: string): { readonly row: Row; readonly input: unknown } | undefined => {
  const one = fixed.find((known) => known.uri === uri)
  if (one !== undefined) return { row: rowNamed(one.operation), input: {} }
  const template = templates.find(({ prefix }) => uri.startsWith(prefix))
  return template === undefined
    ? undefined
    : { row: rowNamed(template.operation), input: { id: uri.slice(template.prefix.length) } }
}

/** What a read gives: a document as Markdown, everything else as JSON. */
export const contentsOf = (uri: string, result: unknown): ReadResourceResult => {
  const isDocument = uri.startsWith(documentUri(""))
  const text = isDocument ? operations.getDocument.output.parse(result).content : JSON.stringify(result)
  return { contents: [{ uri, mimeType: isDocument ? markdown : json, text }] }
}
