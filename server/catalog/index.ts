import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { z } from "zod"
import { skosText } from "../../core/knowledge/vocabulary/index.js"
import { operations } from "../../core/operations.js"
import { type AuditQuery, streamAudit } from "../../core/platform/audit/index.js"
import { defined, visibleJson } from "../../core/platform/kernel/index.js"
import { trecQrels, trecRun } from "../../core/work/evaluation/index.js"
import { inlineRun, runEvents } from "./agents.js"
import { addFeedback } from "./feedback.js"
import { type Row, row } from "./row.js"

/** The trail as lines of JSON, oldest first. */
const auditLines = {
  mediaType: "application/x-ndjson",
  chosenBy: { field: "format", value: "ndjson" },
  meaning: "One event a line, oldest first, each as in `items`.",
  open: ({ cursor, format, limit, ...filter }: z.output<typeof AuditQuery>) =>
    format === "json"
      ? Effect.succeed(null)
      : Effect.map(streamAudit(filter, { cursor, limit }), (events) =>
          Stream.map(events, (event) => `${visibleJson(event)}\n`)
        )
}

/** Every operation on the wire, in the order of the documentation. One declaration and one effect make a new one. */
export const catalog: ReadonlyArray<Row> = [
  row(operations.query, "POST", "/api/v1/query", {
    staged: true,
    headers: {
      "x-answer-id": { note: "answerId", meaning: "The answer as it is kept; absent where it is not." }
    }
  }),
  row(operations.listPolicyDecisions, "GET", "/api/v1/policy/decisions"),
  row(operations.getPolicyDecision, "GET", "/api/v1/policy/decisions/{id}"),
  row(operations.getPolicyStats, "GET", "/api/v1/policy/stats"),
  row(operations.checkGrounding, "POST", "/api/v1/grounding/check"),
  row(operations.listDocuments, "GET", "/api/v1/documents"),
  row(operations.createDocument, "POST", "/api/v1/documents", {
    namesHolder: true,
    status: 201
  }),
  row(operations.getDocument, "GET", "/api/v1/documents/{id}"),
  row(operations.replaceDocument, "PATCH", "/api/v1/documents/{id}", {
    destructive: true
  }),
  row(operations.deleteDocument, "DELETE", "/api/v1/documents/{id}"),
  row(operations.moveDocument, "POST", "/api/v1/documents/{id}/move", { namesHolder: true }),
  row(operations.listDocumentVersions, "GET", "/api/v1/documents/{id}/versions"),
  row(operations.verifyDocument, "POST", "/api/v1/documents/{id}/verify"),
  row(operations.getDocumentLineage, "GET", "/api/v1/documents/{id}/lineage"),
  row(operations.search, "GET", "/api/v1/search"),
  row(operations.listEntities, "GET", "/api/v1/entities", { badParameter: "invalid-pagination" }),
  row(operations.createEntity, "POST", "/api/v1/entities", { namesHolder: true, status: 201 }),
  row(operations.resolveEntities, "GET", "/api/v1/entities/resolve"),
  row(operations.getEntity, "GET", "/api/v1/entities/{id}"),
  row(operations.updateEntity, "PATCH", "/api/v1/entities/{id}", { namesHolder: true }),
  row(operations.deleteEntity, "DELETE", "/api/v1/entities/{id}"),
  row(operations.getNeighborhood, "GET", "/api/v1/entities/{id}/neighborhood", {
    badParameter: "invalid-params"
  }),
  row(operations.mergeEntity, "POST", "/api/v1/entities/{id}/merge"),
  row(operations.listRevisions, "GET", "/api/v1/entities/{id}/revisions"),
  row(operations.certifyEntity, "POST", "/api/v1/entities/{id}/certify"),
  row(operations.reviewEntity, "POST", "/api/v1/entities/{id}/review"),
  row(operations.setAuthority, "POST", "/api/v1/entities/{id}/authority"),
  row(operations.setOwner, "POST", "/api/v1/entities/{id}/owner"),
  row(operations.setEntityLifecycle, "POST", "/api/v1/entities/{id}/lifecycle"),
  row(operations.deprecateEntity, "POST", "/api/v1/entities/{id}/deprecate"),
  row(operations.listChangeRequests, "GET", "/api/v1/change-requests"),
  row(operations.proposeChange, "POST", "/api/v1/change-requests", {
    status: 201
  }),
  row(operations.getChangeRequest, "GET", "/api/v1/change-requests/{id}"),
  row(operations.approveChangeRequest, "POST", "/api/v1/change-requests/{id}/approve"),
  row(operations.rejectChangeRequest, "POST", "/api/v1/change-requests/{id}/reject"),
  row(operations.withdrawChangeRequest, "POST", "/api/v1/change-requests/{id}/withdraw"),
  row(operations.listRelations, "GET", "/api/v1/relations"),
  row(operations.createRelation, "POST", "/api/v1/relations", { status: 201 }),
  row(operations.deleteRelation, "DELETE", "/api/v1/relations/{id}"),
  row(operations.listMentions, "GET", "/api/v1/mentions"),
  row(operations.listTrash, "GET", "/api/v1/trash"),
  row(operations.restoreFromTrash, "POST", "/api/v1/trash/{id}/restore", { namesHolder: true }),
  row(operations.getManifest, "GET", "/api/v1/manifest"),
  row(operations.getCacheStats, "GET", "/api/v1/cache/stats"),
  row(operations.listAuditEvents, "GET", "/api/v1/audit", { streamed: auditLines }),
  row(operations.getChunk, "GET", "/api/v1/chunks/{id}"),
  row(operations.listMembers, "GET", "/api/v1/members"),
  row(operations.listKeys, "GET", "/api/v1/keys"),
  row(operations.mintKey, "POST", "/api/v1/keys", { status: 201 }),
  row(operations.revokeKey, "DELETE", "/api/v1/keys/{id}"),
  row(operations.getWorkspace, "GET", "/api/v1/workspace"),
  row(operations.updateWorkspace, "PATCH", "/api/v1/workspace"),
  row(operations.exportSkos, "GET", "/api/v1/export/skos", {
    streamed: {
      mediaType: "application/json; charset=utf-8",
      meaning: "The document, sent while it is read.",
      open: () => Effect.succeed(skosText)
    }
  }),
  row(operations.importSkos, "POST", "/api/v1/import/skos", {
    status: 202,
    otherwise: { status: 200, when: ({ jobId }) => jobId === null },
    // A vocabulary in JSON-LD is the only body that may have any number of items.
    bodyValues: 250_000
  }),
  row(operations.listDataConnectors, "GET", "/api/v1/data/connectors"),
  row(operations.createDataConnector, "POST", "/api/v1/data/connectors", { status: 201 }),
  row(operations.updateDataConnector, "PATCH", "/api/v1/data/connectors/{id}"),
  row(operations.deleteDataConnector, "DELETE", "/api/v1/data/connectors/{id}"),
  row(operations.listDataQueries, "GET", "/api/v1/data/queries"),
  row(operations.getDataQuery, "GET", "/api/v1/data/queries/{slug}"),
  row(operations.putDataQuery, "PUT", "/api/v1/data/queries/{slug}", {
    otherwise: { status: 201, when: (result) => "created" in result && result.created }
  }),
  row(operations.runDataQuery, "POST", "/api/v1/data/queries/{slug}/run"),
  row(operations.getDataCall, "GET", "/api/v1/data/calls/{id}"),
  row(operations.listContentConnectors, "GET", "/api/v1/connectors"),
  row(operations.createContentConnector, "POST", "/api/v1/connectors", { status: 201 }),
  row(operations.getContentConnector, "GET", "/api/v1/connectors/{id}"),
  row(operations.updateContentConnector, "PATCH", "/api/v1/connectors/{id}"),
  row(operations.deleteContentConnector, "DELETE", "/api/v1/connectors/{id}"),
  row(operations.syncContentConnector, "POST", "/api/v1/connectors/{id}/sync", { status: 202 }),
  row(operations.listAgents, "GET", "/api/v1/agents"),
  row(operations.getAgent, "GET", "/api/v1/agents/{slug}"),
  row(operations.putAgent, "PUT", "/api/v1/agents/{slug}", {
    otherwise: { status: 201, when: ({ created }) => created }
  }),
  row(operations.startRun, "POST", "/api/v1/agents/{slug}/runs", {
    status: 202,
    query: ["stream"],
    streamed: inlineRun
  }),
  row(operations.listRuns, "GET", "/api/v1/runs"),
  row(operations.getRun, "GET", "/api/v1/runs/{id}"),
  row(operations.streamRun, "GET", "/api/v1/runs/{id}/stream", { streamed: runEvents }),
  row(operations.listRunSteps, "GET", "/api/v1/runs/{id}/steps"),
  row(operations.cancelRun, "POST", "/api/v1/runs/{id}/cancel"),
  row(operations.approveRunStep, "POST", "/api/v1/runs/{id}/approve", { status: 202 }),
  row(addFeedback, "POST", "/api/v1/runs/{id}/feedback", { status: 201 }),
  row(operations.listReports, "GET", "/api/v1/reports"),
  row(operations.createReport, "POST", "/api/v1/reports", { status: 201 }),
  row(operations.getReport, "GET", "/api/v1/reports/{id}"),
  row(operations.listEvals, "GET", "/api/v1/evals"),
  row(operations.startEval, "POST", "/api/v1/evals", { status: 202 }),
  row(operations.getEval, "GET", "/api/v1/evals/{id}", {
    streamed: {
      mediaType: "text/plain; charset=utf-8",
      chosenBy: { field: "format", value: "trec" },
      meaning: "A TREC run file: query id, Q0, document id, rank, score, run id.",
      open: ({ format, id }) => (format === "json" ? Effect.succeed(null) : trecRun(id))
    }
  }),
  row(operations.compareEvals, "GET", "/api/v1/evals/{id}/compare"),
  row(operations.listQrels, "GET", "/api/v1/qrels", {
    streamed: {
      mediaType: "text/plain; charset=utf-8",
      chosenBy: { field: "format", value: "trec" },
      meaning: "TREC qrels: query id, 0, document id, grade.",
      open: ({ docId, format, query, set }) =>
        format === "json"
          ? Effect.succeed(null)
          : Effect.map(trecQrels(defined({ set, query, docId })), Stream.make)
    }
  }),
  row(operations.putQrels, "PUT", "/api/v1/qrels"),
  row(operations.listJobs, "GET", "/api/v1/jobs"),
  row(operations.startJob, "POST", "/api/v1/jobs", { status: 202 })
]
