// Writes what is made from the catalog: docs/openapi.json, docs/api.md and the client's types and operations;
// docs/state-machines.md from the tables of the machines; and docs/cli-reference.md from the commands.
import { writeFileSync } from "node:fs"
import { generatedFiles } from "./api-files.js"

for (const [path, text] of Object.entries(generatedFiles())) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text)
  console.log(`wrote ${path}`)
}
