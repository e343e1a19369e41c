// A folder with three notes for the examples. In your product it is the folder of documents that you have.
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const notes = {
  "crane.md":
    "---\ntype: equipment\naliases: [Big Blue]\n---\n# Harbour crane\n\nThe harbour crane lifts 40 tonnes. It stands on the [[quay]].\n",
  "quay.md": "---\ntype: site\n---\n# North quay\n\nThe north quay closes when the wind exceeds 20 m/s.\n",
  "pilot.md": "# Pilot\n\nThe pilot boards at buoy 7 and leaves the ship by launch.\n"
}

export const makeVault = () => {
  const folder = mkdtempSync(join(tmpdir(), "kanon-example-"))
  for (const [name, text] of Object.entries(notes)) writeFileSync(join(folder, name), text)
  return folder
}
