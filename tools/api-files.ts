import { clientSource } from "./api-client.js"
import { apiDocument, documentText } from "./api-document.js"
import { apiPage } from "./api-page.js"
import { stateMachinesPage } from "./state-machines-page.js"

/** The files that are made from the catalog and the state machines, by path in the repository. */
export const generatedFiles = (): Readonly<Record<string, string>> => {
  const document = apiDocument()
  return {
    "docs/openapi.json": documentText(),
    "docs/api.md": apiPage(document),
    "docs/state-machines.md": stateMachinesPage(),
    "server/client/generated.ts": clientSource(document)
  }
}
