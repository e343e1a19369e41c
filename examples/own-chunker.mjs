// A chunker of your own: one passage for each speaker of a transcript, under the name of the speaker.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createEngine } from "kanon/sqlite"
import { makeVault } from "./vault.mjs"

const vault = makeVault()
writeFileSync(
  join(vault, "meeting.md"),
  "# Harbour meeting\n\nAda: The north buoy is lit again.\n\nBen: Dredging begins on Monday.\n"
)

const bySpeaker = {
  name: "house/by-speaker",
  version: "1",
  cut: ({ blocks, text }) =>
    blocks
      .filter(({ heading }) => heading === null)
      .map(({ end, start }) => {
        const [, speaker] = /^(\w+): /.exec(text.slice(start, end)) ?? []
        return { start, end, headingPath: speaker === undefined ? [] : [speaker] }
      })
}

const engine = await createEngine({ vault, chunker: bySpeaker })
await engine.ingest()
const { results } = await engine.search("When does dredging begin?")
console.log(results[0]?.headingPath, results[0]?.snippet)
await engine.close()
// Prints:
// Ben Ben: Dredging begins on Monday.
