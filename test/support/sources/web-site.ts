import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import { webServer } from "./crawling.js"

/** One address of a site; a text is a page of HTML. */
export interface SitePage {
  readonly body?: string | Uint8Array
  readonly type?: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A site whose pages tests put and take away; it answers conditional requests by ETag. */
export const webSite = Effect.gen(function* () {
  const pages = new Map<string, string | SitePage | (() => SitePage)>()
  /** The requests since the last look: path and status. */
  const requests: Array<string> = []
  const origin = yield* webServer((request, response) => {
    const path = request.url ?? "/"
    const found = pages.get(path) ?? pages.get(path.replace(/\?.*/, "?"))
    const given = typeof found === "function" ? found() : typeof found === "string" ? { body: found } : found
    const {
      body = "",
      headers = {},
      status = 200,
      type = "text/html; charset=utf-8"
    } = given ?? { status: 404 }
    const etag = `"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"`
    const isSame = status === 200 && request.headers["if-none-match"] === etag
    requests.push(`${path} ${isSame ? 304 : status}`)
    response.writeHead(isSame ? 304 : status, { "content-type": type, etag, ...headers })
    response.end(isSame ? undefined : body)
  })
  return {
    origin,
    pages,
    /** The requests since the last call, without robots.txt. */
    asked: (): ReadonlyArray<string> => requests.splice(0).filter((one) => !one.startsWith("/robots.txt"))
  }
})
