import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import { z } from "zod"
import {
  AsOf,
  DeleteAck,
  DocumentId,
  invalid,
  operation,
  pageLimit,
  pageOffset
} from "../../platform/kernel/index.js"
import { withAccess } from "./access.js"
import { getDocumentAt } from "./get-at.js"
import {
  DocumentListing,
  DocumentPage,
  DocumentSaveResult,
  DocumentVerification,
  DocumentVersionPage,
  DocumentWithContent,
  Verification
} from "./model.js"
import { getRendered } from "./rendered.js"
import {
  createDocument as create,
  createFromFile,
  getDocument as get,
  getDocumentByPath as getByPath,
  listDocuments as list,
  deleteDocument as remove,
  replaceDocument as replace,
  restoreDocument as restore
} from "./service.js"
import { verifyDocument as verify } from "./verify.js"
import { getVersion, listVersions } from "./versions.js"

/** Pages of at most 200; filters are path, folder, words of title and path, tag and verification. */
export const listDocuments = operation({
  name: "listDocuments",
  tool: "svc_list_documents",
  summary: "List live documents in path order, without content.",
  scopes: ["kb:read"],
  effect: "read",
  input: DocumentListing.extend({
    limit: pageLimit,
    offset: pageOffset
  }),
  output: DocumentPage,
  faults: [],
  run: ({ limit, offset, ...filter }) =>
    Effect.gen(function* () {
      const page = yield* list({ limit, offset }, filter)
      return { ...page, items: yield* withAccess(page.items) }
    })
})

/** See `createDocument` of the service. Conflict names the document at the path, if there is one. */
export const createDocument = operation({
  name: "createDocument",
  tool: "svc_create_document",
  summary: "Create a document; search finds it at once.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({
    path: z.string().min(1).optional().describe("Derived from the title or first heading when absent."),
    content: z.string().optional().describe("Raw Markdown, at most 5 MiB of UTF-8."),
    title: z.string().min(1).optional().describe("Seeds path and content where they are absent."),
    file: z
      .string()
      .optional()
      .describe("In place of content: a file of another format in Base64, kept at the path, which it needs.")
  }),
  output: DocumentSaveResult,
  faults: ["Conflict", "InvalidInput", "VaultUnavailable"],
  run: ({ file, ...given }) =>
    Effect.gen(function* () {
      if (file === undefined) return yield* create(given)
      const { content, path } = given
      if (path === undefined) return yield* invalid(["path"], "required", "A file needs its path.")
      if (content !== undefined)
        return yield* invalid(["content"], "either", "A document is made of a text or of a file.")
      const bytes = yield* Either.mapLeft(Encoding.decodeBase64(file), () =>
        invalid(["file"], "invalid_base64", "The file is not Base64.")
      )
      return yield* createFromFile(path, bytes)
    })
})

/** An unreadable file is not a fault: the text is empty then, and `missing` is true. */
export const getDocument = operation({
  name: "getDocument",
  tool: "svc_get_document",
  summary: "Get a document with its text.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({
    id: DocumentId,
    render: z.enum(["none", "html"]).optional().describe("html adds the text as HTML, and the passages."),
    asOf: AsOf.optional()
  }),
  output: DocumentWithContent,
  faults: ["NotFound", "InvalidInput"],
  run: ({ asOf, id, render }) =>
    Effect.gen(function* () {
      const found =
        asOf !== undefined
          ? yield* getDocumentAt(id, asOf, render)
          : render === "html"
            ? yield* getRendered(id)
            : yield* get(id)
      const [shown = found] = yield* withAccess([found])
      return shown
    })
})

/** The same as `getDocument`, by path instead of id. */
export const getDocumentByPath = operation({
  name: "getDocumentByPath",
  summary: "Get the live document at a path, ignoring case.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({ path: z.string().min(1) }),
  output: DocumentWithContent,
  faults: ["NotFound"],
  run: ({ path }) =>
    Effect.gen(function* () {
      const found = yield* getByPath(path)
      const [shown = found] = yield* withAccess([found])
      return shown
    })
})

/**
 * Returns a page of versions without texts, or one version with its text. NotFound for a version that retention has
 * pruned and for one that never existed.
 */
export const listDocumentVersions = operation({
  name: "listDocumentVersions",
  summary: "List the versions of a document's text, newest first, or get one of them.",
  scopes: ["kb:read"],
  effect: "read",
  input: z.object({
    id: DocumentId,
    version: z.int().min(1).optional().describe("This version alone, with its text."),
    limit: pageLimit,
    offset: pageOffset
  }),
  output: DocumentVersionPage,
  faults: ["NotFound"],
  run: ({ id, limit, offset, version }) =>
    version === undefined ? listVersions(id, { limit, offset }) : getVersion(id, version)
})

/**
 * Writing the present text again makes no new version. Conflict when the document is no longer at `expectVersion`, or
 * another program keeps writing the file.
 */
export const replaceDocument = operation({
  name: "replaceDocument",
  tool: "svc_replace_document",
  summary: "Replace the whole text of a document.",
  scopes: ["kb:write"],
  effect: "idempotent",
  input: z.object({
    id: DocumentId,
    content: z.string(),
    expectVersion: z
      .int()
      .min(1)
      .optional()
      .describe("The version that the new text is made from; 409 when the document has another one.")
  }),
  output: DocumentSaveResult,
  faults: ["NotFound", "Conflict", "InvalidInput", "ReviewerRequired", "VaultUnavailable"],
  run: ({ content, expectVersion, id }) => replace(id, content, expectVersion)
})

/** The document keeps its id in the trash until it is restored or purged. */
export const deleteDocument = operation({
  name: "deleteDocument",
  summary: "Move a document to the trash and remove its passages from every index.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({ id: DocumentId }),
  output: DeleteAck,
  faults: ["NotFound", "Conflict", "ReviewerRequired", "VaultUnavailable"],
  run: ({ id }) => remove(id)
})

/**
 * Restores to the former path by default. Conflict when the path is taken by now, NotFound when the document is not in
 * the trash.
 */
export const restoreDocument = operation({
  name: "restoreDocument",
  summary: "Restore a document from the trash.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({ id: DocumentId, path: z.string().min(1).optional() }),
  output: DocumentSaveResult,
  faults: ["NotFound", "Conflict", "InvalidInput", "VaultUnavailable"],
  run: ({ id, path }) => restore(id, path)
})

/**
 * Applies to the text as it is indexed now: a new text is unverified again. Setting the same value renews its stamps.
 */
export const verifyDocument = operation({
  name: "verifyDocument",
  summary: "Set the verification status of a document.",
  scopes: ["kb:write"],
  effect: "write",
  input: z.object({ id: DocumentId, verification: Verification }),
  output: DocumentVerification,
  faults: ["NotFound", "Conflict", "ReviewerRequired"],
  run: ({ id, verification }) => verify(id, verification)
})
