import { createHash } from "node:crypto"
import { extname } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { DocumentStore, Vault } from "../../core/files/documents/index.js"
import { pathIn } from "../../core/files/markdown/index.js"
import { AccessStore } from "../../core/platform/access/index.js"
import { Caller, InsufficientScope, isFault, mayCall, NotFound } from "../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { json } from "../http/answer.js"
import type { AppOptions } from "../http/app.js"
import { internal, Refused, wireError } from "../http/errors.js"
import type { Admission } from "../http/serve-row.js"
import { safeHeaders } from "./pages.js"

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

/**
 * Serves images of a vault, and the originals of converted documents as downloads, to a session that may read documents.
 * The workspace stands in the path, because images cannot send headers. Returns null for other paths.
 */
export const vaultFiles =
  (admission: Admission, runtime: AppOptions["runtime"]) =>
  async (request: Request, url: URL, requestId: string): Promise<Response | null> => {
    if (!url.pathname.startsWith(prefix) || (request.method !== "GET" && request.method !== "HEAD"))
      return null
    const [workspace = "", ...segments] = url.pathname.slice(prefix.length).split("/")
    const named = new Request(url, { headers: request.headers })
    named.headers.set("x-workspace-id", workspace)
    const exit = await runtime.runPromiseExit(
      Effect.gen(function* () {
        const { caller } = yield* admission(named, url)
        if (!mayCall({ scopes: ["kb:read"] }, caller.scopes))
          return yield* new InsufficientScope({ wanted: ["kb:read"] })
        return yield* Effect.provideService(readFile(segments), Caller, caller)
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
      return json(status, body, requestId, { ...safeHeaders, ...headers })
    }
    const { bytes, name, type } = answer.right
    const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`
    const headers = {
      ...safeHeaders,
      "content-security-policy": filePolicy,
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

const readFile = Effect.fnUntraced(function* (segments: ReadonlyArray<string>) {
  const path = decoded(segments)
  // Names that start with a dot are not part of the vault; the data folder is one of them.
  if (path === null || pathIn("", path) !== path || /(?:^|\/)\./.test(path))
    return yield* new NotFound({ what: "file" })
  const type = imageTypes[extname(path).toLowerCase()]
  const [store, vault, { principals, workspace }] = [yield* DocumentStore, yield* Vault, yield* Caller]
  if (type !== undefined && principals !== undefined) {
    const { settings } = yield* (yield* WorkspaceStore).get(workspace)
    const readers = (yield* AccessStore).readersOfFile(path, settings.access.folders)
    if (readers?.some((reader) => principals.includes(reader)) === false)
      return yield* new NotFound({ what: "file" })
  }
  if (type === undefined) {
    const document = yield* store.findByPath(workspace, path)
    if (!Option.exists(document, ({ file }) => file !== undefined))
      return yield* new NotFound({ what: "file" })
  }
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
