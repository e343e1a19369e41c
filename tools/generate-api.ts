// Writes what is made from the catalog, the machines and the commands. `npm ci` and packing run it; documents that are
// made as a whole, and the client's types and operations, are not committed.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { generatedFiles } from "./api-files.js"

for (const [path, text] of Object.entries(generatedFiles())) {
  const file = new URL(`../${path}`, import.meta.url)
  if (existsSync(file) && readFileSync(file, "utf8") === text) continue
  writeFileSync(file, text)
  console.log(`wrote ${path}`)
}
