import type { Session } from "../../server/console/model.js"
import type { TestServer } from "./server.js"

// biome-ignore lint/suspicious/noExplicitAny: tests look into what they are given.
type Body = any

/** A page in a browser that has signed in: it sends its cookie, its origin and the token against forged requests. */
export interface Browser {
  readonly session: Session
  readonly cookie: string
  readonly call: (
    method: string,
    path: string,
    options?: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  ) => Promise<{ readonly status: number; readonly body: Body; readonly headers: Headers }>
}

export const origin = "https://kanon.test"

/** Signs in with a key or the token of a link. */
export const signIn = (
  server: TestServer,
  body: { readonly key: string } | { readonly token: string },
  headers: Readonly<Record<string, string>> = {}
) => request(server, "POST", "/console/session", { body, headers: { origin, ...headers } })

/** Sends a request as a browser does, without a session. */
export const request = async (
  server: TestServer,
  method: string,
  path: string,
  {
    body,
    headers = {}
  }: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {}
) => {
  const response = await server.fetch(
    new Request(`${origin}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  )
  const text = await response.text()
  const isJson = response.headers.get("content-type")?.includes("json") === true
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

/** Signs in and returns the page. */
export const browser = async (
  server: TestServer,
  by: { readonly key: string } | { readonly token: string }
): Promise<Browser> => {
  const signedIn = await signIn(server, by)
  if (signedIn.status !== 201) throw new Error(`Signing in was answered ${signedIn.status}.`)
  const [cookie = ""] = (signedIn.headers.get("set-cookie") ?? "").split(";", 1)
  return sessionBrowser(server, signedIn.body, cookie)
}

/** The page of a session. */
export const sessionBrowser = (server: TestServer, session: Session, cookie: string): Browser => ({
  session,
  cookie,
  call: (method, path, { body, headers } = {}) =>
    request(server, method, path, {
      body,
      headers: {
        cookie,
        ...(method === "GET" ? {} : { origin, "x-kanon-csrf": session.csrf }),
        ...headers
      }
    })
})
