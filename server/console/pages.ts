import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, extname, join } from "node:path"
import { promisify } from "node:util"
import { brotliCompress, gzip } from "node:zlib"
import type { ConsoleConfig } from "./cookies.js"

/** Content security policy of the pages. Their scripts go through one policy of trusted types. */
const contentSecurityPolicy = [
  "default-src 'none'",
  ...["script-src", "style-src", "img-src", "connect-src", "worker-src", "base-uri", "form-action"].map(
    (directive) => `${directive} 'self'`
  ),
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types kanon"
].join("; ")

/** Headers of everything that the console answers. */
export const safeHeaders = {
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

/** First segments of the pages' paths; the rest is for the page to read. */
const pages = new Set([
  "",
  "answers",
  "c",
  "search",
  "documents",
  "entities",
  "graph",
  "requests",
  "inbox",
  "decisions",
  "audit",
  "jobs",
  "data",
  "agents",
  "runs",
  "evals",
  "connectors",
  "reports",
  "settings",
  "connect",
  "join"
])

const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webp": "image/webp",
  ".woff2": "font/woff2"
}

/** Names of assets hold a digest of their content, so they never change. */
const immutable = "public, max-age=31536000, immutable"

/** Forms in which an asset is stored, the smaller first: the name of the coding and the end of the file. */
const codings = [
  ["br", ".br"],
  ["gzip", ".gz"]
] as const
type Coding = (typeof codings)[number][0]

/** Returns the codings that a request accepts, the smaller first. */
const codingsOf = ({ headers }: Request): ReadonlyArray<(typeof codings)[number]> => {
  const accepted = new Map(
    (headers.get("accept-encoding") ?? "").split(",").map((part) => {
      const [name = "", ...parameters] = part.split(";").map((one) => one.trim().toLowerCase())
      const weight = parameters.find((one) => one.startsWith("q="))?.slice(2)
      return [name, weight === undefined ? 1 : Number(weight)]
    })
  )
  return codings.filter(([name]) => (accepted.get(name) ?? accepted.get("*") ?? 0) > 0)
}

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) }

/** The folder of the built pages within the package. */
const builtFolder = (): string =>
  join(dirname(createRequire(import.meta.url).resolve("kanon/package.json")), "dist", "console")

/** Returns the path below which the server is reached: `/` or `/kanon/`. */
export const basePath = ({ origin }: Pick<ConsoleConfig, "origin">): string =>
  origin === undefined ? "/" : `${new URL(origin).pathname.replace(/\/+$/, "")}/`

const isAsset = /^\/(?:assets\/)?[\w.-]+\.[a-z0-9]+$/

/**
 * Serves the built pages: `index.html` for the path of every page, with the base of all its links, and assets. Returns
 * null for anything else. None of it needs a session.
 */
export const makePages = (
  config: Pick<ConsoleConfig, "origin">,
  folder = builtFolder()
): ((request: Request, url: URL, requestId: string) => Promise<Response | null>) => {
  const read = (name: string): Promise<Buffer | null> => readFile(join(folder, name)).catch(() => null)
  let index:
    | Promise<{
        readonly bytes: Readonly<Record<Coding | "plain", Uint8Array<ArrayBuffer>>>
        readonly etag: string
      } | null>
    | undefined
  const indexOf = () => {
    index ??= read("index.html").then(async (bytes) => {
      if (bytes === null) {
        // Built while the server runs.
        index = undefined
        return null
      }
      const base = `<base href="${basePath(config).replaceAll("&", "&amp;").replaceAll('"', "&quot;")}">`
      const text = bytes
        .toString("utf8")
        .replace(/<base\b[^>]*>/i, "")
        .replace(/<head[^>]*>/i, (head) => head + base)
      const plain = new TextEncoder().encode(text)
      const [br, gz] = [await compressors.br(plain), await compressors.gzip(plain)]
      const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`
      return { bytes: { plain, br: new Uint8Array(br), gzip: new Uint8Array(gz) }, etag }
    })
    return index
  }
  /** An asset in the first stored form that the request accepts. */
  const readCoded = async (request: Request, name: string) => {
    for (const [coding, end] of codingsOf(request)) {
      const bytes = await read(name + end)
      if (bytes !== null) return { bytes, coding }
    }
    return { bytes: await read(name), coding: null }
  }
  return async (request, url, requestId) => {
    const { method } = request
    const { pathname } = url
    if (method !== "GET" && method !== "HEAD") return null
    // Clients whose base URL ends in a slash ask for `//api/…`: they need the usual 404, and no page.
    if (/^\/+(?:api|console)(?:\/|$)/.test(pathname)) return null
    const headers = { ...safeHeaders, "x-request-id": requestId }
    const type = mediaTypes[extname(pathname)]
    if (type !== undefined && isAsset.test(pathname)) {
      const { bytes, coding } = await readCoded(request, pathname.slice(1))
      if (bytes !== null && pathname !== "/index.html")
        return new Response(method === "HEAD" ? null : new Uint8Array(bytes), {
          headers: {
            ...headers,
            ...codedHeaders(coding),
            "content-type": type,
            "content-length": String(bytes.length),
            "cache-control": pathname.startsWith("/assets/") ? immutable : "no-cache"
          }
        })
    }
    // `/w/SLUG/PAGE`: which workspace it is, is for the page to read.
    const [first = "", , page = ""] = pathname.split("/").slice(1)
    const isPage =
      pages.has(first === "w" ? page : first) &&
      !pathname.includes("//") &&
      (pathname === "/" || !pathname.endsWith("/") || /^\/w\/[^/]+\/$/.test(pathname))
    // A person who follows a wrong link is shown that in the console; programs are told as usual.
    if (!isPage && request.headers.get("accept")?.includes("text/html") !== true) return null
    const shown = await indexOf()
    if (shown === null) return isPage ? notBuilt(headers) : null
    const [[coding] = [null]] = codingsOf(request)
    if (request.headers.get("if-none-match")?.includes(shown.etag) === true)
      return new Response(null, {
        status: 304,
        headers: { ...headers, vary: "accept-encoding", etag: shown.etag }
      })
    return new Response(method === "HEAD" ? null : shown.bytes[coding ?? "plain"], {
      status: isPage ? 200 : 404,
      headers: {
        ...headers,
        ...codedHeaders(coding),
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-cache",
        etag: shown.etag
      }
    })
  }
}

const codedHeaders = (coding: Coding | null): Readonly<Record<string, string>> => ({
  vary: "accept-encoding",
  ...(coding === null ? {} : { "content-encoding": coding })
})

const notBuilt = (headers: Readonly<Record<string, string>>): Response =>
  new Response("The pages of the console are not built. Run: npm run build\n", {
    status: 503,
    headers: { ...headers, "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" }
  })
