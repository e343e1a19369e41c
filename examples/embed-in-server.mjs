// Kanon inside a web server of your own: one engine for the process, one route that answers with cited claims.
import { once } from "node:events"
import { createServer } from "node:http"
import { createEngine, KanonError } from "kanon/sqlite"
import { makeVault } from "./vault.mjs"

const engine = await createEngine({ vault: makeVault() })
await engine.ingest()

const server = createServer(async (request, response) => {
  const question = new URL(request.url ?? "/", "http://localhost").searchParams.get("q") ?? ""
  const stop = new AbortController()
  // A visitor who leaves stops the work.
  response.on("close", () => stop.abort())
  const send = (status, body) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  try {
    const { claims, policy, sources } = await engine.ask(question, { signal: stop.signal })
    const pathOf = (id) => sources.find((source) => source.id === id)?.docPath
    send(200, {
      verdict: policy.verdict,
      claims: claims.map(({ citations, text }) => ({ text, from: citations.map(pathOf) }))
    })
  } catch (error) {
    if (stop.signal.aborted) return
    // What the caller can act on has a code; everything else is a bug and goes to your log.
    if (error instanceof KanonError) send(400, { code: error.code, message: error.message })
    else send(500, { code: "internal" })
  }
})
server.listen(0, "127.0.0.1")
await once(server, "listening")

const address = `http://127.0.0.1:${server.address().port}/?q=`
const asked = await fetch(address + encodeURIComponent("How many tonnes does the harbour crane lift?"))
console.log(await asked.text())
console.log((await (await fetch(address)).json()).code)
server.close()
await engine.close()
// Prints:
// {"verdict":"answer","claims":[{"text":"The harbour crane lifts 40 tonnes.","from":["crane.md"]}]}
// invalid_body
