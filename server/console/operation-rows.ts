import { operations } from "../../core/operations.js"
import { type Row, row } from "../catalog/row.js"

/** Operations of the engine that have no route of their own, for the pages: each is called by its name. */
export const operationRows: ReadonlyArray<Row> = [
  row(operations.listStewardship, "POST", "/console/operations/listStewardship"),
  row(operations.listDuplicates, "POST", "/console/operations/listDuplicates"),
  row(operations.listContradictions, "GET", "/console/contradictions"),
  row(operations.findContradictions, "POST", "/console/contradictions/find"),
  row(operations.settleContradiction, "POST", "/console/contradictions/{id}/settle"),
  row(operations.settleContradiction, "POST", "/console/operations/settleContradiction"),
  row(operations.compileTopic, "POST", "/console/proposals"),
  row(operations.listProposals, "GET", "/console/proposals"),
  row(operations.getProposal, "GET", "/console/proposals/{id}"),
  row(operations.approveProposal, "POST", "/console/proposals/{id}/approve"),
  row(operations.rejectProposal, "POST", "/console/proposals/{id}/reject"),
  row(operations.withdrawProposal, "POST", "/console/proposals/{id}/withdraw"),
  row(operations.compileTopic, "POST", "/console/operations/compileTopic"),
  row(operations.getProposal, "POST", "/console/operations/getProposal"),
  row(operations.approveProposal, "POST", "/console/operations/approveProposal"),
  row(operations.rejectProposal, "POST", "/console/operations/rejectProposal"),
  row(operations.getDocumentAccess, "GET", "/console/documents/{id}/access"),
  row(operations.setDocumentAccess, "PUT", "/console/documents/{id}/access"),
  row(operations.getDocumentAccess, "POST", "/console/operations/getDocumentAccess"),
  row(operations.setDocumentAccess, "POST", "/console/operations/setDocumentAccess"),
  row(operations.listGroups, "GET", "/console/groups"),
  row(operations.addToGroup, "POST", "/console/groups/members"),
  row(operations.removeFromGroup, "POST", "/console/groups/members/remove"),
  row(operations.restoreRevision, "POST", "/console/operations/restoreRevision"),
  row(operations.getDocumentByPath, "POST", "/console/operations/getDocumentByPath"),
  row(operations.listDataCalls, "POST", "/console/operations/listDataCalls"),
  row(operations.proposeQrels, "POST", "/console/operations/proposeQrels"),
  row(operations.acceptQrels, "POST", "/console/operations/acceptQrels"),
  row(operations.poolQrels, "POST", "/console/operations/poolQrels"),
  row(operations.judgeAgreement, "POST", "/console/operations/judgeAgreement"),
  row(operations.claimsToLabel, "POST", "/console/operations/claimsToLabel"),
  row(operations.labelClaims, "POST", "/console/operations/labelClaims"),
  row(operations.cancelEval, "POST", "/console/operations/cancelEval")
]
