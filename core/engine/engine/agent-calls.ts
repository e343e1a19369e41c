import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import type { z } from "zod"
import { operations } from "../../operations.js"
import {
  asInvalid,
  Caller,
  type CallerShape,
  ConversationId,
  NotFound,
  RunId,
  readInput,
  refuseUnstorable
} from "../../platform/kernel/index.js"
import {
  type AgentPut,
  type Run as AgentRun,
  driveRun,
  type RunEvent,
  type RunQuery,
  type RunTrigger,
  Toolbox
} from "../../work/agent-runs/index.js"
import { findRun, forkRun, RunFeed, replayRun, startRun } from "../../work/agents/index.js"
import type { Call, Run, Services } from "./calls.js"

/** Reads ids that a program gives: one of the wrong form is one that nothing has. */
const runId = (id: string) => {
  const read = RunId.safeParse(id)
  return read.success ? Effect.succeed(read.data) : Effect.fail(new NotFound({ what: "run" }))
}

/** The calls of the embedded engine that are about agents and their runs. */
export const agentCalls = (
  call: Call,
  runtime: Pick<ManagedRuntime.ManagedRuntime<Services, unknown>, "runFork">,
  caller: CallerShape,
  run: Run
) => ({
  agents: {
    list: (options: { readonly enabled?: boolean } = {}) => call(operations.listAgents, options),
    /** By slug or id. */
    get: (slug: string) => call(operations.getAgent, { slug }),
    /** Makes an agent, or replaces it wholly; a change of what it does appends a version. */
    put: (slug: string, agent: Omit<z.input<typeof AgentPut>, "slug">) =>
      call(operations.putAgent, { ...agent, slug }),
    /** The tools that agents of the workspace can be given; asks its MCP servers for theirs. */
    tools: () => run(Effect.flatMap(Toolbox, (toolbox) => toolbox.list(caller.workspace)))
  },
  runs: {
    /** Queues a run; `inline` has this process work on it at once, also without a worker. */
    start: (
      slug: string,
      input: string,
      options: {
        readonly conversationId?: string
        readonly trigger?: RunTrigger
        readonly inline?: boolean
      } = {}
    ) =>
      run(
        Effect.gen(function* () {
          const { conversationId, inline = false, trigger } = options
          const read = yield* Either.mapLeft(
            readInput(operations.startRun.input, { slug, input, conversationId }),
            asInvalid
          )
          const conversation = conversationId === undefined ? undefined : ConversationId.parse(conversationId)
          const made = yield* startRun({ ...read, conversationId: conversation, trigger, inline })
          if (inline) runtime.runFork(Effect.provideService(driveRun(made.id), Caller, caller))
          return started(made)
        })
      ),
    get: (id: string) => call(operations.getRun, { id }),
    list: (query: z.input<typeof RunQuery> = {}) => call(operations.listRuns, query),
    /** The events of a run from its start, until one that ends the stream. */
    events: (id: string): AsyncIterable<RunEvent> => ({
      async *[Symbol.asyncIterator]() {
        // Fails as any call does where there is no such run.
        const stream = await run(
          Effect.gen(function* () {
            const found = yield* findRun(yield* runId(id))
            const feed = yield* RunFeed
            return Stream.toAsyncIterable(feed.watch(caller.workspace, found.id))
          })
        )
        yield* stream
      }
    }),
    cancel: (id: string) => call(operations.cancelRun, { id }),
    decide: (id: string, approvalId: string, decision: "allow" | "deny", note?: string) =>
      call(operations.approveRunStep, { id, approvalId, decision, note }),
    feedback: (id: string, kind: string, value: Readonly<Record<string, unknown>>, note?: string) =>
      call(operations.addRunFeedback, { id, kind, value, note }),
    /** Folds the stored journal with today's code: every state and prompt, and where the two part. */
    replay: (id: string) => run(Effect.flatMap(runId(id), replayRun)),
    /** Starts a run from the steps of another before `at`: they are taken as they are and not done again. */
    fork: (
      id: string,
      { at, input, version }: { readonly at: number; readonly input?: string; readonly version?: number }
    ) =>
      run(
        Effect.gen(function* () {
          yield* refuseUnstorable({ input })
          return started(yield* forkRun({ id: yield* runId(id), at, input, version }))
        })
      )
  }
})

/** The calls of the embedded engine that are about agents and their runs. */
export type AgentCalls = ReturnType<typeof agentCalls>

const started = ({ id, status }: { readonly id: string; readonly status: AgentRun["status"] }) => ({
  runId: id,
  status,
  stream: `/api/v1/runs/${id}/stream`
})
