import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { callMcpTool, checkMcpArguments, type McpTool, mcpTools } from "../../connected/mcp/index.js"
import {
  asInvalid,
  Caller,
  type Fault,
  faultCodes,
  type Issue,
  isFault,
  serviceLayer
} from "../../platform/kernel/index.js"
import {
  type RegisteredTool,
  RegisteredTools,
  Toolbox,
  type ToolOutcome,
  type ToolSpec
} from "../../work/agent-runs/index.js"
import {
  approvalOf,
  evidenceTools,
  type OperationNeeds,
  type OperationTool,
  operationSpecs,
  operationTools,
  schemaOf
} from "./operation-tools.js"
import { previewOf } from "./preview.js"

/** Describes a function of the embedding product as a tool of agents. */
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

type McpNeeds = Effect.Effect.Context<
  ReturnType<typeof mcpTools> | ReturnType<typeof callMcpTool> | ReturnType<typeof checkMcpArguments>
>
type Provided = Exclude<OperationNeeds | McpNeeds, Caller | Toolbox>

/** The tools of a workspace: operations, functions of the embedding product, tools of MCP servers. */
export const toolbox = serviceLayer(
  Toolbox,
  Effect.gen(function* () {
    const services = yield* Effect.context<Provided>()
    const functions = Option.getOrElse(yield* Effect.serviceOption(RegisteredTools), () => [])
    // Services of the caller, such as its unit of work and audit context, take precedence.
    const within = <A, E>(work: Effect.Effect<A, E, OperationNeeds>): Effect.Effect<A, E, Caller> =>
      Effect.mapInputContext(work, (own: Context.Context<Caller>) =>
        Context.merge(Context.add(services, Toolbox, self), own)
      )
    const operationNamed = (name: string): OperationTool | undefined =>
      operationTools.find((one) => one.name === name)
    const functionNamed = (name: string) => functions.find((one) => one.name === name)

    const self: Context.Tag.Service<Toolbox> = {
      list: (workspace, names) => {
        const own = [...operationSpecs.map((spec) => spec()), ...functions.map(specOfFunction)]
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
        if (operation !== undefined)
          return within(
            Effect.map(outcomeOf(operation.run(given)), (outcome) =>
              outcome.ok ? { ...outcome, isEvidence: evidenceTools.has(name) } : outcome
            )
          )
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

/** Returns a fault as a result for the model; defects remain defects. */
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
