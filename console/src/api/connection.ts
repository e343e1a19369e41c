/**
 * Calls of the console: operations go to `/console/api/v1` through `kanon/client`, own endpoints to `/console/…`. The
 * session's cookie is the browser's; the CSRF token and the workspace are added here.
 */
import { createClient, KanonApiError, KanonConnectionError } from "../../../server/client/index.js"

/** The path of the console, without a slash at its end: `""` or `/kanon`. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/+$/, "")

/** Credentials that every call carries; the session provider keeps them current. */
export const credentials: {
  csrf: string | null
  workspaceId: string | null
  /** The member as whom an administrator sees the workspace; the server narrows every answer. */
  seenAs: string | null
} = {
  csrf: null,
  workspaceId: null,
  seenAs: null
}

const lost = new Set<() => void>()
/** Calls `listener` whenever the server no longer knows the session. */
export const onSessionLost = (listener: () => void): (() => void) => {
  lost.add(listener)
  return () => {
    lost.delete(listener)
  }
}

const send = async (url: string, init: RequestInit): Promise<Response> => {
  const headers = new Headers(init.headers)
  if (credentials.workspaceId !== null) headers.set("x-workspace-id", credentials.workspaceId)
  if (credentials.seenAs !== null) headers.set("x-kanon-as", credentials.seenAs)
  if (init.method !== "GET" && credentials.csrf !== null) headers.set("x-kanon-csrf", credentials.csrf)
  const response = await fetch(url, { ...init, headers, credentials: "same-origin" })
  if (response.status === 401) for (const listener of lost) listener()
  return response
}

export const client = createClient({ baseUrl: `${basePath}/console`, fetch: send })

/** Whether a workspace has what an address of the console names; any doubt is a no. */
export const isIn = async (workspaceId: string, path: string): Promise<boolean> => {
  const url = `${basePath}/console/${path}`
  const call = fetch(url, { credentials: "same-origin", headers: { "x-workspace-id": workspaceId } })
  return call.then(({ ok }) => ok).catch(() => false)
}

interface OwnCall {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE"
  readonly body?: unknown
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly signal?: AbortSignal
}

const ownUrl = (path: string, query: OwnCall["query"] = {}): string => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]]
  )
  const search = new URLSearchParams(given).toString()
  return `${basePath}/console/${path}${search === "" ? "" : `?${search}`}`
}

/** Sends a call to an own endpoint; rejects with the errors of `kanon/client`. */
export const sendOwn = async (path: string, call: OwnCall = {}): Promise<Response> => {
  let response: Response
  try {
    response = await send(ownUrl(path, call.query), {
      method: call.method ?? "GET",
      redirect: "manual",
      headers: call.body === undefined ? {} : { "content-type": "application/json" },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      ...(call.signal === undefined ? {} : { signal: call.signal })
    })
  } catch (error) {
    if (call.signal?.aborted === true) throw error
    throw new KanonConnectionError("network", "The server cannot be reached.", { cause: error })
  }
  if (!response.ok) throw new KanonApiError(response, await response.json().catch(() => undefined))
  return response
}

/** Calls an own endpoint, such as `inbox`, and reads its JSON. */
export const callOwn = async <Output>(path: string, call: OwnCall = {}): Promise<Output> => {
  const response = await sendOwn(path, call)
  try {
    // The server of the same package says what server/console/model.ts declares.
    const body: Output = await response.json()
    return body
  } catch (error) {
    throw new KanonConnectionError("response", "The server sent no JSON.", { cause: error })
  }
}
