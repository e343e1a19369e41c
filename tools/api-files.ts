import { readFileSync } from "node:fs"
import { clientSource } from "./api-client.js"
import { apiDocument, documentText } from "./api-document.js"
import { apiPage } from "./api-page.js"
import { cliPage } from "./cli-page.js"
import { withErrorTable } from "./error-table.js"
import { stateMachinesPage } from "./state-machines-page.js"

/** The files that are made from the catalog, the state machines and the commands, by path in the repository. */
export const generatedFiles = (): Readonly<Record<string, string>> => {
  const document = apiDocument()
  return {
    "docs/openapi.json": documentText(),
    "docs/api.md": apiPage(document),
    "docs/cli-reference.md": cliPage(),
    "docs/state-machines.md": stateMachinesPage(),
    "docs/embedding.md": withErrorTable(
      readFileSync(new URL("../docs/embedding.md", import.meta.url), "utf8")
    ),
    "server/client/generated.ts": clientSource(document)
  }
}
