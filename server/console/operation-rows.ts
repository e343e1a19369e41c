import { operations } from "../../core/operations.js"
import { type Row, row } from "../catalog/row.js"

/** Operations of the engine that have no route of their own, for the pages: each is called by its name. */
export const operationRows: ReadonlyArray<Row> = [
  row(operations.listStewardship, "POST", "/console/operations/listStewardship"),
  row(operations.listDuplicates, "POST", "/console/operations/listDuplicates"),
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
