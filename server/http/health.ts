import { randomUUID } from "node:crypto"
import { json } from "./answer.js"
import type { ServerMetrics } from "./prometheus.js"

/** What the paths outside of the API need. */
export interface Health {
  /** Whether requests can be served well. */
  readonly isReady: () => Promise<boolean>
  readonly metrics: ServerMetrics
}

/**
 * Answers the paths for machines that look after the server: `/healthz` while it lives, `/readyz` while it can serve,
 * `/metrics` for Prometheus. None for any other path.
 */
export const serveHealth = async (
  request: Request,
  { isReady, metrics }: Health
): Promise<Response | undefined> => {
  const { url } = request
  // Nearly every request is for the API, and an address is dear to read.
  if (!paths.some((path) => url.includes(path)) || !URL.canParse(url)) return undefined
  const { pathname } = new URL(url)
  if (!paths.includes(pathname)) return undefined
  if (request.method !== "GET") {
    const body = { error: "method_not_allowed", message: "Allowed here: GET." }
    return json(405, body, randomUUID(), { allow: "GET" })
  }
  if (pathname === "/healthz") return json(200, { status: "alive" }, randomUUID())
  if (pathname === "/readyz")
    return (await isReady())
      ? json(200, { status: "ready" }, randomUUID())
      : json(503, { status: "not ready" }, randomUUID(), { "retry-after": "1" })
  const { contentType, text } = await metrics.read()
  return new Response(text, { headers: { "content-type": contentType, "cache-control": "no-store" } })
}

const paths: ReadonlyArray<string> = ["/healthz", "/readyz", "/metrics"]
