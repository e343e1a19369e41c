import { createTwoFilesPatch } from "diff"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { z } from "zod"
import {
  type RegisteredTool,
  RegisteredTools,
  RunGuard,
  Toolbox,
  type ToolOutcome,
  type ToolPreview,
  type ToolSpec
} from "./agents/index.js"
import { isStillAdmitted } from "./identity/index.js"
import {
  asInvalid,
  Caller,
  type Fault,
  type FaultTag,
  faultCodes,
  type Issue,
  isFault,
  KeyId,
  type Operation,
  runOperation,
  serviceLayer,
  type WorkspaceScope
} from "./kernel/index.js"
import { callMcpTool, checkMcpArguments, type McpTool, mcpTools } from "./mcp/index.js"
import { operations } from "./operations.js"
import { policyOff } from "./policy/index.js"

/** An operation as a tool: named as its MCP tool, with the effect of the catalog. */
const tool = <Input extends z.ZodObject, Output extends z.ZodType, Tag extends FaultTag, Required>(
  name: string,
  operation: Operation<string, Input, Output, Tag, Required>
) => ({
  name,
  operation,
  run: (input: unknown): Effect.Effect<unknown, Fault, Required | Caller> => runOperation(operation, input)
})

/** Reads and proposals only: what decides is for people. */
const operationTools = [
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

/** A write may be allowed only where a person saw it, unless the agent says otherwise. */
const approvalOf = (effect: ToolSpec["effect"]): ToolSpec["approval"] =>
  effect === "write" ? "always" : "never"

/** A replacement is idempotent for retries and all the same a write that a person should see. */
const writes: ReadonlySet<string> = new Set(["svc_replace_document"])

const schemaOf = (schema: z.ZodType): Readonly<Record<string, unknown>> => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    reused: "inline"
  })
  return json
}

