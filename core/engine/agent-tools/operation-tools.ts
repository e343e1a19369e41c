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
import type { ToolSpec } from "../../work/agent-runs/index.js"

/** An operation as a tool, under the name that it has in MCP. */
const tool = <Input extends z.ZodObject, Output extends z.ZodType, Tag extends FaultTag, Required>(
  operation: Operation<string, Input, Output, Tag, Required>
) => ({
  name: operation.tool ?? operation.name,
  operation,
  run: (input: unknown): Effect.Effect<unknown, Fault, Required | Caller> => runOperation(operation, input)
})

/**
 * Operations whose results show passages of the workspace as they are. Results of the others repeat text by people or
 * runs, which may name passages that no tool returned.
 */
const evidence = [
  tool(operations.query),
  tool(operations.checkGrounding),
  tool(operations.search),
  tool(operations.getDocument),
  tool(operations.getChunk),
  tool(operations.getDocumentLineage),
  tool(operations.resolveEntities),
  tool(operations.getEntity),
  tool(operations.getNeighborhood),
  tool(operations.getPolicyDecision)
] as const

export const evidenceTools: ReadonlySet<string> = new Set(evidence.map(({ name }) => name))

/** Agents read and propose; decisions are left to people, so no operation that decides is a tool. */
export const operationTools = [
  ...evidence,
  tool(operations.listDocuments),
  tool(operations.listRevisions),
  tool(operations.listChangeRequests),
  tool(operations.proposeChange),
  tool(operations.createDocument),
  tool(operations.replaceDocument),
  tool(operations.listAgents),
  tool(operations.getRun)
] as const

/** By default every write needs the approval of a person; an agent may change that. */
export const approvalOf = (effect: ToolSpec["effect"]): ToolSpec["approval"] =>
  effect === "write" ? "always" : "never"

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
    // A replacement may be repeated and is a write that a person should approve all the same.
    const effect = operation.effect === "read" ? "read_only" : "write"
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
