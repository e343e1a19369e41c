import { apiDocument, operationsOf } from "../../tools/api-document.js"

// What programs over generated clients call, and which calls the server refuses.

export const document = apiDocument()

/** Those that end what the others need come last. */
const later: Readonly<Record<string, number>> = { GET: 0, PUT: 1, PATCH: 1, POST: 2, DELETE: 3 }
export const operations = [...operationsOf(document)].sort(
  (a, b) => (later[a.method] ?? 0) - (later[b.method] ?? 0)
)

/** Names of what is there, and texts. */
export const given: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  getAgent: { slug: "researcher" },
  putAgent: { instructions: "Answer briefly." },
  startRun: { slug: "researcher" }
}

/** Operations that the server refuses with their required fields alone, or in this state of the workspace, by status. */
export const refusals: Readonly<Record<string, number>> = {
  approveChangeRequest: 409,
  approveRunStep: 409,
  compareEvals: 409,
  createDataConnector: 400,
  deleteContentConnector: 409,
  deleteRelation: 404,
  listMentions: 400,
  mergeEntity: 400,
  proposeChange: 400,
  restoreFromTrash: 404,
  updateWorkspace: 400,
  withdrawChangeRequest: 409
}
