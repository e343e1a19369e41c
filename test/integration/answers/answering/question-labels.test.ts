import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Engine } from "../../../../adapters/sqlite/index.js"
import { createEngine } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"
import { taken } from "../../../support/skos-world.js"

// Questions that name a concept by a label that the documents do not write.

const folder = temporaryFolder("labels")
let engine: Engine

const notes = {
  "pumps.md": "# Pumps\n\nThe bilge pump is tested on the first Monday of each month.\n",
  "engine.md": "# Engine\n\nThe engine oil is changed every 200 hours.\n",
  "sails.md": "# Sails\n\nThe mainsail was sewn in Lisbon in 2019.\n",
  "aft.md": "# Aft\n\nThe capstan stands in the aft compartment.\n"
}

beforeAll(async () => {
  for (const [path, text] of Object.entries(notes)) writeFileSync(join(folder, path), text)
  engine = await createEngine({ vault: folder, data: ":memory:", thread: false })
  await engine.ingest()
  await taken(engine, {
    format: "turtle",
    text: `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix x: <https://example.org/> .
x:b a skos:Concept ; skos:prefLabel "Bilge pump"@en ; skos:altLabel "Lenzpumpe"@de , "pompe de cale"@fr ;
  skos:definition "A pump that takes water out of the bilge."@en .
x:c a skos:Concept ; skos:prefLabel "Capstan"@en ; skos:altLabel "Spill"@de .
x:k a skos:Concept ; skos:prefLabel "Keel"@en ; skos:altLabel "Kiel"@de .`
  })
  await engine.ingest()
})
afterAll(() => engine.close())

const answerTo = async (question: string) => {
  const { claims, dataCalls, sources } = await engine.ask(question)
  const ids = new Set([...sources, ...dataCalls].map(({ id }) => id))
  for (const { citations } of claims) for (const id of citations) expect(ids).toContain(id)
  return claims.map(({ text }) => text).join(" / ")
}

describe("a label in another language", () => {
  it.each([
    "When is the Lenzpumpe tested?",
    "When is the pompe de cale tested?",
    "When is the bilge pump tested?"
  ])("finds what the documents say of its concept: %s", async (question) => {
    expect(await answerTo(question)).toContain("first Monday of each month")
  })

  it("is answered for the concept alone", async () => {
    expect(await answerTo("Where does the Spill stand?")).toContain("aft compartment")
    expect(await answerTo("When is the Kiel tested?")).toBe("")
  })

  it.each(["What is a Lenzpumpe?", "What is a bilge pump?"])("gives the definition: %s", async (question) => {
    expect(await answerTo(question)).toContain("A pump that takes water out of the bilge.")
  })

  it("gives no definition where the concept has none", async () => {
    const { dataCalls } = await engine.ask("What is a Capstan?")
    expect(dataCalls).toEqual([])
  })
})
