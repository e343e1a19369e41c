import { z } from "zod"
import { DeleteAck, DocumentId, operation } from "../kernel/index.js"
import { DocumentFilter, DocumentPage, DocumentSaveResult, DocumentWithContent } from "./model.js"
import {
  createDocument as create,
  getDocument as get,
  getDocumentByPath as getByPath,
  listDocuments as list,
  moveDocument as move,
  deleteDocument as remove,
  replaceDocument as replace,
  restoreDocument as restore
} from "./service.js"

export const listDocuments = operation({
  name: "listDocuments",
  summary: "List live documents in path order, without content.",
  scopes: ["kb:read"],
  effect: "read",
  input: DocumentFilter.extend({
    limit: z
      .int()
      .default(50)
      .transform((limit) => Math.min(Math.max(limit, 1), 200))
      .describe("1 to 200, clamped."),
    offset: z.int().min(0).default(0)
  }),
  output: DocumentPage,
  faults: [],
  run: ({ limit, offset, ...filter }) => list({ limit, offset }, filter)
})

export const createDocument = operation({
  name: "createDocument",
  summary: "Write a new document; it is searchable at once.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({
    path: z.string().min(1).optional().describe("Derived from the title or first heading when absent."),
    content: z.string().optional().describe("Raw Markdown, at most 5 MiB of UTF-8."),
    title: z.string().min(1).optional().describe("Seeds path and content where they are absent.")
  }),
  output: DocumentSaveResult,
  faults: ["Conflict", "InvalidInput", "VaultUnavailable"],
  run: create
})

export const getDocument = operation({
  name: "getDocument",
  summary: "Read one document with its text.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({ id: DocumentId }),
  output: DocumentWithContent,
  faults: ["NotFound"],
  run: ({ id }) => get(id)
})

export const getDocumentByPath = operation({
  name: "getDocumentByPath",
  summary: "Read the live document at a path, without regard to case.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({ path: z.string().min(1) }),
  output: DocumentWithContent,
  faults: ["NotFound"],
  run: ({ path }) => getByPath(path)
})

export const replaceDocument = operation({
  name: "replaceDocument",
  summary: "Replace a document's whole text.",
  scopes: ["kb:write"],
  effect: "idempotent",
  input: z.object({ id: DocumentId, content: z.string() }),
  output: DocumentSaveResult,
  faults: ["NotFound", "Conflict", "InvalidInput", "VaultUnavailable"],
  run: ({ content, id }) => replace(id, content)
})

export const deleteDocument = operation({
  name: "deleteDocument",
  summary: "Move a document to the trash; its passages are gone from every index at once.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({ id: DocumentId }),
  output: DeleteAck,
  faults: ["NotFound", "Conflict", "VaultUnavailable"],
  run: ({ id }) => remove(id)
})

export const moveDocument = operation({
  name: "moveDocument",
  summary: "Give a document another path; id, verification and lineage stay.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({ id: DocumentId, path: z.string().min(1) }),
  output: DocumentSaveResult,
  faults: ["NotFound", "Conflict", "InvalidInput", "VaultUnavailable"],
  run: ({ id, path }) => move(id, path)
})

export const restoreDocument = operation({
  name: "restoreDocument",
  summary: "Bring a document back from the trash.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({ id: DocumentId, path: z.string().min(1).optional() }),
  output: DocumentSaveResult,
  faults: ["NotFound", "Conflict", "InvalidInput", "VaultUnavailable"],
  run: ({ id, path }) => restore(id, path)
})
