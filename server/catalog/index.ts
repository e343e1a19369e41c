import { operations } from "../../core/operations.js"
import { type Row, row } from "./row.js"

/** Every operation on the wire, in the order of the documentation. One declaration and one effect make a new one. */
export const catalog: ReadonlyArray<Row> = [
  row(operations.query, "POST", "/api/v1/query", { tool: "svc_query" }),
  row(operations.listDocuments, "GET", "/api/v1/documents", { tool: "svc_list_documents" }),
  row(operations.createDocument, "POST", "/api/v1/documents", { status: 201, tool: "svc_create_document" }),
  row(operations.getDocument, "GET", "/api/v1/documents/{id}", { tool: "svc_get_document" }),
  row(operations.replaceDocument, "PATCH", "/api/v1/documents/{id}", {
    tool: "svc_replace_document",
    destructive: true
  }),
  row(operations.deleteDocument, "DELETE", "/api/v1/documents/{id}"),
  row(operations.moveDocument, "POST", "/api/v1/documents/{id}/move"),
  row(operations.search, "GET", "/api/v1/search", { tool: "svc_search" }),
  row(operations.listEntities, "GET", "/api/v1/entities", { badParameter: "invalid-pagination" }),
  row(operations.createEntity, "POST", "/api/v1/entities", { status: 201 }),
  row(operations.resolveEntities, "GET", "/api/v1/entities/resolve", { tool: "svc_resolve_entity" }),
  row(operations.getEntity, "GET", "/api/v1/entities/{id}", { tool: "svc_get_entity" }),
  row(operations.updateEntity, "PATCH", "/api/v1/entities/{id}"),
  row(operations.deleteEntity, "DELETE", "/api/v1/entities/{id}"),
  row(operations.getNeighborhood, "GET", "/api/v1/entities/{id}/neighborhood", {
    badParameter: "invalid-params",
    tool: "svc_neighborhood"
  }),
  row(operations.mergeEntity, "POST", "/api/v1/entities/{id}/merge"),
  row(operations.listRelations, "GET", "/api/v1/relations"),
  row(operations.createRelation, "POST", "/api/v1/relations", { status: 201 }),
  row(operations.deleteRelation, "DELETE", "/api/v1/relations/{id}"),
  row(operations.listMentions, "GET", "/api/v1/mentions"),
  row(operations.getManifest, "GET", "/api/v1/manifest"),
  row(operations.getChunk, "GET", "/api/v1/chunks/{id}", { tool: "svc_get_chunk" }),
  row(operations.listMembers, "GET", "/api/v1/members"),
  row(operations.listKeys, "GET", "/api/v1/keys"),
  row(operations.mintKey, "POST", "/api/v1/keys", { status: 201 }),
  row(operations.revokeKey, "DELETE", "/api/v1/keys/{id}"),
  row(operations.listJobs, "GET", "/api/v1/jobs"),
  row(operations.startJob, "POST", "/api/v1/jobs", { status: 202 })
]
