// The standard server in your process, and the typed client against it: a key, a document, a streamed question.

import { join } from "node:path"
import { operations } from "kanon"
import { createClient } from "kanon/client"
import { createServer } from "kanon/server"
import { createEngine } from "kanon/sqlite"
import { makeVault } from "./vault.mjs"

const vault = makeVault()
const place = { vault, data: join(vault, ".kanon") }
const engine = await createEngine(place)
await engine.ingest()
const { key } = await engine.call(operations.mintKey, {
  name: "example",
  scopes: ["agents:run", "kb:read", "kb:write"]
})
await engine.close()

const server = await createServer({ ...place, settings: { origin: "https://notes.example.org" } })
const client = createClient({
  baseUrl: "https://notes.example.org",
  key,
  // No socket: the client calls the server in this process.
  fetch: (input, init) => server.fetch(new Request(input, init))
})
await client.createDocument({ path: "tug.md", content: "# Tug\n\nThe tug Petrel has 2,400 kW.\n" })
for await (const event of client.streamQuery({ question: "How many kW does the tug Petrel have?" }))
  if (event.type === "claim") console.log(event.claim.text)
await server.close()
// Prints:
// The tug Petrel has 2,400 kW.
