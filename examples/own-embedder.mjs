// An embedder of your own: a name and a function from texts to vectors of one length. This one counts pairs of letters.
import { createEngine } from "kanon/sqlite"
import { makeVault } from "./vault.mjs"

const dimensions = 128
const vectorOf = (text) => {
  const vector = new Float32Array(dimensions)
  const letters = text.toLowerCase()
  for (let at = 1; at < letters.length; at += 1)
    vector[(letters.charCodeAt(at - 1) * 31 + letters.charCodeAt(at)) % dimensions] += 1
  return vector
}

const engine = await createEngine({
  vault: makeVault(),
  models: { embedder: { modelId: "house/letter-pairs-1", embed: async (texts) => texts.map(vectorOf) } }
})
// A new name makes new vectors: the index of the old one serves until the new one is complete.
await engine.ingest()
const { vectors } = await engine.status()
const { results } = await engine.search("buoy for pilots")
console.log(results[0]?.docPath, vectors.model, vectors.upToDate)
await engine.close()
// Prints:
// pilot.md house/letter-pairs-1 true