const specs: ReadonlyArray<() => ToolSpec> = operationTools.map(({ name, operation }) => {
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

const specOfFunction = ({ approval, description, effect, input, name }: RegisteredTool): ToolSpec => ({
  name,
  kind: "function",
  effect,
  approval: approval ?? approvalOf(effect),
  scopes: [],
  description,
  inputSchema: schemaOf(input)
})

const specOfMcp = ({ approval, description, effect, inputSchema, name }: McpTool): ToolSpec => ({
  name,
  kind: "mcp",
  effect,
  approval: approval ?? approvalOf(effect),
  scopes: [],
  description,
  inputSchema
})

/** Any one of the operations: what each needs, all together give. */
interface OperationTool {
  readonly name: string
  readonly operation: { readonly input: z.ZodType }
  readonly run: (input: unknown) => Effect.Effect<unknown, Fault, Needs>
}

type Needs = Effect.Effect.Context<ReturnType<(typeof operationTools)[number]["run"]>>
type McpNeeds = Effect.Effect.Context<
  ReturnType<typeof mcpTools> | ReturnType<typeof callMcpTool> | ReturnType<typeof checkMcpArguments>
>
type Provided = Exclude<Needs | McpNeeds, Caller | Toolbox>

/** The tools of a workspace: operations, functions of the embedding product, tools of MCP servers. */
export const toolbox = serviceLayer(
  Toolbox,
  Effect.gen(function* () {
    const services = yield* Effect.context<Provided>()
    const functions = Option.getOrElse(yield* Effect.serviceOption(RegisteredTools), () => [])
    // What the caller has in force (its units of work, its audit context) goes before what stands here.
    const within = <A, E>(work: Effect.Effect<A, E, Needs>): Effect.Effect<A, E, Caller> =>
      Effect.mapInputContext(work, (own: Context.Context<Caller>) =>
        Context.merge(Context.add(services, Toolbox, self), own)
      )
    const operationNamed = (name: string): OperationTool | undefined =>
      operationTools.find((one) => one.name === name)
    const functionNamed = (name: string) => functions.find((one) => one.name === name)

    const self: Context.Tag.Service<Toolbox> = {
      list: (workspace, names) => {
        const own = [...specs.map((spec) => spec()), ...functions.map(specOfFunction)]
        const isNamed = ({ name }: ToolSpec) => names?.includes(name) !== false
        return Effect.map(
          Effect.provide(mcpTools(workspace, names === undefined ? undefined : new Set(names)), services),
          (external) => [...own.filter(isNamed), ...external.map(specOfMcp)]
        )
      },
      check: (workspace, name, given) => {
        const schema = operationNamed(name)?.operation.input ?? functionNamed(name)?.input
        if (schema === undefined) return Effect.provide(checkMcpArguments(workspace, name, given), services)
        return Effect.sync((): ReadonlyArray<Issue> => {
          const read = schema.safeParse(given)
          return read.success ? [] : asInvalid(read.error).issues
        })
      },
      preview: (_workspace, name, given) => within(previewOf(name, given)),
      call: (workspace, name, given) => {
        const operation = operationNamed(name)
        if (operation !== undefined) return within(outcomeOf(operation.run(given)))
        const own = functionNamed(name)
        if (own !== undefined) return callFunction(own, given)
        return Effect.match(Effect.provide(callMcpTool(workspace, name, given), services), {
          onFailure: ({ code, message }): ToolOutcome => ({ ok: false, code, message }),
          onSuccess: (output): ToolOutcome => ({ ok: true, output })
        })
      }
    }
    return self
  })
)

/** A fault is a result for the model; a defect stays one. */
const outcomeOf = <R>(work: Effect.Effect<unknown, Fault, R>): Effect.Effect<ToolOutcome, never, R> =>
  Effect.match(work, {
    onFailure: (fault): ToolOutcome => ({ ok: false, code: faultCodes[fault._tag], message: fault.message }),
    onSuccess: (output): ToolOutcome => ({ ok: true, output })
  })

const callFunction = (own: RegisteredTool, given: unknown) =>
  Effect.flatMap(Caller, ({ actor, workspace }) =>
    Effect.tryPromise({
      try: async (signal) =>
        // The schema is the function's own, so what it gives is what the function takes.
        own.run(own.input.parse(given), { workspaceId: workspace, actor, signal }),
      catch: (error) =>
        isFault(error) ? error.message : error instanceof Error ? error.message : String(error)
    }).pipe(
      Effect.match({
        onFailure: (message): ToolOutcome => ({ ok: false, code: "tool_failed", message }),
        onSuccess: (output): ToolOutcome => ({ ok: true, output: output ?? null })
      })
    )
  )

const Replaced = z.object({ id: z.string(), content: z.string() })
const Created = z.object({
  path: z.string().optional(),
  content: z.string().optional(),
  title: z.string().optional()
})
const Proposed = z.object({ kind: z.string(), entityId: z.string().optional(), payload: z.unknown() })

/** What a call of ours would change. Reads with every right: it is shown to whoever may decide. */
const previewOf = (name: string, given: unknown): Effect.Effect<ToolPreview, never, Needs> =>
  Effect.gen(function* () {
    if (name === "svc_replace_document") {
      const read = Replaced.safeParse(given)
      if (!read.success) return nothing
      const { content, id } = read.data
      const document = yield* Effect.option(operations.getDocument.run({ id: documentId(id) }))
      return Option.match(document, {
        onNone: () => ({ targets: { [id]: "missing" }, diff: null }),
        onSome: (found) => ({
          targets: { [id]: String(found.version) },
          diff: createTwoFilesPatch(found.path, found.path, found.content, content)
        })
      })
    }
    if (name === "svc_create_document") {
      const { content = "", path, title = "" } = Created.catch({}).parse(given)
      const at = path ?? title
      return { targets: {}, diff: createTwoFilesPatch("(new)", at, "", content) }
    }
    if (name === "svc_propose_change") {
      const read = Proposed.safeParse(given)
      if (!read.success) return nothing
      const { entityId, payload } = read.data
      const after = `${JSON.stringify(payload ?? {}, null, 2)}\n`
      if (entityId === undefined)
        return { targets: {}, diff: createTwoFilesPatch("(new)", read.data.kind, "", after) }
      const entity = yield* Effect.option(
        operations.getEntity.run({ id: operations.getEntity.input.shape.id.parse(entityId) })
      ).pipe(Effect.catchAllDefect(() => Effect.succeed(Option.none())))
      if (Option.isNone(entity)) return { targets: { [entityId]: "missing" }, diff: null }
      const { aliases, curation, description, name: entityName, type } = entity.value
      const before = `${JSON.stringify({ name: entityName, type, aliases, description }, null, 2)}\n`
      return {
        targets: { [entityId]: String(curation.version) },
        diff: createTwoFilesPatch(entityId, read.data.kind, before, after)
      }
    }
    return nothing
  })

const nothing: ToolPreview = { targets: {}, diff: null }
const documentId = (id: string) => operations.getDocument.input.shape.id.parse(id)

/** Most characters of a final text that are checked. */
const checkedChars = 20_000

/** Grounds final texts by the operation that checks any text, and looks keys up where they are kept. */
export const runGuard = serviceLayer(
  RunGuard,
  Effect.gen(function* () {
    const services = yield* Effect.context<
      | Exclude<Effect.Effect.Context<ReturnType<typeof operations.checkGrounding.run>>, Caller>
      | Effect.Effect.Context<ReturnType<typeof isStillAdmitted>>
    >()
    return {
      checkAnswer: ({ docIds, text }) =>
        Effect.gen(function* () {
          const plain = text.replaceAll(/\s?\[S\d+\]/g, "").slice(0, checkedChars)
          const known = operations.checkGrounding.input.safeParse({
            text: plain,
            ...(docIds.length === 0 ? {} : { docIds: docIds.slice(0, 50) })
          })
          if (!known.success) return unchecked
          const report = yield* operations.checkGrounding.run(known.data)
          return {
            claims: report.claims.map(({ status, text: claim }) => ({ text: claim, status })),
            groundedness: report.groundedness,
            policy: report.policy,
            usage: { ...report.usage, costUsd: report.usage.costUsd.toFixed(10) }
          }
        }).pipe(
          // A document that is gone since cannot carry anything.
          Effect.catchAll(() => Effect.succeed(unchecked)),
          Effect.mapInputContext((own: Context.Context<Caller>) => Context.merge(services, own))
        ),
      isAdmitted: (workspace: WorkspaceScope, apiKeyId) => {
        const id = KeyId.safeParse(apiKeyId)
        return id.success
          ? Effect.provide(isStillAdmitted(id.data, workspace), services)
          : Effect.succeed(false)
      }
    }
  })
)

const unchecked = {
  claims: [],
  groundedness: { verified: 0, total: 0 },
  policy: policyOff,
  usage: { inputTokens: 0, outputTokens: 0, costUsd: "0" }
}
