import { createHash, timingSafeEqual } from "node:crypto"
import { isLoopback, type ServerConfig } from "../config.js"
import { Refused } from "../http/errors.js"

/** The settings that requests of the console are judged by. */
export type ConsoleConfig = Pick<
  ServerConfig,
  | "origin"
  | "consoleIdleMs"
  | "consoleSessionMs"
  | "consoleInsecureCookie"
  | "consoleKeySignIn"
  | "consoleOidc"
>

/** Only a cookie with this prefix is bound to one host, one path and TLS by the browser itself. */
const nameOf = ({ consoleInsecureCookie }: ConsoleConfig): string =>
  consoleInsecureCookie ? "kanon" : "__Host-kanon"

/** Returns the value of a cookie of a request. */
export const cookieIn = ({ headers }: Request, name: string): string | undefined => {
  for (const pair of (headers.get("cookie") ?? "").split(";")) {
    const at = pair.indexOf("=")
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return undefined
}

/** Returns the token of the session of a request. */
export const sessionTokenIn = (request: Request, config: ConsoleConfig): string | undefined =>
  cookieIn(request, nameOf(config))

const attributes = ({ consoleInsecureCookie }: ConsoleConfig): string =>
  `Path=/; HttpOnly; SameSite=Strict${consoleInsecureCookie ? "" : "; Secure"}`

/** Returns the header that gives a browser its session. */
export const sessionCookie = (token: string, config: ConsoleConfig): string =>
  `${nameOf(config)}=${token}; ${attributes(config)}; Max-Age=${Math.floor(config.consoleSessionMs / 1000)}`

/** Returns the header that takes the session from a browser. */
export const endedCookie = (config: ConsoleConfig): string =>
  `${nameOf(config)}=; ${attributes(config)}; Max-Age=0`

/** Returns the value of `x-kanon-csrf` of a session: derived from its token, which no page can read. */
export const csrfOf = (token: string): string =>
  createHash("sha256").update(`kanon-csrf ${token}`).digest("base64url")

const isEqual = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/**
 * Whether the page that sends a request is of this server. Without the setting `origin`, and on this machine, that is
 * the host that the request names.
 */
const isOwnOrigin = (given: string, url: URL, { origin }: ConsoleConfig): boolean => {
  if (!URL.canParse(given)) return false
  const page = new URL(given)
  if (origin !== undefined && page.origin === new URL(origin).origin) return true
  return page.host === url.host && (origin === undefined || isLoopback(page.hostname))
}

const csrfRefusal = (message: string) =>
  new Refused({ answer: { status: 403, body: { error: "csrf", message } } })

/** Returns why a page of another site may have sent the request; null for one without an Origin. */
export const foreignOrigin = (request: Request, url: URL, config: ConsoleConfig): Refused | null => {
  const given = request.headers.get("origin")
  return given === null || isOwnOrigin(given, url, config)
    ? null
    : csrfRefusal(
        "The request comes from a page of another origin. Behind a proxy, set origin to the public address."
      )
}

/** Returns why a change may not come from a page of this session; null where it does. */
export const crossSite = (
  request: Request,
  url: URL,
  token: string,
  config: ConsoleConfig
): Refused | null => {
  if (request.method === "GET" || request.method === "HEAD") return null
  if (request.headers.get("origin") === null) return csrfRefusal("A change names its Origin.")
  const foreign = foreignOrigin(request, url, config)
  if (foreign !== null) return foreign
  return isEqual(request.headers.get("x-kanon-csrf") ?? "", csrfOf(token))
    ? null
    : csrfRefusal("The header x-kanon-csrf does not belong to this session.")
}

/**
 * Returns why a browser would not keep the session over this connection, in words; null where it does. Browsers keep
 * such a cookie over TLS, and over plain HTTP from this very machine.
 */
export const signInProblem = (request: Request, url: URL, config: ConsoleConfig): string | null => {
  if (config.consoleInsecureCookie) return null
  const page = request.headers.get("origin")
  const own = page !== null && isOwnOrigin(page, url, config) ? page : (config.origin ?? url.origin)
  const { hostname, protocol } = new URL(own)
  return protocol === "https:" || isLoopback(hostname)
    ? null
    : `Signing in needs HTTPS: browsers do not keep the session of http://${hostname}. Serve it over TLS, open it on the machine itself, or set consoleInsecureCookie where nobody else can read along.`
}
