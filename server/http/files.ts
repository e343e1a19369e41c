import { createHash } from "node:crypto"
import { extname } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { DocumentStore, Vault } from "../../core/files/documents/index.js"
import { pathIn } from "../../core/files/markdown/index.js"
import { AccessStore } from "../../core/platform/access/index.js"
import {
  Caller,
  hiddenIn,
  InsufficientScope,
  isFault,
  mayCall,
  NotFound,
  seeingAll
} from "../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { json } from "./answer.js"
import { internal, Refused, wireError } from "./errors.js"
import { type Admission, keyAdmission, type Runtime } from "./serve-row.js"

const prefix = "/console/files/"
const sizeMax = 25 * 1024 * 1024

const imageTypes: Readonly<Record<string, string>> = {
  ".avif": "image/avif",
  ".gif": "image/gif",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".webp": "image/webp"
}

/** A file runs nothing and loads nothing, also where it is opened by itself. */
const filePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

const fileHeaders = {
  "content-security-policy": filePolicy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

type FileServer = (request: Request, url: URL, requestId: string) => Promise<Response>

/**
 * Serves images of a vault, and the originals of converted documents as downloads, to a caller who may read documents.
 * A file runs nothing in the browser, whatever it holds.
 */
const serveFile =
  (
    admission: Admission,
    runtime: Runtime,
    placeOf: (url: URL) => { readonly path: string | null; readonly workspace?: string }
  ): FileServer =>
  async (request, url, requestId) => {
    const { path, workspace } = placeOf(url)
    const named = new Request(url, { headers: request.headers })
    if (workspace !== undefined) named.headers.set("x-workspace-id", workspace)
    const exit = await runtime.runPromiseExit(
      Effect.gen(function* () {
        const { caller } = yield* admission(named, url)
        if (!mayCall({ scopes: ["kb:read"] }, caller.scopes))
          return yield* new InsufficientScope({ wanted: ["kb:read"] })
        return yield* Effect.provideService(readFile(path), Caller, caller)
      }).pipe(Effect.either),
      { signal: request.signal }
    )
    const answer = Exit.isSuccess(exit)
      ? exit.value
      : { _tag: "Left" as const, left: new Refused({ answer: internal }) }
    if (answer._tag === "Left") {
      const { body, headers, status } =
        answer.left instanceof Refused
          ? answer.left.answer
          : isFault(answer.left)
            ? wireError(answer.left)
            : internal
      return json(status, body, requestId, { ...fileHeaders, ...headers })
    }
    const { bytes, name, type } = answer.right
    const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`
    const headers = {
      ...fileHeaders,
      "cache-control": "private, no-cache",
      "content-type": type ?? "application/octet-stream",
      "content-disposition": `${type === undefined ? "attachment" : "inline"}; filename*=UTF-8''${encodeURIComponent(name)}`,
      "x-request-id": requestId,
      etag
    }
    if (request.headers.get("if-none-match")?.includes(etag) === true)
      return new Response(null, { status: 304, headers })
    return new Response(request.method === "HEAD" ? null : bytes, { headers })
  }

/** `GET /api/v1/files?path=…` for keys. */
export const fileForKey = (runtime: Runtime): FileServer =>
  serveFile(keyAdmission, runtime, (url) => ({ path: url.searchParams.get("path") }))

/**
 * `GET /console/files/{workspace}/{path}` for a session: the workspace stands in the path, because images cannot send
 * headers. Returns null for other paths.
 */
export const fileForSession = (admission: Admission, runtime: Runtime) => {
  const serve = serveFile(admission, runtime, (url) => {
    const [workspace = "", ...segments] = url.pathname.slice(prefix.length).split("/")
    return { workspace, path: decoded(segments) }
  })
  return async (request: Request, url: URL, requestId: string): Promise<Response | null> =>
    url.pathname.startsWith(prefix) && (request.method === "GET" || request.method === "HEAD")
      ? serve(request, url, requestId)
      : null
}

const readFile = Effect.fnUntraced(function* (path: string | null) {
  // Names that start with a dot are not part of the vault; the data folder is one of them.
  if (path === null || pathIn("", path) !== path || /(?:^|\/)\./.test(path))
    return yield* new NotFound({ what: "file" })
  const type = imageTypes[extname(path).toLowerCase()]
  const [store, vault, { principals, workspace }] = [yield* DocumentStore, yield* Vault, yield* Caller]
  const document = yield* seeingAll(store.findByPath(workspace, path))
  if (Option.isSome(document)) {
    const hidden = yield* hiddenIn(document.value.id)
    if (hidden.size > 0) return yield* new NotFound({ what: "file" })
  } else if (type !== undefined && principals !== undefined) {
    const { settings } = yield* (yield* WorkspaceStore).get(workspace)
    const readers = (yield* AccessStore).readersOfFile(path, settings.access.folders)
    if (readers?.some((reader) => principals.includes(reader)) === false)
      return yield* new NotFound({ what: "file" })
  }
  if (type === undefined && !Option.exists(document, ({ file }) => file !== undefined))
    return yield* new NotFound({ what: "file" })
  const found = yield* vault.read(path, sizeMax)
  if (Option.isNone(found)) return yield* new NotFound({ what: "file" })
  return { bytes: new Uint8Array(found.value.bytes), name: path.split("/").at(-1) ?? path, type }
})

const decoded = (segments: ReadonlyArray<string>): string | null => {
  try {
    return segments.map(decodeURIComponent).join("/")
  } catch {
    return null
  }
}
