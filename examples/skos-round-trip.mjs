// A vocabulary in SKOS comes in, is used by questions, and goes out again as JSON-LD.
import { createEngine } from "kanon/sqlite"
import { makeVault } from "./vault.mjs"

const turtle = `
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<https://example.org/port> a skos:ConceptScheme .
<https://example.org/fender> a skos:Concept ; skos:inScheme <https://example.org/port> ;
  skos:prefLabel "Fender"@en, "Fender"@de ; skos:altLabel "bumper"@en ;
  skos:definition "A cushion between a ship and a quay."@en .
`
const engine = await createEngine({ vault: makeVault() })
await engine.ingest()
const report = await engine.importSkos({ format: "turtle", text: turtle }, { mode: "apply" })
console.log(`${report.created} new concept`)
// A job imports it; like the jobs of changed files, an ingest waits for it.
await engine.ingest()
const { candidates } = await engine.entities.resolve("bumper")
console.log(candidates[0].name)
let text = ""
for await (const part of engine.exportSkos()) text += new TextDecoder().decode(part)
console.log(text.includes("https://example.org/fender"))
await engine.close()
// Prints:
// 1 new concept
// Fender
// true
