// Writes the client's types and operations from the catalog. `npm ci` and the build run it; the file is not committed.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { clientSource } from "./api-client.js"
import { apiDocument } from "./api-document.js"

const file = new URL("../server/client/generated.ts", import.meta.url)
const source = clientSource(apiDocument())
if (!existsSync(file) || readFileSync(file, "utf8") !== source) writeFileSync(file, source)
