import { randomUUID } from "node:crypto"
import type { ReplicaState } from "../../core/platform/kernel/index.js"
import { json } from "./answer.js"
import type { ServerMetrics } from "./prometheus.js"

/** Dependencies of the paths outside of the API. */
export interface Health {
  /** Returns whether the server is ready. */
  readonly isReady: () => Promise<boolean>
  /** What the host lacks so that writes fail, such as space on the disk; reads go on without it. */
  readonly shortage?: () => Promise<string | null>
  readonly metrics: ServerMetrics
  /** Replicas that serve reads; the server is ready without them. */
  readonly replicas?: () => Promise<ReadonlyArray<ReplicaState>>
}

/**
 * Answers the operational paths: `/healthz` (liveness), `/readyz` (readiness) and `/metrics` (Prometheus). Returns
 * undefined for any other path.
 */
export const serveHealth = async (
  request: Request,
  { isReady, metrics, replicas, shortage }: Health
): Promise<Response | undefined> => {
  const { url } = request
  // Fast path: nearly every request is for the API, and parsing a URL is slow.
  if (!paths.some((path) => url.includes(path)) || !URL.canParse(url)) return undefined
  const { pathname } = new URL(url)
  if (!paths.includes(pathname)) return undefined
  // HEAD requests get the same answer; the body is dropped when it is sent.
  if (request.method !== "GET" && request.method !== "HEAD") {
    const body = { error: "method_not_allowed", message: "Allowed here: GET, HEAD." }
    return json(405, body, randomUUID(), { allow: "GET, HEAD" })
  }
  if (pathname === "/healthz") return json(200, { status: "alive" }, randomUUID())
  if (pathname === "/readyz") {
    const states = (await replicas?.()) ?? []
    const isOpen = await isReady()
    const missing = isOpen ? ((await shortage?.()) ?? null) : null
    if (missing !== null)
      return json(503, { status: "not ready", reason: "data_full", message: missing }, randomUUID(), {
        "retry-after": "10"
      })
    return isOpen
      ? json(200, { status: "ready", ...(states.length === 0 ? {} : { replicas: states }) }, randomUUID())
      : json(503, { status: "not ready" }, randomUUID(), { "retry-after": "1" })
  }
  const { contentType, text } = await metrics.read()
  const headers = {
    "content-type": contentType,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": randomUUID()
  }
  return new Response(text, { headers })
}

const paths: ReadonlyArray<string> = ["/healthz", "/readyz", "/metrics"]
