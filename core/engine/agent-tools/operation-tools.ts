import type * as Effect from "effect/Effect"
import { z } from "zod"
import { operations } from "../../operations.js"
import {
  type Caller,
  type Fault,
  type FaultTag,
  type Operation,
  runOperation
} from "../../platform/kernel/index.js"
import type { ToolSpec } from "../../work/agents/index.js"

/** An operation as a tool: named as its MCP tool, with the effect of the catalog. */
const tool = <Input extends z.ZodObject, Output extends z.ZodType, Tag extends FaultTag, Required>(
  name: string,
  operation: Operation<string, Input, Output, Tag, Required>
) => ({
  name,
  operation,
  run: (input: unknown): Effect.Effect<unknown, Fault, Required | Caller> => runOperation(operation, input)
})

/** Agents read and propose; decisions are left to people, so no operation that decides is a tool. */
export const operationTools = [
  tool("svc_query", operations.query),
  tool("svc_check_grounding", operations.checkGrounding),
  tool("svc_search", operations.search),
  tool("svc_list_documents", operations.listDocuments),
  tool("svc_get_document", operations.getDocument),
  tool("svc_get_chunk", operations.getChunk),
  tool("svc_document_lineage", operations.getDocumentLineage),
  tool("svc_resolve_entity", operations.resolveEntities),
  tool("svc_get_entity", operations.getEntity),
  tool("svc_neighborhood", operations.getNeighborhood),
  tool("svc_entity_history", operations.listRevisions),
  tool("svc_list_change_requests", operations.listChangeRequests),
  tool("svc_explain_answer", operations.getPolicyDecision),
  tool("svc_propose_change", operations.proposeChange),
  tool("svc_create_document", operations.createDocument),
  tool("svc_replace_document", operations.replaceDocument),
  tool("svc_list_agents", operations.listAgents),
  tool("svc_get_run", operations.getRun)
] as const

/**
 * Operations whose results show passages of the workspace as they are. Others repeat what people or runs wrote, which may
 * name passages that nothing returned.
 */
export const evidenceTools: ReadonlySet<string> = new Set([
  "svc_query",
  "svc_check_grounding",
  "svc_search",
  "svc_get_document",
  "svc_get_chunk",
  "svc_document_lineage",
  "svc_resolve_entity",
  "svc_get_entity",
  "svc_neighborhood",
  "svc_explain_answer"
])

/** By default every write needs the approval of a person; an agent may change that. */
export const approvalOf = (effect: ToolSpec["effect"]): ToolSpec["approval"] =>
  effect === "write" ? "always" : "never"

/** Idempotent in the catalog, but a write that a person should approve. */
const writes: ReadonlySet<string> = new Set(["svc_replace_document"])

export const schemaOf = (schema: z.ZodType): Readonly<Record<string, unknown>> => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    reused: "inline"
  })
  return json
}

export const operationSpecs: ReadonlyArray<() => ToolSpec> = operationTools.map(({ name, operation }) => {
  let made: ToolSpec | undefined
  return () => {
    const effect = operation.effect === "read" ? "read_only" : writes.has(name) ? "write" : operation.effect
    made ??= {
      name,
      kind: "operation",
      effect,
      approval: approvalOf(effect),
      scopes: operation.scopes,
      description: operation.summary,
      inputSchema: schemaOf(operation.input)
    }
    return made
  }
})

/** One of the operations; `OperationNeeds` are the services of all of them. */
export interface OperationTool {
  readonly name: string
  readonly operation: { readonly input: z.ZodType }
  readonly run: (input: unknown) => Effect.Effect<unknown, Fault, OperationNeeds>
}

export type OperationNeeds = Effect.Effect.Context<ReturnType<(typeof operationTools)[number]["run"]>>
