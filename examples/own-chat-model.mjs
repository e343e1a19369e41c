// A chat model of your own: a function that gets messages and a JSON schema and promises text that follows it. Kanon
// checks each sentence against the passages that it cites, so a sentence that no passage carries is marked.
import { createEngine } from "kanon/sqlite"
import { makeVault } from "./vault.mjs"

const chat = {
  modelId: "house/chat-1",
  // Stands for a call to your service, which would read `messages`.
  generate: async (_request, signal) => {
    signal.throwIfAborted()
    return JSON.stringify({
      answerable: true,
      missing: null,
      sentences: [
        { text: "The harbour crane lifts 40 tonnes.", citations: ["S1"] },
        { text: "The harbour crane lifts 60 tonnes.", citations: ["S1"] }
      ]
    })
  }
}

const engine = await createEngine({ vault: makeVault(), models: { chat } })
await engine.ingest()
const { claims, model } = await engine.ask("How many tonnes does the harbour crane lift?")
console.log(model.chat)
for (const { status, text } of claims) console.log(status, text)
await engine.close()
// Prints:
// house/chat-1
// supported The harbour crane lifts 40 tonnes.
// contradicted The harbour crane lifts 60 tonnes.
