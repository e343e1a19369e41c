import { createServer } from "node:http"
import { H3, type H3Event } from "h3"
import { toNodeHandler } from "h3/node"

/** What pages may ask for, and what it is at Kanon. Everything else stays closed. */
const offered: Readonly<Record<string, string>> = {
  "POST /kb/query": "/api/v1/query",
  "GET /kb/search": "/api/v1/search"
}

const page = `<!doctype html>
<title>Ask</title>
<form><input name="question"><button>Ask</button></form>
<pre></pre>
<script>
  document.forms[0].addEventListener("submit", async (event) => {
    event.preventDefault()
    const question = event.target.question.value
    const headers = { "content-type": "application/json" }
    const response = await fetch("/kb/query", { method: "POST", headers, body: JSON.stringify({ question }) })
    document.querySelector("pre").textContent = (await response.json()).answer
  })
</script>`

/** An application's own server: its pages, and Kanon under the same origin with a key that never leaves this process. */
export const startApplication = async (options: {
  readonly kanonUrl: string
  readonly key: string
  readonly port: number
  /** Whether the visitor may ask: a session, as the application has it. */
  readonly isSignedIn: (request: Request) => boolean
}) => {
  const { isSignedIn, kanonUrl, key, port } = options
  const forward = async ({ req, url }: H3Event) => {
    const path = offered[`${req.method} ${url.pathname}`]
    if (path === undefined) return new Response(null, { status: 404 })
    // Browsers say where a request comes from: pages of other sites get nothing.
    const site = req.headers.get("sec-fetch-site")
    if (site !== null && site !== "same-origin") return new Response(null, { status: 403 })
    if (!isSignedIn(req)) return new Response(null, { status: 401 })
    const answer = await fetch(`${kanonUrl}${path}${url.search}`, {
      method: req.method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      // A visitor who leaves stops the work.
      signal: req.signal,
      ...(req.method === "POST" ? { body: await req.text() } : {})
    })
    return new Response(answer.body, {
      status: answer.status,
      headers: {
        "content-type": "application/json",
        "x-request-id": answer.headers.get("x-request-id") ?? ""
      }
    })
  }
  const app = new H3()
    .get("/", () => new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } }))
    .all("/kb/**", forward)
  const server = createServer(toNodeHandler(app))
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  return server
}
